// What events do to the mirror, over real HTTP: what is stored at once, and what is left to the
// background.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { PATIENCE } from "../../../../../support/patience.js";
import { ASK_DELAY } from "../../../src/core/mirror/rule.js";
import { type App, type AppOptions, applications, eventually, NOW } from "./kit.js";
import { attempts, receipts, send } from "./webhook-kit.js";

/** Milliseconds after an ask is due in which a process has looked for the last time. */
const LAST_LOOK = 3_000;

const open = applications();
const still = (options: AppOptions = {}) =>
  open({ ...options, stripe: { now: NOW, ...options.stripe } });

describe("what is delivered", () => {
  it("twice is stored once", async () => {
    const app = await still();
    app.double.faults.add({ fault: "doubled" });
    const { id } = await app.stripe.products.create({ name: "Engine" });
    await app.double.settle();
    expect(attempts(app)).toEqual([[200], [200]]);
    expect(await receipts(app)).toHaveLength(1);
    expect(await app.b.store.version("products", id)).toMatchObject({ revision: 1 });
    expect(await send(app)).toMatchObject({ status: 200, text: "" });
    expect((await send(app)).body.received).toBe("duplicate");
  });

  it("thin is asked about and stored as Stripe has it now", async () => {
    const app = await still();
    app.double.faults.add({ fault: "thin" });
    const { id } = await app.stripe.products.create({ name: "Engine" });
    await app.double.settle();
    expect(attempts(app)).toEqual([[200]]);
    expect(await app.b.store.row("products", id)).toBeUndefined();
    const row = await eventually(
      () => app.b.store.row("products", id),
      (found) => found !== undefined,
    );
    expect(row?.stripe.name).toBe("Engine");
    expect(app.double.requests.count("GET /v1/products/:product")).toBe(1);
  });

  it("in an old API version is asked about and stored in ours", async () => {
    const app = await still();
    app.double.faults.add({ fault: "old_version", version: "2024-06-20" });
    const coupon = await app.stripe.coupons.create({ percent_off: 10, duration: "once" });
    const { id } = await app.stripe.promotionCodes.create({
      promotion: { type: "coupon", coupon: coupon.id },
      code: "HALF",
    });
    await app.double.settle();
    const row = await eventually(
      () => app.b.store.row("promotion_codes", id),
      (found) => found !== undefined,
    );
    expect(row?.stripe).toMatchObject({ promotion: { type: "coupon", coupon: coupon.id } });
    expect(row?.stripe).not.toHaveProperty("coupon");
  });

  it("in a burst is asked about in the background, and ends as Stripe has it", async () => {
    const app = await still();
    const { id } = await app.stripe.products.create({ name: "1" });
    for (const name of ["2", "3", "4", "5"]) await app.stripe.products.update(id, { name });
    await app.double.settle(); // all within one second, so none of them can be told from another
    await eventually(
      async () => (await app.b.store.row("products", id))?.stripe.name,
      (name) => name === "5",
    );
    await eventually(
      async () => (await app.b.store.version("products", id))?.stale,
      (stale) => stale === false,
    );
    expect(app.double.requests.count("GET /v1/products/:product")).toBeLessThanOrEqual(2);
  });

  it("is asked about though a commit held its version at every look", async () => {
    const app = await still();
    const { id } = await app.stripe.products.create({ name: "1" });
    await app.stripe.products.update(id, { name: "2" });
    await app.double.settle();
    const isStale = async () => (await app.b.store.version("products", id))?.stale;
    expect(await isStale()).toBe(true);
    const holder = await app.pool.connect();
    await holder.query("BEGIN");
    const versions = `${app.schema}.backend_billing_versions`;
    await holder.query(`SELECT 1 FROM ${versions} WHERE id = $1 FOR UPDATE`, [id]);
    await app.double.clock.advance({ seconds: 10 });
    await app.stripe.products.update(id, { name: "3" }); // its commit has to wait
    const delivered = app.double.settle();
    await sleep(ASK_DELAY + LAST_LOOK);
    await holder.query("COMMIT");
    holder.release();
    await delivered;
    await eventually(isStale, (stale) => stale === false);
  });
});

describe("events about invoices and payments", () => {
  /** A customer with a subscription whose own event was lost. */
  async function subscribed(app: App) {
    const price = await app.stripe.prices.create({
      currency: "usd",
      unit_amount: 2_000,
      recurring: { interval: "month" },
      product_data: { name: "Engine" },
    });
    const { id: customer } = await app.stripe.customers.create({
      payment_method: "pm_card_visa",
      invoice_settings: { default_payment_method: "pm_card_visa" },
    });
    app.double.faults.add({ fault: "lost" });
    const subscription = await app.stripe.subscriptions.create({
      customer,
      items: [{ price: price.id }],
    });
    await app.double.settle();
    app.double.faults.clear();
    app.double.requests.clear();
    return { customer, subscription: subscription.id };
  }
  const LIST = "GET /v1/subscriptions";

  it("in a burst refresh the customer's subscriptions by one reading", async () => {
    // However slowly they come, the refresh is not due before all of them are there.
    const app = await still({ config: { timing: { refreshDelay: PATIENCE } } });
    const { customer, subscription } = await subscribed(app);
    expect(await app.b.store.row("subscriptions", subscription)).toBeUndefined();
    const types = ["succeeded", "payment_failed", "canceled"].map(
      (what) => `payment_intent.${what}`,
    );
    const sent = Array.from({ length: 12 }, (_, i) =>
      send(app, {
        id: `evt_${i}`,
        type: types[i % 3],
        data: { object: { id: `obj_${i}`, customer } },
      }),
    );
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(12).fill(200));
    await app.sql(
      `UPDATE ${app.schema}.backend_billing_records SET due = 0 WHERE kind = 'refresh'`,
    );
    await app.double.settle({ store: app.b.store });
    expect(await app.b.store.row("subscriptions", subscription)).toBeDefined();
    const left = `SELECT 1 FROM ${app.schema}.backend_billing_records WHERE kind = 'refresh'`;
    expect(await app.sql(left)).toEqual([]);
    expect(app.double.requests.count(LIST)).toBe(1);
    // The payments' own content is of no version that is kept: each of them is asked about.
    expect(app.double.requests.count("GET /v1/payment_intents/:intent")).toBe(12);
    const account = app.double.requests.count("GET /v1/account"); // once in each process
    expect(app.double.requests.count() - account).toBe(1 + 12);
  });

  it("have the customer's row of nulls replaced by the subscription", async () => {
    const app = await still({ config: { timing: { refreshDelay: 50 } } });
    const { customer, subscription } = await subscribed(app);
    await send(app, {
      type: "checkout.session.completed",
      data: { object: { id: "cs_1", customer } },
    });
    await eventually(
      async () =>
        (await app.b.store.rows("subscriptions", "", 10)).map((row) => row.subscriptionId),
      (ids) => ids.join() === subscription,
    );
  });

  it("that have no id, as an upcoming invoice, refresh and are never stored", async () => {
    const app = await still({ config: { timing: { refreshDelay: 50 } } });
    const { subscription } = await subscribed(app);
    app.double.faults.add({ fault: "lost", on: "customer.subscription.updated" });
    await app.double.clock.advance({ days: 25 }); // Stripe tells of the invoice some days ahead
    const upcoming = (await receipts(app)).filter(({ type }) => type === "invoice.upcoming");
    expect(upcoming).toMatchObject([{ object_id: null }]);
    await eventually(
      () => app.b.store.row("subscriptions", subscription),
      (row) => row !== undefined,
    );
  });

  it("of nobody in particular refresh nothing", async () => {
    const app = await still();
    const object = { id: "pi_1", object: "payment_intent", customer: null };
    const answer = await send(app, { type: "payment_intent.succeeded", data: { object } });
    expect(answer).toMatchObject({ status: 200, text: "" });
    const left = `SELECT 1 FROM ${app.schema}.backend_billing_records WHERE kind = 'refresh'`;
    expect(await app.sql(left)).toEqual([]);
  });

  it("that come while Stripe fails are not forgotten", async () => {
    const app = await still({ config: { timing: { refreshDelay: 50 } } });
    const { customer } = await subscribed(app);
    app.double.faults.add({ fault: "rate_limited", on: LIST });
    await send(app, { type: "invoice.paid", data: { object: { id: "in_1", customer } } });
    await eventually(
      () => app.log,
      (log) => log.includes(`A refresh failed and is tried again: ${customer}`),
    );
    const left = `SELECT id FROM ${app.schema}.backend_billing_records WHERE kind = 'refresh'`;
    expect(await app.sql(left)).toEqual([{ id: customer }]);
  });
});
