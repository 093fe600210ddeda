// The way back from Stripe's pages: whom it sends where, whom it refuses, and what the page they
// land on already sees.
import { describe, expect, it } from "vitest";
import { handleRequest } from "../../../src/core/http.js";
import { type ReturnTo, returnLink } from "../../../src/core/return.js";
import { createBilling, createStripe, type PostgresConfig } from "../../../src/postgres/index.js";
import { type App, type AppOptions, applications, billingError, eventually, NOW } from "./kit.js";

const open = applications();
const still = (options: AppOptions = {}) =>
  open({ endpoint: false, ...options, stripe: { now: NOW, ...options.stripe } });
const LIST = "GET /v1/subscriptions";
const SESSION = `cs_test_${"a1".repeat(20)}`;

const visit = (link: string, init: RequestInit = {}) =>
  fetch(link.replace("{CHECKOUT_SESSION_ID}", SESSION), { redirect: "manual", ...init });

/** A link as the library gives it to Stripe, for a customer that exists; in the application's time. */
async function link(
  app: App,
  to: Partial<ReturnTo> = {},
  runtime = { ...app.core, now: Date.now },
): Promise<string> {
  const { customerId } = await app.b.setup({ entityId: "user_1" });
  app.double.requests.clear();
  const target = `${app.url}/welcome`;
  return returnLink(runtime, { kind: "checkout", target, customerId, account: null, ...to });
}

/** The other variant of an application that differs in its configuration. */
const differing = (app: App, changes: Partial<PostgresConfig>) =>
  createStripe({ ...app.config, ...changes }).stripe;

async function price({ stripe }: App): Promise<string> {
  const { id } = await stripe.prices.create({
    currency: "usd",
    unit_amount: 2_000,
    recurring: { interval: "month" },
    product_data: { name: "Engine" },
  });
  return id;
}

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

  it("may lead to any origin that the configuration names", async () => {
    const app = await still({ config: { return_origins: ["https://www.shop.example"] } });
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
    ["an altered signature", (address) => change(address, { signature: flip })],
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

  it("because another key signed it, of another account or of the other mode, is refused", async () => {
    const app = await still();
    const address = await link(app);
    for (const secret_key of ["sk_test_of_another_account", app.double.liveSecretKey]) {
      const answer = await differing(app, { secret_key }).fetch(new Request(address));
      expect(answer.status).toBe(400);
    }
    // The webhook's secret, which others may hold, signs no links.
    const webhook_secret = "whsec_leaked";
    const same = await differing(app, { webhook_secret }).fetch(new Request(address));
    expect(same.status).toBe(303);
  });

  it("any more, because its origin is no longer allowed, is refused", async () => {
    const app = await still({ config: { return_origins: ["https://old.example"] } });
    const address = await link(app, { target: "https://old.example/thanks" });
    const answer = await differing(app, { return_origins: [] }).fetch(new Request(address));
    expect(answer.status).toBe(400);
  });
});

describe("a target outside the allowed origins", () => {
  const targets = [
    "https://evil.example/",
    "javascript:alert(1)",
    "data:text/html,hello",
    "//evil.example/",
    "/welcome",
    "welcome",
    "",
    "https://app.example@evil.example/",
    "https://app.example.evil.example/",
    "https://evil.example/https://app.example/",
    "https://app.example:8443/",
    "http://app.example/",
    "ftp://app.example/",
    "https://{CHECKOUT_SESSION_ID}.evil.example/",
    "https:\\\\evil.example/",
  ];

  it.each(targets)(
    "is refused when the link is made, and no customer is made: %j",
    async (target) => {
      const app = await still({ config: { base_url: "https://app.example" } });
      const urls = { success_url: target, cancel_url: "https://app.example/" };
      const shared = { entityId: "user_1", ...urls };
      const calls = [
        app.a.stripe.subscribe({}, { ...shared, mode: "subscription", priceId: "price_1" }),
        app.a.stripe.pay(
          {},
          { ...shared, mode: "payment", referenceId: "order_1", line_items: [{}] },
        ),
        app.b.checkout({
          entityId: "user_1",
          priceId: "price_1",
          successUrl: target,
          cancelUrl: urls.cancel_url,
        }),
        app.b.portal({ entityId: "user_1", returnUrl: target }),
      ];
      for (const call of calls) expect((await billingError(call)).code).toBe("invalid_argument");
      expect(app.double.requests.count()).toBe(0);
    },
  );

  it.each([
    ["another spelling of the origin", "HTTPS://APP.example:443/a"],
    ["backslashes that a browser reads as slashes", "https:\\\\app.example\\a"],
  ])("is not what it looks like: %s", async (_, target) => {
    const app = await still({ config: { base_url: "https://app.example" } });
    const answer = await app.b.billing.fetch(new Request(await link(app, { target })));
    expect(answer.headers.get("location")).toBe("https://app.example/a");
  });
});

describe("an expired link with a good signature", () => {
  it("sends the person on, without refreshing", async () => {
    const app = await still();
    const request = new Request(await link(app, {}, app.core));
    const follow = () => handleRequest(app.core, request.clone());
    await app.double.clock.advance({ hours: 25 });
    expect((await follow()).status).toBe(303);
    const listed = () => app.double.requests.count(LIST);
    await eventually(listed, (count) => count === 1);
    await app.double.clock.advance({ hours: 24, seconds: 1 });
    app.double.requests.clear();
    const answer = await follow();
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(`${app.url}/welcome`);
    expect(app.double.requests.count()).toBe(0);
  });
});

describe("the session's id", () => {
  it.each([
    ["as it is written", "session={CHECKOUT_SESSION_ID}", `session=${SESSION}`],
    ["as a URL library encodes it", "session=%7BCHECKOUT_SESSION_ID%7D", `session=${SESSION}`],
    ["encoded in small letters", "session=%7bCHECKOUT_SESSION_ID%7d", `session=${SESSION}`],
    ["twice", "a={CHECKOUT_SESSION_ID}&b={CHECKOUT_SESSION_ID}", `a=${SESSION}&b=${SESSION}`],
    ["nowhere", "a=1", "a=1"],
  ])("reaches the application: the placeholder %s", async (_, query, wanted) => {
    const app = await still();
    const answer = await visit(await link(app, { target: `${app.url}/welcome?${query}` }));
    expect(answer.headers.get("location")).toBe(`${app.url}/welcome?${wanted}`);
  });

  it.each([
    "",
    "cs_test_",
    "cs_test_a&admin=1",
    "cs_test_a#b",
    "cs_test_a/../../x",
    'cs_test_"><script>',
    "cs_test_a\r\nSet-Cookie: x=1",
    "https://evil.example",
    `cs_test_${"a".repeat(201)}`,
    "{CHECKOUT_SESSION_ID}",
  ])("that is none is left out: %j", async (id) => {
    const app = await still();
    const address = await link(app, { target: `${app.url}/welcome?s={CHECKOUT_SESSION_ID}` });
    const url = new URL(address);
    url.searchParams.set("session_id", id);
    const answer = await fetch(url, { redirect: "manual" });
    expect(answer.headers.get("location")).toBe(`${app.url}/welcome?s=`);
  });

  it("comes from Stripe's own page, all the way", async () => {
    const app = await still();
    const { url } = await app.b.checkout({
      entityId: "user_1",
      priceId: await price(app),
      successUrl: `${app.url}/welcome?session={CHECKOUT_SESSION_ID}`,
      cancelUrl: `${app.url}/pricing`,
    });
    const card = { number: "4242424242424242", expiry: "12 / 34", cvc: "123", name: "Ada" };
    const paid = await fetch(url, {
      method: "POST",
      body: new URLSearchParams({ email: "ada@example.com", ...card }),
      redirect: "manual",
    });
    const [session] = app.double.objects("checkout.session");
    const back = await fetch(paid.headers.get("location") ?? "", { redirect: "manual" });
    expect(session?.status).toBe("complete");
    expect(back.headers.get("location")).toBe(`${app.url}/welcome?session=${session?.id}`);
  });
});

describe("the page that the person lands on", () => {
  it("sees the subscription, though every webhook was lost", async () => {
    const app = await open({ endpoint: false });
    await app.b.checkout({
      entityId: "user_1",
      priceId: await price(app),
      successUrl: `${app.url}/welcome`,
      cancelUrl: `${app.url}/pricing`,
    });
    const [session] = app.double.objects("checkout.session");
    expect(app.double.dashboard.payCheckout(session?.id ?? "", { email: "a@example.com" })).toBe(
      "paid",
    );
    expect(await app.b.store.activeSubscriptionsOf("user_1")).toEqual([]);
    expect((await visit(session?.success_url ?? "")).status).toBe(303);
    expect(await app.b.store.activeSubscriptionsOf("user_1")).toMatchObject([
      { stripe: { status: "active" } },
    ]);
  });

  it("sees what was changed in the portal, though the mirror has just heard of what was before", async () => {
    const app = await open();
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    await app.stripe.paymentMethods.attach("pm_card_visa", { customer: customerId });
    const subscription = await app.stripe.subscriptions.create({
      customer: customerId,
      items: [{ price: await price(app) }],
      trial_period_days: 7,
    });
    await app.double.settle();
    app.double.faults.add({ fault: "lost" });
    await app.stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    const target = `${app.url}/account`;
    const address = await returnLink(app.core, {
      kind: "portal",
      target,
      customerId,
      account: null,
    });
    const started = performance.now();
    expect((await visit(address)).status).toBe(303);
    expect(performance.now() - started).toBeLessThan(2_000);
    const [row] = await app.b.store.activeSubscriptionsOf("user_1");
    expect(row?.stripe).toMatchObject({ cancel_at_period_end: true });
  });

  it("is reached within two seconds when Stripe is down", async () => {
    const app = await open({ endpoint: false });
    const address = await link(app);
    await app.double.close();
    const started = performance.now();
    const answer = await visit(address);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${app.url}/welcome`]);
    await app.double.close().catch(() => {}); // twice does no harm
  });

  it("is reached within two seconds when Stripe is slow", async () => {
    const app = await open({ endpoint: false });
    const address = await link(app);
    app.double.faults.add({ fault: "latency", milliseconds: 4_000, on: LIST });
    const started = performance.now();
    expect((await visit(address)).status).toBe(303);
    const took = performance.now() - started;
    expect(took).toBeLessThan(2_000);
    expect(took).toBeGreaterThan(1_000); // it did wait for Stripe
  });

  it("is reached within two seconds when the database hangs", async () => {
    const app = await open({ endpoint: false });
    const address = await link(app);
    const never = new Promise<never>(() => {});
    const { billing } = createBilling({
      ...app.config,
      db: { query: () => never, connect: () => never },
    });
    const started = performance.now();
    expect((await billing.fetch(new Request(address))).status).toBe(303);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("refreshes", () => {
  it("are limited to five for one link, however often it is visited", async () => {
    const app = await still();
    const address = await link(app);
    for (let i = 0; i < 8; i++) expect((await visit(address)).status).toBe(303);
    expect(app.double.requests.count(LIST)).toBe(5);
    // Another link is not held back by it.
    await visit(await link(app, { target: `${app.url}/other` }));
    expect(app.double.requests.count(LIST)).toBe(1);
  });

  it("are limited for visits at the same time, too, and each of those waits for its own", async () => {
    const app = await still();
    const address = await link(app);
    const answers = await Promise.all(Array.from({ length: 12 }, () => visit(address)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(303));
    expect(app.double.requests.count(LIST)).toBe(5);
  });

  it("ask nothing for a customer of a connected account, of which the mirror has nothing", async () => {
    const app = await still();
    expect((await visit(await link(app, { account: "acct_1" }))).status).toBe(303);
    expect(app.double.requests.count()).toBe(0);
  });
});

it("a return route without a key answers 500 and never throws", async () => {
  const app = await still();
  const address = await link(app);
  const answer = await differing(app, { secret_key: undefined }).fetch(new Request(address));
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ error: { code: "invalid_config" } });
});
