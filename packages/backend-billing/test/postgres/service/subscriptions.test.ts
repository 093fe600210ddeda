// What an application reads of subscriptions, and how access ends by time: by a row, never by a clock.
import { drizzle } from "drizzle-orm/node-postgres";
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { defineCatalogue } from "../../../src/catalogue/index.js";
import { workOnce } from "../../../src/core/background.js";
import { readRevenue } from "../../../src/core/subscriptions/revenue.js";
import { reconcile } from "../../../src/core/sync/sync.js";
import type { Subscribed } from "../../../src/index.js";
import { createBilling } from "../../../src/postgres/index.js";
import { type App, applications, billingError, NOW } from "./kit.js";

const open = applications();
const DAY = 86_400_000;

/** An application at a Stripe whose time stands still, that hears of nothing unless it asks. */
const quiet = () => open({ endpoint: false, stripe: { now: NOW } });

/** An entity with a card, and a monthly subscription made at Stripe. */
async function subscriber(app: App, entityId = "user_1", card = "pm_card_visa") {
  const { customerId } = await app.b.setup({ entityId });
  const { id } = await app.stripe.paymentMethods.attach(card, { customer: customerId });
  await app.stripe.customers.update(customerId, {
    invoice_settings: { default_payment_method: id },
  });
  const price = await app.stripe.prices.create({
    currency: "usd",
    unit_amount: 2_000,
    recurring: { interval: "month" },
    product_data: { name: "Engine" },
    lookup_key: `${entityId}:monthly`,
  });
  const items = [{ price: price.id, quantity: 3 }];
  const subscription = await app.stripe.subscriptions.create({ customer: customerId, items });
  return { customerId, price, subscription };
}

describe("reads", () => {
  it("say what an entity bought, when it renews, and what it was asked to pay", async () => {
    const app = await quiet();
    const { price, subscription } = await subscriber(app);
    await app.b.sync();
    const { store } = app.b;
    const state = await store.subscriptionOf("user_1");
    expect(state).toMatchObject({
      entityId: "user_1",
      group: "main",
      plan: null,
      access: true,
      status: "active",
      subscriptionId: subscription.id,
      priceId: price.id,
      productId: price.product,
      lookupKey: "user_1:monthly",
      quantity: 3,
      renewsAt: (subscription.items.data[0]?.current_period_end ?? 0) * 1000,
      endsAt: null,
      pastDueSince: null,
      next: null,
    });
    expect(await store.subscriptionsOf("user_1")).toEqual([state]);
    expect(await store.subscriptionOf("user_1", { group: "support" })).toMatchObject({
      status: "none",
      access: false,
    });
    expect(await store.subscriptionOf("nobody")).toMatchObject({ status: "none" });
    expect(await store.invoicesOf("user_1")).toMatchObject([{ stripe: { amount_paid: 6_000 } }]);
    expect(await store.invoicesOf("nobody")).toEqual([]);
    const [card, ...others] = await store.paymentMethodsOf("user_1");
    expect([card?.stripe.card?.last4, others]).toEqual(["4242", []]);
    expect(card?.customerId).toBe(subscription.customer);
    expect(await store.paymentMethodsOf("nobody")).toEqual([]);
    expect((await store.priceBy({ lookupKey: "user_1:monthly" }))?.priceId).toBe(price.id);
    expect(await store.priceBy({ lookupKey: "unknown" })).toBeUndefined();
    expect((await billingError(store.invoicesOf("user_1", { limit: 0 }))).code).toBe(
      "invalid_argument",
    );
  });

  it("list the subscriptions of a status, a page at a time, those of entities alone", async () => {
    const app = await quiet();
    for (let user = 1; user <= 5; user++) await subscriber(app, `user_${user}`);
    const stranger = await app.stripe.customers.create({ payment_method: "pm_card_visa" });
    const [price] = app.double.objects("price");
    await app.stripe.subscriptions.create({
      customer: stranger.id,
      items: [{ price: price?.id ?? "" }],
      payment_behavior: "default_incomplete",
    });
    await app.b.sync();
    const found: Subscribed[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page: { page: readonly Subscribed[]; cursor: string | null } =
        await app.b.store.subscriptionsBy({ status: "active", limit: 2, cursor });
      found.push(...page.page);
      cursor = page.cursor;
      pages++;
    } while (cursor !== null);
    expect(pages).toBe(3);
    expect(found.map(({ entityId }) => entityId).sort()).toEqual(
      [1, 2, 3, 4, 5].map((user) => `user_${user}`),
    );
    expect(await app.b.store.subscriptionsBy({ status: "incomplete" })).toEqual({
      page: [],
      cursor: null,
    });
  });

  it("add up what comes in each month, as the core does over all rows", async () => {
    const app = await quiet();
    const { customerId } = await subscriber(app); // 3 × 20.00 a month
    const make = async (
      amount: number,
      recurring: Stripe.PriceCreateParams.Recurring,
      more: Partial<Stripe.SubscriptionCreateParams> = {},
    ) => {
      const { id } = await app.stripe.prices.create({
        currency: "usd",
        unit_amount: amount,
        recurring,
        product_data: { name: "Engine" },
      });
      const params = { customer: customerId, items: [{ price: id }], ...more };
      return app.stripe.subscriptions.create(params);
    };
    await make(12_000, { interval: "year" }); // 10.00
    await make(300, { interval: "week" }); // 13.00
    await make(9_000, { interval: "month", interval_count: 3 }); // 30.00
    await make(700, { interval: "month" }, { trial_period_days: 14 });
    const ended = await make(700, { interval: "month" });
    await app.double.clock.advance({ hours: 1 });
    await app.stripe.subscriptions.cancel(ended.id);
    await app.b.sync();
    const now = Date.parse(NOW) + 86_400_000;
    const revenue = await app.b.store.revenue(now);
    expect(revenue).toEqual([
      {
        plan: null,
        currency: "usd",
        subscriptions: 4,
        monthly: 6_000 + 1_000 + 1_300 + 3_000,
        trialing: 1,
        churned: 1,
      },
    ]);
    expect(await readRevenue(app.core.store, now)).toEqual(revenue);
    expect(await app.b.store.revenue(now + 31 * DAY)).toMatchObject([{ churned: 0 }]);
  });

  it("take one statement each", async () => {
    const app = await quiet();
    await subscriber(app);
    await app.b.sync();
    const sent: string[] = [];
    const query = (text: string, values?: unknown[]) => {
      sent.push(text);
      return app.pool.query(text, values);
    };
    const { store } = createBilling({
      ...app.config,
      db: { query, connect: () => app.pool.connect() },
    });
    await store.customerOf("user_1"); // the first use checks the place, once
    const reads = [
      () => store.subscriptionOf("user_1"),
      () => store.subscriptionsOf("user_1"),
      () => store.subscriptionsBy({ status: "active" }),
      () => store.invoicesOf("user_1"),
      () => store.paymentMethodsOf("user_1"),
      () => store.priceBy({ lookupKey: "user_1:monthly" }),
      () => store.customerOf("user_1"),
      () => store.revenue(),
    ];
    for (const read of reads) {
      sent.length = 0;
      await read();
      expect(sent).toHaveLength(1);
    }
  });
});

describe("inside a transaction of the application", () => {
  const unlink = (app: App) =>
    `UPDATE ${app.schema}.backend_billing_customers SET entity_id = 'user_2' WHERE entity_id = 'user_1'`;

  it("a client of pg sees what it has written", async () => {
    const app = await quiet();
    await subscriber(app);
    await app.b.sync();
    const client = await app.pool.connect();
    try {
      await client.query("BEGIN");
      await client.query(unlink(app));
      const within = app.b.store.in(client);
      expect((await within.subscriptionOf("user_2")).access).toBe(true);
      expect((await within.subscriptionOf("user_1")).access).toBe(false);
      expect(await within.invoicesOf("user_2")).toHaveLength(1);
      expect((await app.b.store.subscriptionOf("user_1")).access).toBe(true);
    } finally {
      await client.query("ROLLBACK");
      client.release();
    }
  });

  it("so does a transaction of Drizzle", async () => {
    const app = await quiet();
    await subscriber(app);
    await app.b.sync();
    const undone = drizzle(app.pool).transaction(async (tx) => {
      await tx.execute(unlink(app));
      expect((await app.b.store.in(tx).subscriptionOf("user_2")).access).toBe(true);
      expect((await app.b.store.in(tx).customerOf("user_2"))?.entityId).toBe("user_2");
      throw new Error("taken back");
    });
    await expect(undone).rejects.toThrow("taken back");
    expect((await app.b.store.subscriptionOf("user_1")).access).toBe(true);
  });

  it("anything else is refused", async () => {
    const app = await quiet();
    expect(() => app.b.store.in({ execute: async () => [] })).toThrow(/Drizzle/);
  });
});

describe("the grace of a subscription past due", () => {
  /** The application, whose background is done by hand at any time. */
  async function late(days?: number) {
    const catalogue =
      days === undefined ? undefined : defineCatalogue({ access: { past_due: { days } } });
    // Stripe's time begins now: the instance's own background, by this machine's clock, has nothing due.
    const app = await open({ endpoint: false, config: { catalogue } });
    const { customerId } = await subscriber(app);
    await app.b.sync();
    const { id } = await app.stripe.paymentMethods.attach("pm_card_chargeCustomerFail", {
      customer: customerId,
    });
    await app.stripe.customers.update(customerId, {
      invoice_settings: { default_payment_method: id },
    });
    // Everything goes by Stripe's time, and only waiting takes real time.
    const runtime = {
      ...app.core,
      sleep: (milliseconds: number) =>
        new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
    };
    /** Brings the mirror up to date, and does what is due a little later. */
    const look = async () => {
      await reconcile(runtime);
      const soon = { ...runtime, now: () => runtime.now() + 5_000 };
      while ((await workOnce(soon)) > 0);
    };
    const pass = async (milliseconds: number) => {
      await app.double.clock.advance({ seconds: milliseconds / 1000 });
      await look();
    };
    const state = () => app.b.store.subscriptionOf("user_1");
    return { app, customerId, pass, look, state, now: runtime.now };
  }

  it("ends by a row, fourteen days after the invoice; it comes back with the payment", async () => {
    const { app, customerId, pass, look, state, now } = await late();
    await pass(32 * DAY); // a month, and the draft's hour
    const first = await state();
    expect(first).toMatchObject({ status: "past_due", access: true });
    const [invoice] = (await app.b.store.invoicesOf("user_1")).filter(
      ({ stripe }) => stripe.status === "open",
    );
    const since = (invoice?.stripe.status_transitions.finalized_at ?? 0) * 1000;
    expect(first.pastDueSince).toBe(since);
    await app.stripe.subscriptions.update(first.subscriptionId ?? "", { metadata: { any: "1" } });
    await pass(since + 14 * DAY - now() - 60_000);
    expect(await state()).toMatchObject({ status: "past_due", access: true });
    await pass(120_000);
    expect(await state()).toMatchObject({ status: "past_due", access: false, pastDueSince: since });
    await pass(60_000); // whatever else happens to it meanwhile
    expect(await state()).toMatchObject({ access: false });

    const method = await app.stripe.paymentMethods.attach("pm_card_visa", { customer: customerId });
    await app.stripe.invoices.pay(invoice?.invoiceId ?? "", { payment_method: method.id });
    await look();
    expect(await state()).toMatchObject({ status: "active", access: true, pastDueSince: null });

    await pass(20 * DAY); // the next invoice is not paid either, and has a grace of its own
    const again = await state();
    expect(again).toMatchObject({ status: "past_due", access: true });
    expect(again.pastDueSince).toBeGreaterThan(since);
  });

  it("is as long as the catalogue says", async () => {
    const { pass, state } = await late(3);
    await pass(32 * DAY);
    expect((await state()).access).toBe(true);
    await pass(3 * DAY);
    expect(await state()).toMatchObject({ status: "past_due", access: false });
  });
});
