// The way back from Stripe's pages: whom it sends where, and whom it refuses.
import { describe, expect, it } from "vitest";
import { returnLink } from "../../../src/core/links/return.js";
import { createStripe, type PostgresConfig } from "../../../src/postgres/index.js";
import { type App, type AppOptions, applications, billingError, NOW } from "./kit.js";
import { LIST, link, visit } from "./return-kit.js";

const open = applications();
const still = (options: AppOptions = {}) =>
  open({ endpoint: false, ...options, stripe: { now: NOW, ...options.stripe } });
/** The other variant of an application that differs in its configuration. */
const differing = (app: App, changes: Partial<PostgresConfig>) =>
  createStripe({ ...app.config, ...changes }).stripe;

describe("a link of ours", () => {
  it("sends the person on with 303, not to be kept, and without a referrer", async () => {
    const app = await still();
    const answer = await visit(await link(app));
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(`${app.url}/welcome`);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    expect(await answer.text()).toBe("");
    expect(app.double.requests.count(LIST)).toBe(1);
  });

  it("hangs below the base URL and the path that are configured", async () => {
    const app = await still({ config: { path: "/api/billing" } });
    const address = await link(app);
    expect(address.startsWith(`${app.url}/api/billing/return/checkout?data=`)).toBe(true);
    expect((await visit(address)).status).toBe(303);
  });

  it.each([
    ["any origin", {}],
    ["an origin that the configuration names", { return_origins: ["https://www.shop.example"] }],
  ])("may lead to %s", async (_, config) => {
    const app = await still({ config });
    const target = "https://www.shop.example/thanks?a=1#b";
    const answer = await visit(await link(app, { target }));
    expect(answer.headers.get("location")).toBe(target);
  });

  it("is the same all day, so that a call can be repeated under one idempotency key", async () => {
    const app = await still();
    const first = await link(app, {}, app.core);
    await app.double.clock.advance({ hours: 13 });
    expect(await link(app, {}, app.core)).toBe(first);
    await app.double.clock.advance({ hours: 1 });
    expect(await link(app, {}, app.core)).not.toBe(first);
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    const to = {
      kind: "checkout",
      target: `${app.url}/welcome`,
      customerId,
      account: null,
    } as const;
    expect(await returnLink(app.core, to, 1)).toBe(first);
  });

  it("answers HEAD without refreshing, and other methods with 405", async () => {
    const app = await still();
    const address = await link(app);
    expect((await visit(address, { method: "HEAD" })).status).toBe(303);
    const wrong = await visit(address, { method: "POST", body: "x" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(app.double.requests.count()).toBe(0);
  });
});

describe("a link that is not ours", () => {
  const change = (address: string, changes: { [name: string]: (value: string) => string }) => {
    const url = new URL(address);
    for (const [name, to] of Object.entries(changes)) {
      url.searchParams.set(name, to(url.searchParams.get(name) ?? ""));
    }
    return url.href;
  };
  const rewrite = (data: string, changes: object) => {
    const signed = JSON.parse(Buffer.from(data, "base64url").toString()) as object;
    return Buffer.from(JSON.stringify({ ...signed, ...changes })).toString("base64url");
  };
  const flip = (text: string) => (text.startsWith("A") ? "B" : "A") + text.slice(1);

  const forgeries: [string, (address: string, app: App) => Promise<string> | string][] = [
    ["altered data", (address) => change(address, { data: flip })],
    [
      "an altered signature",
      (address) => change(address, { signature: (s) => s.split(".").map(flip).join(".") }),
    ],
    ["a signature of nothing but dots", (address) => change(address, { signature: () => "...." })],
    [
      "another target",
      (address) => change(address, { data: (d) => rewrite(d, { t: "https://evil.example" }) }),
    ],
    [
      "another target of ours",
      (address, { url }) => change(address, { data: (d) => rewrite(d, { t: `${url}/admin` }) }),
    ],
    [
      "another customer",
      (address) => change(address, { data: (d) => rewrite(d, { c: "cus_other" }) }),
    ],
    ["a later end", (address) => change(address, { data: (d) => rewrite(d, { x: 9e9 }) })],
    ["another kind", (address) => address.replace("/return/checkout", "/return/portal")],
    ["no kind", (address) => address.replace("/return/checkout", "/return/")],
    ["a kind that there is not", (address) => address.replace("/return/checkout", "/return/admin")],
    ["a deeper path", (address) => address.replace("/return/checkout", "/return/x/checkout")],
    ["no signature", (address) => change(address, { signature: () => "" })],
    ["no data", (address) => change(address, { data: () => "" })],
    ["data that is no base64", (address) => change(address, { data: () => "a" })],
    ["a signature that is no base64", (address) => change(address, { signature: () => "%%%" })],
    ["half a signature", (address) => change(address, { signature: (s) => s.slice(0, 20) })],
    [
      "the signature of another link",
      async (address, app) => {
        const other = new URL(await link(app, { target: `${app.url}/other` }));
        return change(address, { signature: () => other.searchParams.get("signature") ?? "" });
      },
    ],
  ];

  it.each(forgeries)("with %s is refused", async (_, forge) => {
    const app = await still();
    const answer = await visit(await forge(await link(app), app));
    expect(answer.status).toBe(400);
    expect(answer.headers.get("location")).toBeNull();
    expect(await answer.json()).toMatchObject({ error: { code: "invalid_signature" } });
    expect(app.double.requests.count()).toBe(0);
  });

  it("because other secrets signed it, or the key of the other mode, is refused", async () => {
    const app = await still();
    const address = await link(app);
    for (const changes of [
      { secret_key: "sk_test_of_another_account", webhook_secret: "whsec_of_another" },
      { secret_key: "sk_test_of_another_account", webhook_secret: undefined },
      { secret_key: app.double.liveSecretKey },
    ]) {
      const answer = await differing(app, changes).fetch(new Request(address));
      expect(answer.status).toBe(400);
    }
  });
});

describe("a link of ours survives", () => {
  const timing = { returnPatience: 1 }; // the new key is not Stripe's, and nobody waits for that

  it.each([
    ["the roll of the API key", { secret_key: "sk_test_rolled" }],
    ["the roll of the signing secret", { webhook_secret: "whsec_rolled" }],
    [
      "the roll of the signing secret, with both in place",
      { secret_key: "sk_test_rolled", webhook_secret: ["whsec_new", "whsec_none"] },
    ],
  ])("%s", async (_, changes) => {
    const app = await still();
    const address = await link(app);
    const answer = await differing(app, { ...changes, timing }).fetch(new Request(address));
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${app.url}/welcome`]);
  });

  it("an upgrade from releases that signed by the API key alone", async () => {
    const app = await still();
    const url = new URL(await link(app));
    const [byKey = ""] = (url.searchParams.get("signature") ?? "").split(".");
    url.searchParams.set("signature", byKey);
    expect((await visit(url.href)).status).toBe(303);
  });
});

it("a link of ours whose origin is no longer allowed leads to the first that is", async () => {
  const app = await still({ config: { return_origins: ["https://old.example"] } });
  const address = await link(app, { target: "https://old.example/thanks" });
  for (const [return_origins, wanted] of [
    [["https://new.example", "https://newer.example"], "https://new.example/"],
    [[], `${app.url}/`],
  ] as const) {
    const answer = await differing(app, { return_origins }).fetch(new Request(address));
    expect([answer.status, answer.headers.get("location")]).toEqual([303, wanted]);
  }
});

describe("a target that is refused when the link is made, before a customer is", () => {
  const nowhere = [
    "javascript:alert(1)",
    "data:text/html,hello",
    "//evil.example/",
    "/welcome",
    "welcome",
    "",
    "ftp://app.example/",
    "https://{CHECKOUT_SESSION_ID}.evil.example/",
    "https://%7BCHECKOUT_SESSION_ID%7D.evil.example/",
    "blob:https://app.example/x",
  ];
  const foreign = [
    "https://evil.example/",
    "https://app.example@evil.example/",
    "https://app.example.evil.example/",
    "https://evil.example/https://app.example/",
    "https://app.example:8443/",
    "http://app.example/",
    "https:\\\\evil.example/",
  ];

  async function expectRefused(app: App, target: string): Promise<void> {
    const good = "https://app.example/";
    const subscribing = { entityId: "user_1", priceId: "price_1", mode: "subscription" } as const;
    const paying = { entityId: "user_1", mode: "payment", referenceId: "order_1" } as const;
    const pairs = [
      [target, good],
      [good, target],
    ] as const;
    const calls = pairs.flatMap(([success, cancel]) => {
      const urls = { success_url: success, cancel_url: cancel };
      return [
        app.a.stripe.subscribe({}, { ...subscribing, ...urls }),
        app.a.stripe.pay({}, { ...paying, line_items: [{}], ...urls }),
        app.b.checkout({
          entityId: "user_1",
          priceId: "price_1",
          successUrl: success,
          cancelUrl: cancel,
        }),
      ];
    });
    const codes = [...calls, app.b.portal({ entityId: "user_1", returnUrl: target })].map(
      async (call) => (await billingError(call)).code,
    );
    expect(new Set(await Promise.all(codes))).toEqual(new Set(["invalid_argument"]));
    expect(app.double.requests.count()).toBe(0);
  }

  it.each(nowhere)("because it is no http(s) address: %j", async (target) => {
    await expectRefused(await still({ config: { base_url: "https://app.example" } }), target);
  });

  it.each(foreign)("because `return_origins` does not name it: %j", async (target) => {
    const config = { base_url: "https://app.example", return_origins: ["https://shop.example"] };
    await expectRefused(await still({ config }), target);
  });
});

it.each([
  ["another spelling of the origin", "HTTPS://APP.example:443/a"],
  ["backslashes that a browser reads as slashes", "https:\\\\app.example\\a"],
])("a target is not what it looks like: %s", async (_, target) => {
  const config = { base_url: "https://app.example", return_origins: [] };
  const app = await still({ config });
  const answer = await app.b.billing.fetch(new Request(await link(app, { target })));
  expect(answer.headers.get("location")).toBe("https://app.example/a");
});

it("a return route without a key answers 500 and never throws", async () => {
  const app = await still();
  const address = await link(app);
  const answer = await differing(app, { secret_key: undefined }).fetch(new Request(address));
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ error: { code: "invalid_config" } });
});
