// One-time purchases: what becomes of a page, and what the buyer finds on the way back.
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { PATIENCE } from "../../../../../support/patience.js";
import { workOnce } from "../../../src/core/background.js";
import type { Purchase } from "../../../src/index.js";
import { createBilling } from "../../../src/postgres/index.js";
import { type App, type AppOptions, applications, billingError, NOW } from "./kit.js";

const open = applications();
/** An application that no webhook reaches. */
const deaf = (options: AppOptions = {}) =>
  open({
    endpoint: false,
    stripe: { now: NOW },
    config: { timing: { returnPatience: PATIENCE } }, // a busy machine is no failure
    ...options,
  });

async function product(app: App, key = "engine"): Promise<Stripe.Price> {
  return app.stripe.prices.create({
    currency: "usd",
    unit_amount: 2_000,
    lookup_key: key,
    product_data: { name: "Engine" },
  });
}

const order = (app: App, priceId: string, buyer = 1) => ({
  entityId: `user_${buyer}`,
  priceId,
  quantity: 2,
  referenceId: `order_${buyer}`,
  successUrl: `${app.url}/thanks?order=${buyer}`,
  cancelUrl: `${app.url}/cart`,
});

/** Pays a page and goes where Stripe sends the buyer. */
async function payAndReturn(app: App, sessionId: string, card?: string): Promise<Response> {
  const email = "ada@example.com";
  app.double.dashboard.payCheckout(sessionId, card === undefined ? { email } : { email, card });
  const { success_url: back } = await app.stripe.checkout.sessions.retrieve(sessionId);
  const address = String(back).replace("{CHECKOUT_SESSION_ID}", sessionId);
  return fetch(address, { redirect: "manual" });
}

/** The purchases of a buyer by all three reads, which must agree. */
async function bought(app: App, sessionId: string, buyer = 1): Promise<Purchase | undefined> {
  const { store } = app.b;
  const all = await store.purchasesOf(`user_${buyer}`);
  const bySession = await store.purchaseBy({ sessionId });
  expect(all).toContainEqual(bySession);
  expect(await store.purchaseBy({ referenceId: `order_${buyer}` })).toEqual(bySession);
  return bySession;
}

describe("a purchase", () => {
  it("is open while its page can be paid", async () => {
    const app = await deaf();
    const price = await product(app);
    const { sessionId, url } = await app.b.billing.pay(order(app, price.id));
    expect(await bought(app, sessionId ?? "")).toEqual({
      entityId: "user_1",
      referenceId: "order_1",
      sessionId,
      paymentIntentId: null,
      lines: [{ priceId: price.id, lookupKey: "engine", quantity: 2 }],
      amount: 4_000,
      refundedAmount: 0,
      currency: "usd",
      createdAt: Date.parse(NOW),
      state: "open",
      url,
      expiresAt: Date.parse(NOW) + 24 * 3_600_000,
    });
  });

  it("is paid when its buyer comes back, though no webhook came", async () => {
    const app = await deaf();
    const price = await product(app);
    const { sessionId } = await app.b.billing.pay(order(app, price.id));
    await app.double.clock.advance({ minutes: 1 });
    app.double.requests.clear();
    const answer = await payAndReturn(app, sessionId ?? "");
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      `${app.url}/thanks?order=1`,
    ]);
    const purchase = await bought(app, sessionId ?? "");
    const [intent] = app.double.objects("payment_intent");
    expect(purchase).toMatchObject({
      state: "paid",
      paidAt: Date.parse(NOW) + 60_000,
      paymentIntentId: intent?.id,
      lines: [{ priceId: price.id, lookupKey: "engine", quantity: 2 }],
    });
    // One by this test, and one by the route.
    expect(app.double.requests.count("GET /v1/checkout/sessions/:session")).toBe(2);
    expect(app.double.requests.count()).toBe(2);
    const [stored] = await app.core.store.rows("checkout_sessions", "", 1);
    expect(stored?.stripe).toEqual(app.double.objects("checkout.session")[0]);
    const [charge] = await app.core.store.rows("charges", "", 1);
    expect(charge?.stripe).toEqual(app.double.objects("charge")[0]);
    const [paid] = await app.core.store.rows("payment_intents", "", 1);
    expect(paid?.stripe).toEqual(intent);
  });

  it("stays open where the card was declined, and expires", async () => {
    const app = await deaf();
    const price = await product(app);
    const { sessionId } = await app.b.billing.pay(order(app, price.id));
    await payAndReturn(app, sessionId ?? "", "4000000000000002");
    expect((await bought(app, sessionId ?? ""))?.state).toBe("open");
    await app.stripe.checkout.sessions.expire(sessionId ?? "");
    await app.b.sync();
    expect((await bought(app, sessionId ?? ""))?.state).toBe("expired");
  });

  it("says what was given back, and is refunded when all of it was", async () => {
    const app = await deaf();
    const { sessionId } = await app.b.billing.pay(order(app, (await product(app)).id));
    await payAndReturn(app, sessionId ?? "");
    const { paymentIntentId } = (await bought(app, sessionId ?? "")) ?? {};
    const refund = async (amount: number) => {
      const { id } = await app.stripe.refunds.create({
        payment_intent: paymentIntentId ?? "",
        amount,
      });
      await app.b.sync();
      return id;
    };
    const first = await refund(1_000);
    expect(await bought(app, sessionId ?? "")).toMatchObject({
      state: "paid",
      refundedAmount: 1_000,
    });
    const second = await refund(3_000);
    expect(await bought(app, sessionId ?? "")).toMatchObject({
      state: "refunded",
      refundedAmount: 4_000,
      paidAt: Date.parse(NOW),
    });
    const refunds = await app.b.store.refundsOf("user_1");
    expect(refunds.map(({ refundId }) => refundId).sort()).toEqual([first, second].sort());
    expect(await app.b.store.refundsOf("nobody")).toEqual([]);
  });

  it("of several pages for one order is the one that was paid", async () => {
    const app = await deaf();
    const price = await product(app);
    const first = await app.b.billing.pay(order(app, price.id));
    await app.double.clock.advance({ seconds: 5 });
    const second = await app.b.billing.pay(order(app, price.id));
    const { store } = app.b;
    const by = { referenceId: "order_1" };
    expect((await store.purchaseBy(by))?.sessionId).toBe(second.sessionId);
    await payAndReturn(app, first.sessionId ?? "");
    expect(await store.purchaseBy(by)).toMatchObject({ sessionId: first.sessionId, state: "paid" });
    expect((await store.purchasesOf("user_1")).map(({ state }) => state)).toEqual(["open", "paid"]);
  });
});

it("50 of 50 buyers find their purchase paid, all webhooks lost", { tags: ["slow"] }, async () => {
  const app = await deaf();
  const price = await product(app);
  const found = await Promise.all(
    Array.from({ length: 50 }, async (_, buyer) => {
      const { sessionId } = await app.b.billing.pay(order(app, price.id, buyer));
      expect((await payAndReturn(app, sessionId ?? "")).status).toBe(303);
      return (await bought(app, sessionId ?? "", buyer))?.state;
    }),
  );
  expect(found).toEqual(Array(50).fill("paid"));
});

it("a page that the library did not make is known with its lines once it is paid", async () => {
  const app = await open({ stripe: { now: NOW } });
  const price = await product(app);
  const { customerId } = await app.b.setup({ entityId: "user_1" });
  const { id } = await app.stripe.checkout.sessions.create({
    customer: customerId,
    mode: "payment",
    client_reference_id: "order_1",
    line_items: [{ price: price.id, quantity: 12 }],
    success_url: `${app.url}/thanks`,
  });
  expect(await app.b.store.purchaseBy({ sessionId: id })).toBeUndefined();
  app.double.dashboard.payCheckout(id, { email: "ada@example.com" });
  await app.double.settle();
  expect(await bought(app, id)).toMatchObject({ state: "paid", lines: null });
  await app.double.clock.advance({ seconds: 10 });
  while ((await workOnce(app.core)) > 0);
  expect(await bought(app, id)).toMatchObject({
    state: "paid",
    lines: [{ priceId: price.id, lookupKey: "engine", quantity: 12 }],
  });
});

it("what was bought is asked for once, and not where it is known", async () => {
  const app = await open({ stripe: { now: NOW } });
  const { sessionId } = await app.b.billing.pay(order(app, (await product(app)).id));
  await app.double.clock.advance({ minutes: 1 });
  app.double.requests.clear();
  app.double.dashboard.payCheckout(sessionId ?? "", { email: "ada@example.com" });
  await app.double.settle();
  await app.double.clock.advance({ seconds: 10 });
  while ((await workOnce(app.core)) > 0);
  expect(app.double.requests.count("GET /v1/checkout/sessions/:session")).toBe(0);
  expect((await bought(app, sessionId ?? ""))?.state).toBe("paid");
});

it("the reads take one statement each, and say what is missing", async () => {
  const app = await deaf();
  const { sessionId } = await app.b.billing.pay(order(app, (await product(app)).id));
  await payAndReturn(app, sessionId ?? "");
  const sent: string[] = [];
  const { store } = createBilling({
    ...app.config,
    db: {
      query: (text: string, values?: unknown[]) => {
        sent.push(text);
        return app.pool.query(text, values);
      },
      connect: () => app.pool.connect(),
    },
  });
  await store.customerOf("user_1"); // the first use checks the place, once
  for (const read of [
    () => store.purchasesOf("user_1"),
    () => store.purchaseBy({ referenceId: "order_1" }),
    () => store.purchaseBy({ sessionId: sessionId ?? "" }),
    () => store.refundsOf("user_1"),
  ]) {
    sent.length = 0;
    await read();
    expect(sent).toHaveLength(1);
  }
  expect((await billingError(store.purchasesOf("user_1", { limit: 0 }))).code).toBe(
    "invalid_argument",
  );
  expect((await billingError(store.purchaseBy({ referenceId: "" }))).message).toContain(
    "`referenceId`",
  );
});

it("a card that is left on a page is known when its owner comes back, webhooks lost", async () => {
  const app = await deaf();
  const page = await app.b.billing.savePaymentMethod({
    entityId: "user_1",
    successUrl: `${app.url}/account`,
    cancelUrl: `${app.url}/account`,
    params: { currency: "usd" },
  });
  expect(page.kind).toBe("checkout");
  expect(await app.b.store.paymentMethodsOf("user_1")).toEqual([]);
  const answer = await payAndReturn(app, page.sessionId ?? "");
  expect(answer.headers.get("location")).toBe(`${app.url}/account`);
  const [card, ...more] = await app.b.store.paymentMethodsOf("user_1");
  expect([card?.stripe.card?.last4, more]).toEqual(["4242", []]);
  expect(await app.b.store.purchasesOf("user_1")).toEqual([]);
  const params = {
    entityId: "user_1",
    mode: "setup" as const,
    success_url: `${app.url}/account`,
    cancel_url: `${app.url}/account`,
  };
  const other = await app.a.stripe.savePaymentMethod({}, { ...params, currency: "usd" });
  expect(app.double.objects("checkout.session").at(-1)).toMatchObject({
    id: other.sessionId,
    mode: "setup",
  });
  const error = await billingError(
    app.a.stripe.savePaymentMethod({}, { ...params, mode: "payment" as never }),
  );
  expect(error.message).toContain('`mode` must be "setup"');
});
