// @module-tag slow
// The example app with its own functions and routes, against the double: Stripe's API and pages are
// reached over real HTTP. What stands in for Convex itself is `convex-test`.
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { catalogue } from "../../../../examples/convex/convex/catalogue.js";
import { PATIENCE } from "../../../../support/patience.js";
import { createPatientDouble } from "../../../../support/patient-double.js";
import type { StripeDouble } from "../../src/testing/index.js";
import { type Backend, install, leadToDouble, payAt, push, SITE, submit } from "./example-kit.js";

const files = import.meta.glob("../../../../examples/convex/convex/**/*.*s");
const TEN_MINUTES = 600_000;
const starter = catalogue.keys.starter.monthly;
const studio = catalogue.keys.studio.monthly;
const extra = "sends";

interface Account {
  subscription: { status: string; name: string; endsAt: number | null } | null;
  orders: { name: string; paidAt: number | null }[];
  members: { id: string; email: string }[];
  sends: { remaining: number };
}

let double: StripeDouble;
let backend: Backend;
let said: MockInstance<typeof console.log>;

beforeEach(async () => {
  said = vi.spyOn(console, "log").mockImplementation(() => {});
  double = await createPatientDouble({ seed: "example", catalogue });
  leadToDouble(double);
  backend = await push(files, double);
  await install(backend, double, "stripe");
  await backend.settle();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await backend.close();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await double.close();
});

/** Somebody who signed up, as what they act for: at first themselves. */
async function signUp(name: string) {
  const form = { name, email: `${name}@Example.com`, password: "correct horse" };
  const token = await backend.action<string>("auth:signUp", form);
  const me = () => backend.query<{ user: { id: string } } | null>("auth:me", { token });
  return { token, me, ...actingFor(token, (await me())?.user.id ?? "") };
}

function actingFor(token: string, entityId: string) {
  const asking = { token, entityId };
  return {
    entityId,
    account: () => backend.query<Account>("plans:account", asking),
    subscribe: (key: string) => backend.action<string>("shop:subscribe", { ...asking, key }),
    pay: (key: string) => backend.action<string>("shop:pay", { ...asking, key }),
    portal: () => backend.action<string>("shop:portal", asking),
    preview: (key: string) =>
      backend.action<{ dueNow: number; quote: string }>("shop:preview", { ...asking, key }),
    change: (key: string, quote: string) =>
      backend.action<string | null>("shop:change", { ...asking, key, quote }),
    invite: (emails: string) => backend.mutation("team:invite", { ...asking, emails }),
    remove: (memberId: string) => backend.mutation("team:remove", { ...asking, memberId }),
    send: (id: string, readers: number) =>
      backend.mutation("letters:send", { ...asking, id, readers }),
    cancel: () => backend.action("shop:cancel", asking),
    resume: () => backend.action("shop:resume", asking),
  };
}

const THANKS = "10,000 extra sends: thank you";

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: PATIENCE });

/** What the app has mailed to an entity, in the order in which it did. */
const mailsTo = (entityId: string): string[] =>
  said.mock.calls.flatMap(([line]) => {
    const [, to, subject = ""] = /^A mail to (\S+): (.+) \(\S+\)$/.exec(String(line)) ?? [];
    return to === entityId ? [subject] : [];
  });

const openPages = () =>
  double.objects("checkout.session").filter(({ status }) => status === "open");

describe.each([
  ["at once", 0],
  ["ten minutes late", TEN_MINUTES],
])("with webhooks that come %s", (_, milliseconds) => {
  beforeEach(() => {
    if (milliseconds > 0) double.faults.add({ fault: "late", milliseconds });
  });

  it("somebody signs up, subscribes, is active when back, and cancels", async () => {
    const ada = await signUp("ada");
    await backend.settle();
    expect(double.objects("customer")).toMatchObject([
      { email: "ada@example.com", metadata: { entityId: ada.entityId } },
    ]);
    expect(await ada.account()).toEqual({
      subscription: null,
      orders: [],
      members: [],
      room: 2,
      support: false,
      sends: { remaining: 100, resetsAt: expect.any(Number) },
    });

    const back = await payAt(await ada.subscribe(studio));
    expect(await backend.comeBack(back)).toBe(`${SITE}/for/${ada.entityId}?from=checkout`);
    expect(await ada.account()).toMatchObject({
      subscription: { status: "active", name: "Studio", key: studio, endsAt: null },
      room: 50,
      support: true,
    });
    await eventually(async () => expect(mailsTo(ada.entityId)).toEqual(["Your plan has begun"]));

    const portal = await ada.portal();
    const [subscription] = double.objects("subscription");
    await submit(`${portal}/subscriptions/${subscription?.id}/cancel`);
    const shown = await (await fetch(portal)).text();
    const [, home = ""] = /class="back"><a href="([^"]+)"/.exec(shown) ?? [];
    expect(await backend.comeBack(home.replaceAll("&amp;", "&"))).toBe(
      `${SITE}/for/${ada.entityId}`,
    );
    const end = (subscription?.items.data[0]?.current_period_end ?? 0) * 1000;
    expect(end).toBeGreaterThan(Date.now());
    expect((await ada.account()).subscription).toMatchObject({ status: "active", endsAt: end });
  });

  it("another plan costs what its preview said, and an end can be taken back", async () => {
    const ada = await signUp("ada");
    await backend.comeBack(await payAt(await ada.subscribe(starter)));
    const offer = await ada.preview(studio);
    const another = await ada.preview(studio);
    expect(await ada.change(studio, offer.quote)).toBeNull();
    expect((await ada.account()).subscription).toMatchObject({ name: "Studio" });
    expect(double.objects("invoice").at(-1)).toMatchObject({ amount_paid: offer.dueNow });
    const refusal = { data: { code: "quote_expired" } };
    await expect(ada.change(studio, another.quote)).rejects.toMatchObject(refusal);

    await ada.cancel();
    expect((await ada.account()).subscription?.endsAt).toBeGreaterThan(Date.now());
    await ada.resume();
    expect((await ada.account()).subscription?.endsAt).toBeNull();
  });

  it("a payment that is made once is noted as paid, and can be made again", async () => {
    const ada = await signUp("ada");
    const page = await ada.pay(extra);
    expect(await ada.pay(extra)).toBe(page);
    expect((await ada.account()).orders).toMatchObject([{ paidAt: null }]);
    const back = await payAt(page);
    expect(await backend.comeBack(back)).toBe(`${SITE}/for/${ada.entityId}?from=payment`);
    await eventually(async () =>
      expect((await ada.account()).orders).toMatchObject([
        { name: "10,000 extra sends", paidAt: expect.any(Number) },
      ]),
    );
    await eventually(async () => expect(mailsTo(ada.entityId)).toEqual([THANKS]));
    expect(await ada.pay(extra)).not.toBe(page);
    expect((await ada.account()).orders).toHaveLength(2);
  });
});

it("an organisation has a customer and a plan of its own", async () => {
  const { token, account } = await signUp("ada");
  const id = await backend.mutation<string>("auth:createOrganisation", { token, name: "Engines" });
  const engines = actingFor(token, id);
  await backend.comeBack(await payAt(await engines.subscribe(starter)));
  expect((await engines.account()).subscription).toMatchObject({ status: "active" });
  expect((await account()).subscription).toBeNull();
  await backend.settle();
  const owners = double.objects("customer").map(({ metadata }) => metadata?.entityId);
  expect(owners).toHaveLength(2);
  expect(owners).toContain(id);
});

it("a team pays for its members, and for no more once one of them has left", async () => {
  const { token } = await signUp("ada");
  const id = await backend.mutation<string>("auth:createOrganisation", { token, name: "Engines" });
  const engines = actingFor(token, id);
  await engines.invite("kay@example.com, betty@example.com; Betty@example.com");
  const { members } = await engines.account();
  expect(members.map(({ email }) => email)).toEqual(["betty@example.com", "kay@example.com"]);
  await backend.comeBack(await payAt(await engines.subscribe(studio)));
  expect((await engines.account()).subscription).toMatchObject({ quantity: 3 });

  const stranger = await signUp("eve");
  await stranger.remove(members[0]?.id ?? "");
  expect((await engines.account()).members).toHaveLength(2);
  await engines.remove(members[0]?.id ?? "");
  await vi.waitFor(
    async () => expect((await engines.account()).subscription).toMatchObject({ quantity: 2 }),
    { timeout: 60_000, interval: 500 },
  );
  expect(double.objects("subscription")).toMatchObject([{ items: { data: [{ quantity: 2 }] } }]);
});

it("what was paid is told once, though every event comes twice and a catch-up finds it again", async () => {
  double.faults.add({ fault: "doubled" });
  const ada = await signUp("ada");
  await backend.comeBack(await payAt(await ada.pay(extra)));
  await backend.settle();
  await backend.action("stripe:sync", {});
  await backend.settle();
  await eventually(async () => expect(mailsTo(ada.entityId)).toEqual([THANKS]));
  expect((await ada.account()).orders).toMatchObject([{ paidAt: expect.any(Number) }]);
});

it("many tabs at once get one page of each kind, and what it sells is paid once", async () => {
  const ada = await signUp("ada");
  const calls = Array.from({ length: 40 }, (_, index) =>
    index % 4 === 0 ? ada.pay(extra) : ada.subscribe(index % 2 === 0 ? starter : studio),
  );
  const answers = await Promise.allSettled(calls);
  const pages = answers.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  // On a machine that is busy, the customer may not be made in the time that a call waits for it.
  for (const each of answers) {
    if (each.status === "rejected") expect(each.reason.message).toMatch(/Try again in a m/);
  }
  expect(pages.length).toBeGreaterThan(0);
  expect(
    openPages()
      .map(({ mode }) => mode)
      .sort(),
  ).toEqual(["payment", "subscription"]);
  expect(double.objects("customer")).toHaveLength(1);

  await Promise.all(pages.map((page) => payAt(page)));
  const paid = double.objects("charge").map(({ amount }) => amount);
  expect(paid).toHaveLength(2);
  expect(paid).toContain(1500);
  // Without a word to the mirror: it is Stripe that is asked, and the portal is where it is changed.
  expect(await ada.subscribe(starter)).toContain("/p/session/");
  expect(openPages()).toEqual([]);
});

it("whoever wants another plan gets a page for it, and the page before is closed", async () => {
  const ada = await signUp("ada");
  const before = await ada.subscribe(starter);
  const page = await ada.subscribe(studio);
  expect(openPages().map(({ url }) => url)).toEqual([page]);
  expect(await payAt(before)).toBe("");
  expect(await ada.subscribe(studio)).toBe(page);
});

it("a tab that failed on its way to Stripe does not keep the others waiting", async () => {
  const ada = await signUp("ada");
  const fault = { fault: "error_before", on: "POST /v1/checkout/sessions", kept: false } as const;
  double.faults.add({ ...fault, times: 9 });
  await expect(ada.subscribe(starter)).rejects.toThrow();
  double.faults.clear();
  const page = await ada.subscribe(studio);
  expect(openPages().map(({ url }) => url)).toEqual([page]);
});

it("a plan has room for so many members, and for no more", async () => {
  const ada = await signUp("ada");
  await ada.invite("kay@example.com");
  await expect(ada.invite("betty@example.com, ruth@example.com")).rejects.toThrow("no room");
  await ada.invite("kay@example.com, betty@example.com");
  expect((await ada.account()).members).toHaveLength(2);
  await expect(ada.invite("ruth@example.com")).rejects.toThrow("no room");
  await backend.comeBack(await payAt(await ada.subscribe(starter)));
  await ada.invite("ruth@example.com");
  expect(await ada.account()).toMatchObject({ room: 5, members: { length: 3 } });
});

it("a letter takes sends once, and is refused where too few are left, until more are bought", async () => {
  const ada = await signUp("ada");
  const left = async () => (await ada.account()).sends.remaining;
  await ada.send("letter_1", 60);
  await ada.send("letter_1", 60);
  await expect(ada.send("letter_2", 60)).rejects.toThrow("60 sends, and you have 40 left");
  for (const readers of [0, -1, 1.5, Number.NaN]) {
    await expect(ada.send("letter_3", readers)).rejects.toThrow("whole number");
  }
  expect(await left()).toBe(40);

  await backend.comeBack(await payAt(await ada.pay(extra)));
  await eventually(async () => expect(await left()).toBe(10_040));
  await ada.send("letter_2", 60);
  expect(await left()).toBe(9_980);
});

it("nobody buys what is not for sale", async () => {
  const ada = await signUp("ada");
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const terms = { currency: "usd", unit_amount: 1, recurring: { interval: "month" } } as const;
  const product_data = { name: "For staff" };
  await stripe.prices.create({ ...terms, product_data, lookup_key: "staff" });
  for (const key of ["staff", extra, "free:monthly"]) {
    await expect(ada.subscribe(key)).rejects.toThrow("not for sale");
    await expect(ada.preview(key)).rejects.toThrow("not for sale");
    await expect(ada.change(key, "quote")).rejects.toThrow("not for sale");
  }
  for (const key of ["staff", studio, "toString"]) {
    await expect(ada.pay(key)).rejects.toThrow("not for sale");
  }
});

it("a password is needed, and a session ends", async () => {
  const ada = await signUp("ada");
  const form = { email: "ada@example.com", password: "wrong horse" };
  await expect(backend.action("auth:signIn", form)).rejects.toThrow("No account");
  const nobody = { ...form, email: "bob@example.com" };
  await expect(backend.action("auth:signIn", nobody)).rejects.toThrow("No account");
  await expect(signUp("Ada")).rejects.toThrow("already");
  const right = { ...form, password: "correct horse" };
  const token = await backend.action<string>("auth:signIn", right);
  expect(await backend.query("auth:me", { token })).toEqual(await ada.me());
  await backend.mutation("auth:signOut", { token });
  expect(await backend.query("auth:me", { token })).toBeNull();
  expect(await ada.me()).not.toBeNull();
});

describe("of the functions that a browser can call", () => {
  /** The public functions, with the names of what they take. */
  async function publicFunctions() {
    const found: { path: string; kind: "query" | "mutation" | "action"; takes: string[] }[] = [];
    for (const [file, load] of Object.entries(files)) {
      if (file.includes("_generated")) continue;
      for (const [name, value] of Object.entries(await load())) {
        const { isPublic, isQuery, isMutation, exportArgs } = Object(value);
        if (!isPublic) continue;
        const kind = isQuery ? "query" : isMutation ? "mutation" : "action";
        const path = `${/(\w+)\.ts$/.exec(file)?.[1]}:${name}`;
        found.push({ path, kind, takes: Object.keys(JSON.parse(exportArgs()).value) });
      }
    }
    return found;
  }

  it("each that takes an entity refuses strangers and people who are not signed in", async () => {
    const [ada, eve] = [await signUp("ada"), await signUp("eve")];
    await ada.invite("kay@example.com");
    const memberId = (await ada.account()).members[0]?.id ?? "";
    const own = (await publicFunctions()).filter(({ takes }) => takes.includes("entityId"));
    expect(own.length).toBeGreaterThan(4);
    for (const { path, kind, takes } of own) {
      const key = path === "shop:pay" ? extra : starter;
      const all: Record<string, unknown> = { entityId: ada.entityId, key, memberId, readers: 1 };
      const call = (token: string) =>
        backend[kind](path, Object.fromEntries(takes.map((name) => [name, all[name] ?? token])));
      await expect(call(eve.token), path).rejects.toThrow("not yours");
      await expect(call("no such token"), path).rejects.toThrow("Sign in first");
    }
    expect(openPages()).toEqual([]);
  });

  it("the others act for nobody", async () => {
    const others = (await publicFunctions()).filter(({ takes }) => !takes.includes("entityId"));
    expect(others.map(({ path }) => path).sort()).toEqual([
      "auth:createOrganisation",
      "auth:me",
      "auth:signIn",
      "auth:signOut",
      "auth:signUp",
    ]);
  });
});
