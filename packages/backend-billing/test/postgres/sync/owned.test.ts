// What Stripe lists only for one owner at a time: when it is compared, and what is left out.
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { ingest } from "../../../src/core/events/ingest.js";
import { refreshDue } from "../../../src/core/events/refresh.js";
import { type App, expectEqual, quietApplications, scheduled } from "./kit.js";

const open = quietApplications();

describe("tax ids", () => {
  const config = { resources: ["customers", "tax_ids"] } as const;
  const lists = "GET /v1/customers/:customer/tax_ids";
  const vat = { type: "eu_vat", value: "DE123456789" } as const;

  it("of the account itself are compared every night, and those of customers are not", async () => {
    const app = await open({ config });
    const { id: customer } = await app.stripe.customers.create({ name: "Ada" });
    await app.stripe.customers.createTaxId(customer, vat);
    const gone = await app.stripe.taxIds.create({ ...vat, value: "DE111111111" });
    await app.b.sync();
    await expectEqual(app, ["tax_ids"]);

    await app.double.clock.advance({ days: 1 });
    // Stripe has no event of these two.
    await app.stripe.taxIds.del(gone.id);
    const { id: added } = await app.stripe.taxIds.create({ ...vat, value: "DE222222222" });
    app.double.requests.clear();
    const night = await scheduled(app, "reconcile");
    expect(app.double.requests.count(lists)).toBe(0);
    // The one that is gone is asked for by its id. The customer's was in no list, and is not.
    expect(app.double.requests.count("GET /v1/tax_ids/:id")).toBe(1);
    await expectEqual(app, ["tax_ids"]);
    expect(night?.resources.tax_ids).toMatchObject({
      state: "done",
      drift: {
        ghost: 1,
        examples: [
          { id: added, kind: "missing" },
          { id: gone.id, kind: "ghost" },
        ],
      },
    });
  });

  it("of customers are listed by night where they were never listed to their end", async () => {
    const app = await open({ config });
    const { id: customer } = await app.stripe.customers.create({ name: "Ada" });
    await app.stripe.customers.createTaxId(customer, vat);
    await app.b.sync();
    // As a backfill leaves it that failed for want of a permission.
    for (const table of ["tax_ids", "versions"]) {
      await app.sql(`DELETE FROM ${app.schema}.backend_billing_${table}`);
    }
    await app.sql(`DELETE FROM ${app.schema}.backend_billing_records WHERE id = 'tax_ids'`);
    await scheduled(app, "reconcile");
    await expectEqual(app, ["tax_ids"]);
    app.double.requests.clear();
    await scheduled(app, "reconcile");
    expect(app.double.requests.count(lists)).toBe(0);
  });
});

describe("active entitlements", () => {
  const config = { resources: ["customers", "subscriptions", "active_entitlements"] } as const;
  const list = "GET /v1/entitlements/active_entitlements";
  const retrieval = "GET /v1/entitlements/active_entitlements/:entitlement";
  const summary = "entitlements.active_entitlement_summary.updated";

  /** A customer who subscribes to a product with so many features. */
  async function entitled(app: App, features: number) {
    const { stripe } = app;
    const product = await stripe.products.create({ name: "Engine" });
    const attached: Stripe.ProductFeature[] = [];
    for (let number = 0; number < features; number++) {
      const made = { name: `Feature ${number}`, lookup_key: `feature-${number}` };
      const { id } = await stripe.entitlements.features.create(made);
      const entitlement_feature = { entitlement_feature: id };
      attached.push(await stripe.products.createFeature(product.id, entitlement_feature));
    }
    const price = await stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount: 2000,
      recurring: { interval: "month" },
    });
    const customer = await stripe.customers.create({
      payment_method: "pm_card_visa",
      invoice_settings: { default_payment_method: "pm_card_visa" },
    });
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
    });
    return { product, attached, customer, subscription };
  }

  const settle = (app: App) =>
    app.double.settle({ store: app.b.store, resources: config.resources });
  const rows = (app: App) => app.b.store.rows("active_entitlements", "", 500);

  it("are all there beyond the ten of the event, and go when a feature or the subscription does", async () => {
    const app = await open({ config, endpoint: true });
    const { product, attached, customer, subscription } = await entitled(app, 25);
    await settle(app);
    const [event] = (await app.stripe.events.list({ types: [summary] })).data;
    const shown = event?.data.object as Stripe.Entitlements.ActiveEntitlementSummary;
    expect([shown.entitlements.data.length, shown.entitlements.has_more]).toEqual([10, true]);
    const all = await rows(app);
    expect(all).toHaveLength(25);
    expect(new Set(all.map(({ customerId }) => customerId))).toEqual(new Set([customer.id]));
    await expectEqual(app, ["active_entitlements"]);

    await app.double.clock.advance({ days: 1 });
    for (const { id } of attached.slice(0, 3)) {
      await app.stripe.products.deleteFeature(product.id, id);
    }
    await app.stripe.subscriptions.update(subscription.id, { metadata: { changed: "yes" } });
    app.double.requests.clear();
    await settle(app);
    expect(await rows(app)).toHaveLength(22);
    // The list was read once, whole, and none of those that it lacks had to be asked for.
    expect([app.double.requests.count(list), app.double.requests.count(retrieval)]).toEqual([1, 0]);
    await expectEqual(app, ["active_entitlements"]);

    await app.double.clock.advance({ days: 1 });
    await app.stripe.subscriptions.cancel(subscription.id);
    await settle(app);
    expect(await rows(app)).toEqual([]);
  });

  it("that came and went within the same seconds are asked for", async () => {
    const app = await open({ config, endpoint: true });
    const { subscription } = await entitled(app, 3);
    await settle(app);
    expect(await rows(app)).toHaveLength(3);
    await app.stripe.subscriptions.cancel(subscription.id);
    app.double.requests.clear();
    await settle(app);
    expect(app.double.requests.count(retrieval)).toBe(3);
    expect(await rows(app)).toEqual([]);
  });

  it("are read a second time where the list may have lagged behind the event", async () => {
    const app = await open({ config, endpoint: true });
    await entitled(app, 1);
    await app.double.settle();
    const refreshes = async () =>
      (await app.core.store.records("refresh", "", 10)).filter(({ data }) => "relist" in data);
    expect(await refreshes()).toMatchObject([{ data: { relist: "active_entitlements" } }]);
    await refreshDue(app.core, 20, app.core.timing.refreshDelay);
    expect(await rows(app)).toHaveLength(1);
    const [again] = await refreshes();
    expect(again).toMatchObject({ data: { again: true } });
    expect((again?.due ?? 0) - app.core.now()).toBeGreaterThan(10_000);
    expect(await refreshDue(app.core)).toBe(0);
    await app.core.sleep(15_000);
    app.double.requests.clear();
    await refreshDue(app.core);
    expect(app.double.requests.count(list)).toBe(1);
    expect(await refreshes()).toEqual([]);
  });

  it("are read a second time where an older event came after the last one", async () => {
    const app = await open({ config });
    const { customer } = await entitled(app, 1);
    await app.b.sync();
    const [event] = (await app.stripe.events.list({ types: [summary] })).data;
    await app.double.clock.advance({ minutes: 8 });
    const old = { ...event, id: "evt_of_before" } as Stripe.Event;
    await ingest(app.core, old);
    await refreshDue(app.core, 20, app.core.timing.refreshDelay);
    expect(await app.core.store.records("refresh", "", 10)).toMatchObject([
      { id: `active_entitlements ${customer.id}`, data: { again: true } },
    ]);
  });

  it("go with their customer, and come back if they were removed from the table", async () => {
    const app = await open({ config, endpoint: true });
    const { customer } = await entitled(app, 12);
    await settle(app);
    await app.sql(
      `DELETE FROM ${app.schema}.backend_billing_active_entitlements WHERE stripe ->> 'lookup_key' = 'feature-7'`,
    );
    const before = await app.b.billing.verify();
    expect(before.resources.active_entitlements?.drift).toMatchObject({ missing: 1, ghost: 0 });
    await app.b.billing.reconcile();
    await expectEqual(app, ["active_entitlements"]);
    await app.double.clock.advance({ days: 1 });
    await app.stripe.customers.del(customer.id);
    await settle(app);
    expect(await rows(app)).toEqual([]);
  });

  it("are found by a catch-up whose webhooks were lost", async () => {
    const app = await open({ config });
    await app.b.sync();
    const { subscription } = await entitled(app, 11);
    await scheduled(app, "catch-up");
    expect(await rows(app)).toHaveLength(11);
    await app.double.clock.advance({ days: 1 });
    await app.stripe.subscriptions.cancel(subscription.id);
    await scheduled(app, "catch-up");
    expect(await rows(app)).toEqual([]);
  });
});

describe("features of products", () => {
  const config = { resources: ["products", "product_features"] } as const;
  const lists = "GET /v1/products/:product/features";

  it("are compared every night, by a request for each product, and removed when they are gone", async () => {
    const app = await open({ config });
    const { id: product } = await app.stripe.products.create({ name: "Engine" });
    await app.stripe.products.create({ name: "Abacus", active: false });
    const feature = async (name: string) =>
      app.stripe.products.createFeature(product, {
        entitlement_feature: (
          await app.stripe.entitlements.features.create({ name, lookup_key: name })
        ).id,
      });
    const [gone] = [await feature("steam"), await feature("brass")];
    await app.b.sync();
    await expectEqual(app, ["product_features"]);
    await app.double.clock.advance({ days: 1 });
    await app.stripe.products.deleteFeature(product, gone.id);
    await feature("coal");
    app.double.requests.clear();
    const night = await scheduled(app, "reconcile");
    expect(app.double.requests.count(lists)).toBe(2);
    expect(night?.resources.product_features?.drift).toMatchObject({ missing: 1, ghost: 1 });
    await expectEqual(app, ["product_features"]);
  });
});

describe("discounts of subscriptions", () => {
  const config = { resources: ["customers", "subscriptions", "discounts"] } as const;
  const retrieval = "GET /v1/subscriptions/:subscription";

  /** A subscription, and a hand that gives it these coupons in the place of what it has. */
  async function subscribed(app: App) {
    const { stripe } = app;
    const { id: price } = await stripe.prices.create({
      product_data: { name: "Engine" },
      currency: "usd",
      unit_amount: 2000,
      recurring: { interval: "month" },
    });
    const customer = await stripe.customers.create({
      payment_method: "pm_card_visa",
      invoice_settings: { default_payment_method: "pm_card_visa" },
    });
    const months = { duration: "repeating", duration_in_months: 1 } as const;
    await stripe.coupons.create({ id: "EVER", percent_off: 20, duration: "forever" });
    await stripe.coupons.create({ id: "MONTH", percent_off: 30, ...months });
    await stripe.coupons.create({ id: "ONE", percent_off: 10, duration: "once" });
    const of = (coupons: readonly string[]) => coupons.map((coupon) => ({ coupon }));
    const subscribe = (...coupons: string[]) =>
      stripe.subscriptions.create({
        customer: customer.id,
        items: [{ price }],
        discounts: of(coupons),
      });
    const give = (id: string, ...coupons: string[]) =>
      stripe.subscriptions.update(id, { discounts: coupons.length === 0 ? "" : of(coupons) });
    return { customer, subscribe, give };
  }

  const settle = (app: App) =>
    app.double.settle({ store: app.b.store, resources: config.resources });
  const coupons = async (app: App) =>
    (await app.b.store.rows("discounts", "", 100)).map(({ stripe }) => stripe.source.coupon);
  /** The subscription's own row is as Stripe shows it unasked, with ids. */
  const expectBoth = (app: App) => expectEqual(app, ["subscriptions", "discounts"]);

  it("are given, replaced and taken away, and the rows of their subscriptions keep the ids", async () => {
    const app = await open({ config, endpoint: true });
    const { customer, subscribe, give } = await subscribed(app);
    const { id } = await subscribe("EVER");
    await settle(app);
    const [row] = await app.b.store.rows("discounts", "", 100);
    expect(row).toMatchObject({
      subscriptionId: id,
      customerId: customer.id,
      stripe: { object: "discount", source: { coupon: "EVER" }, subscription: id },
    });
    expect(row?.stripe).not.toHaveProperty("lastResponse");
    expect(await app.b.store.row("subscriptions", id)).toMatchObject({
      stripe: { discounts: [row?.discountId] },
    });
    await expectBoth(app);

    await app.double.clock.advance({ days: 1 });
    await give(id, "MONTH"); // the event names the new one only
    app.double.requests.clear();
    await settle(app);
    expect(await coupons(app)).toEqual(["MONTH"]);
    expect(app.double.requests.count(retrieval)).toBe(1);
    await expectBoth(app);

    await app.double.clock.advance({ days: 1 });
    await give(id);
    await settle(app);
    expect(await coupons(app)).toEqual([]);
    await expectBoth(app);
  });

  it("that came and went within the same seconds are asked for", async () => {
    const app = await open({ config, endpoint: true });
    const { subscribe, give } = await subscribed(app);
    const { id } = await subscribe("ONE"); // which the first invoice uses up
    await settle(app);
    expect(await coupons(app)).toEqual([]);
    await give(id, "EVER", "MONTH");
    await settle(app);
    await give(id, "EVER");
    await settle(app);
    expect(await coupons(app)).toEqual(["EVER"]);
    await expectBoth(app);
  });

  it("end with their months, and are as Stripe has them when their subscription ends", async () => {
    const app = await open({ config, endpoint: true });
    const { subscribe } = await subscribed(app);
    const { id } = await subscribe("MONTH", "EVER");
    await settle(app);
    expect(await coupons(app)).toHaveLength(2);
    await app.double.clock.advance({ days: 33 });
    await settle(app);
    expect(await coupons(app)).toEqual(["EVER"]);
    await app.double.clock.advance({ days: 1 });
    await settle(app);
    app.double.requests.clear();
    await app.stripe.subscriptions.cancel(id);
    await settle(app);
    // No event tells of its discounts then: they are read again.
    expect(app.double.requests.count(retrieval)).toBe(1);
    await expectBoth(app);
  });

  it("of a customer, which are inside the customer, have no row", async () => {
    const app = await open({ config, endpoint: true });
    const { customer, subscribe } = await subscribed(app);
    await subscribe();
    await settle(app);
    const { double, stripe } = app;
    await double.clock.advance({ days: 1 });
    await fetch(`${double.url}/v1/customers/${customer.id}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${double.secretKey}`,
        "Stripe-Version": "2024-06-20",
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body: "coupon=EVER",
    });
    expect((await stripe.events.list({ types: ["customer.discount.created"] })).data).toHaveLength(
      1,
    );
    app.double.requests.clear();
    await settle(app);
    expect(await coupons(app)).toEqual([]);
    expect(app.double.requests.count(retrieval)).toBe(0);
  });

  it("are listed by a request for each subscription, compared when that is asked for, and repaired", async () => {
    const app = await open({ config });
    const { subscribe, give } = await subscribed(app);
    const [first] = [await subscribe("EVER"), await subscribe(), await subscribe("MONTH")];
    await app.double.clock.advance({ days: 1 });
    app.double.requests.clear();
    await app.b.sync();
    expect(app.double.requests.count(retrieval)).toBe(3);
    await expectBoth(app);
    app.double.requests.clear();
    await scheduled(app, "reconcile");
    expect(app.double.requests.count(retrieval)).toBe(0);

    await app.sql(`DELETE FROM ${app.schema}.backend_billing_discounts`);
    const found = await app.b.billing.verify();
    expect(found.resources.discounts?.drift).toMatchObject({ missing: 2, ghost: 0 });
    await app.b.billing.reconcile();
    await expectBoth(app);
    await app.double.clock.advance({ days: 1 });
    await give(first.id, "MONTH"); // its webhook is lost
    await scheduled(app, "catch-up");
    expect(await coupons(app)).toEqual(["MONTH", "MONTH"]);
    await expectBoth(app);
  });
});

describe("transactions of billing credits", () => {
  const config = { resources: ["customers", "credit_balance_transactions"] } as const;

  it("are told of by events, which do not name the customer", async () => {
    const app = await open({ config, endpoint: true });
    const { id: customer } = await app.stripe.customers.create({ name: "Ada" });
    const grant = await app.stripe.billing.creditGrants.create({
      customer,
      name: "Welcome",
      category: "promotional",
      amount: { type: "monetary", monetary: { currency: "usd", value: 500 } },
      applicability_config: { scope: { price_type: "metered" } },
    });
    await app.stripe.billing.creditGrants.voidGrant(grant.id);
    await app.double.settle({ store: app.b.store, resources: config.resources });
    const rows = await app.b.store.rows("credit_balance_transactions", "", 10);
    expect(rows.map(({ customerId }) => customerId)).toEqual([customer, customer]);
    await expectEqual(app, ["credit_balance_transactions"]);
    app.double.requests.clear();
    await scheduled(app, "reconcile");
    expect(app.double.requests.count("GET /v1/billing/credit_balance_transactions")).toBe(1);
    app.double.requests.clear();
    await scheduled(app, "reconcile"); // by now they were listed to their end
    expect(app.double.requests.count("GET /v1/billing/credit_balance_transactions")).toBe(0);
  });
});
