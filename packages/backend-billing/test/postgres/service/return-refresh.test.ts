// The way back from Stripe's pages: what the page that a person lands on is told, and already sees.
import { describe, expect, it } from "vitest";
import { PATIENCE } from "../../../../../support/patience.js";
import { handleRequest } from "../../../src/core/http.js";
import { returnLink } from "../../../src/core/links/return.js";
import { prune } from "../../../src/core/sync/work/prune.js";
import { createBilling } from "../../../src/postgres/index.js";
import { type AppOptions, applications, NOW } from "./kit.js";
import { price } from "./links-kit.js";
import { LIST, link, SESSION, visit } from "./return-kit.js";

const open = applications();
const still = (options: AppOptions = {}) =>
  open({ endpoint: false, ...options, stripe: { now: NOW, ...options.stripe } });
const sleepReally = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

describe("an expired link with a good signature", () => {
  it("sends the person on, without refreshing", async () => {
    const app = await still();
    const runtime = { ...app.core, sleep: sleepReally };
    const request = new Request(await link(app, {}, runtime));
    const follow = () => handleRequest(runtime, request.clone());
    await app.double.clock.advance({ hours: 25 });
    expect((await follow()).status).toBe(303);
    expect(app.double.requests.count(LIST)).toBe(1);
    await app.double.clock.advance({ hours: 24 });
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
  /** The route waits for as long as the machine needs. */
  const patient = { config: { timing: { returnPatience: PATIENCE } } };

  it("sees the subscription, though every webhook was lost", async () => {
    const app = await open({ endpoint: false, ...patient });
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
    const app = await open(patient);
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
    expect((await visit(address)).status).toBe(303);
    const [row] = await app.b.store.activeSubscriptionsOf("user_1");
    expect(row?.stripe).toMatchObject({ cancel_at_period_end: true });
  });

  it("is reached when Stripe is down", async () => {
    const app = await open({ endpoint: false });
    const address = await link(app);
    await app.double.close();
    const answer = await visit(address);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${app.url}/welcome`]);
  });

  it("is reached before Stripe answers, when Stripe is slow", async () => {
    const app = await open({ endpoint: false });
    const address = await link(app);
    app.double.faults.add({ fault: "latency", milliseconds: PATIENCE, on: LIST });
    const started = performance.now();
    expect((await visit(address)).status).toBe(303);
    const took = performance.now() - started;
    expect(took).toBeLessThan(PATIENCE);
    expect(took).toBeGreaterThan(1_000); // it did wait for Stripe
  });

  it("is reached when the database hangs", async () => {
    const app = await open({ endpoint: false });
    const address = await link(app);
    const never = new Promise<never>(() => {});
    const { billing } = createBilling({
      ...app.config,
      db: { query: () => never, connect: () => never },
    });
    expect((await billing.fetch(new Request(address))).status).toBe(303);
  });
});

describe("refreshes", () => {
  /** Visits in a time that stands still until the test moves it. */
  async function visitor() {
    const app = await still();
    const runtime = {
      ...app.core,
      sleep: sleepReally,
      timing: { ...app.core.timing, returnPatience: 20_000 },
    };
    const to = async (target: string) => {
      const address = await link(app, { target }, runtime);
      return async () => {
        const answer = await handleRequest(runtime, new Request(address));
        expect(answer.status).toBe(303);
      };
    };
    return { app, to, refreshes: () => app.double.requests.count(LIST) };
  }

  it("are limited for one customer, and allowed again a little later", async () => {
    const { app, to, refreshes } = await visitor();
    const go = await to(`${app.url}/welcome`);
    for (let i = 0; i < 14; i++) await go();
    expect(refreshes()).toBe(10);
    await app.double.clock.advance({ seconds: 10 });
    await go();
    await go();
    expect(refreshes()).toBe(11);
    await app.double.clock.advance({ minutes: 5 });
    for (let i = 0; i < 14; i++) await go();
    expect(refreshes()).toBe(21);
    // Another link of the same customer is no way around it.
    const other = await to(`${app.url}/other`);
    await other();
    expect(refreshes()).toBe(0); // counted anew since that link was made
  });

  it("are limited for visits at the same time, too, and each of those waits for its own", async () => {
    const { app, to, refreshes } = await visitor();
    const go = await to(`${app.url}/welcome`);
    await Promise.all(Array.from({ length: 14 }, () => go()));
    expect(refreshes()).toBe(10);
  });

  it("leave nothing behind once their time is over", async () => {
    const { app, to } = await visitor();
    await (await to(`${app.url}/welcome`))();
    const left = () =>
      app.sql(`SELECT 1 FROM "${app.schema}".backend_billing_records WHERE id LIKE 'return %'`);
    expect(await left()).toHaveLength(1);
    await app.double.clock.advance({ minutes: 5 });
    await prune(app.core);
    expect(await left()).toEqual([]);
  });

  it("ask nothing for a customer of a connected account, of which the mirror has nothing", async () => {
    const app = await still();
    expect((await visit(await link(app, { account: "acct_1" }))).status).toBe(303);
    expect(app.double.requests.count()).toBe(0);
  });
});
