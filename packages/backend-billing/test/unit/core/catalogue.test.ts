// The resource table against the specification, rule by rule.
import { describe, expect, it } from "vitest";
import { columnsOf, listsPerOwner } from "../../../src/core/catalogue/catalogue.js";
import type { Entry } from "../../../src/core/catalogue/resource.js";
import {
  defaultResources,
  effectsByEvent,
  enabledEvents,
  resourceNames,
  resources,
} from "../../../src/index.js";

const TABLES = [
  ["products", "backend_billing_products", "productId", ["byActive", "byName"]],
  [
    "prices",
    "backend_billing_prices",
    "priceId",
    ["byProductId", "byActive", "byRecurringInterval", "byCurrency"],
  ],
  ["customers", "backend_billing_customers", "customerId", ["byEntityId", "byCustomerId"]],
  [
    "subscriptions",
    "backend_billing_subscriptions",
    "subscriptionId",
    ["bySubscriptionId", "byCustomerId"],
  ],
  ["coupons", "backend_billing_coupons", "couponId", ["byCouponId"]],
  ["promotion_codes", "backend_billing_promotion_codes", "promotionCodeId", ["byPromotionCodeId"]],
  ["payouts", "backend_billing_payouts", "payoutId", ["byPayoutId"]],
  ["refunds", "backend_billing_refunds", "refundId", ["byRefundId"]],
] as const;

const SPECIFIED = TABLES.map(([name]) => name);

const EVENTS = {
  subscriptions: {
    upsert:
      "customer.subscription.created customer.subscription.updated customer.subscription.deleted customer.subscription.paused customer.subscription.resumed customer.subscription.pending_update_applied customer.subscription.pending_update_expired customer.subscription.trial_will_end",
    refresh:
      "checkout.session.completed invoice.paid invoice.payment_failed invoice.payment_action_required invoice.upcoming invoice.marked_uncollectible invoice.payment_succeeded payment_intent.succeeded payment_intent.payment_failed payment_intent.canceled",
  },
  customers: { upsert: "customer.created customer.updated", delete: "customer.deleted" },
  products: { upsert: "product.created product.updated", delete: "product.deleted" },
  prices: { upsert: "price.created price.updated", delete: "price.deleted" },
  coupons: { upsert: "coupon.created coupon.updated", delete: "coupon.deleted" },
  promotion_codes: { upsert: "promotion_code.created promotion_code.updated" },
  payouts: {
    upsert:
      "payout.canceled payout.created payout.failed payout.paid payout.updated payout.reconciliation_completed",
  },
  refunds: { upsert: "refund.created refund.updated refund.failed" },
} as const;

const effectsOf = (events: { readonly [resource: string]: { readonly [kind: string]: string } }) =>
  Object.entries(events).flatMap(([resource, kinds]) =>
    Object.entries(kinds).flatMap(([kind, types]) =>
      types.split(" ").map((type) => ({ type, effect: { kind, resource } })),
    ),
  );

describe("the resource table", () => {
  it("mirrors the specification's eight resources by default, and what a billing page shows", () => {
    const besides = "checkout_sessions invoices subscription_schedules payment_intents charges";
    expect(defaultResources).toEqual([
      ...SPECIFIED,
      ...besides.split(" "),
      "payment_methods",
      "disputes",
    ]);
    expect(resourceNames).toEqual(expect.arrayContaining([...defaultResources]));
  });
  it.each(TABLES)("%s has its table, its id and its indexes", (name, table, idField, indexes) => {
    const entry = resources[name];
    expect(entry.table).toBe(table);
    expect(entry.idField).toBe(idField);
    expect(Object.keys(entry.indexes)).toEqual(expect.arrayContaining([...indexes]));
  });
  it.each(resourceNames)("%s is found by its own id, in a table of its own name", (name) => {
    const { table, idField, indexes } = resources[name];
    expect(table).toBe(`backend_billing_${name}`);
    const index = `by${idField.charAt(0).toUpperCase()}${idField.slice(1)}`;
    expect(indexes).toMatchObject({ [index]: idField });
  });
  it.each(resourceNames)(
    "%s names its owner in a column, where Stripe lists it by owner",
    (name) => {
      const per = listsPerOwner(name);
      const columns = columnsOf(name);
      const owner = columns.find(({ field }) => per && field === resources[per.owner].idField);
      if (per !== undefined) expect(owner).toBeDefined();
      const unnamed = columns.find(({ from }) => from === "owner");
      if (unnamed !== undefined) expect(unnamed).toBe(owner);
    },
  );
  it.each(resourceNames)(
    "%s is listed and retrieved by a part of the client, or says how",
    (name) => {
      const entry: Partial<Entry> = resources[name] as never;
      const lists = (entry.lists ?? []).length + (entry.listsPer === undefined ? 0 : 1);
      expect(lists).toBeGreaterThan(0);
      if (entry.api !== undefined) return;
      // It throws at once where it asks for that part of the client.
      const subscription = { discounts: [{ id: "id" }], lastResponse: {} };
      const stripe = {
        products: { retrieveFeature: async () => ({}) },
        subscriptions: { retrieve: async () => subscription },
      };
      expect(() => entry.retrieve?.(stripe as never, "id", {}, "owner")).not.toThrow(RangeError);
      expect(entry.lists).toEqual([]);
    },
  );
  it("maps every event of the specification to its table, and customer.updated", () => {
    const expected = effectsOf(EVENTS);
    const types = [...new Set(expected.map(({ type }) => type))];
    const effects = effectsByEvent(SPECIFIED);
    for (const type of types) {
      const wanted = expected.filter((each) => each.type === type).map(({ effect }) => effect);
      expect(effects.get(type as never), type).toEqual(wanted);
    }
    expect(enabledEvents(SPECIFIED)).toEqual(types.sort());
    expect(enabledEvents()).toEqual(expect.arrayContaining(types));
    // Stripe lists events by at most twenty types at once: these are five requests.
    expect(enabledEvents()).toHaveLength(81);
  });
  it("keeps an invoice from a payment's event, and refreshes the subscription of it", () => {
    expect(effectsByEvent().get("invoice.paid")).toEqual([
      { kind: "refresh", resource: "subscriptions" },
      { kind: "upsert", resource: "invoices" },
    ]);
    expect(effectsByEvent().get("invoice.upcoming")).toEqual([
      { kind: "refresh", resource: "subscriptions" },
    ]);
  });
  it("leaves out what was not chosen", () => {
    expect(enabledEvents(["products"])).toEqual([
      "product.created",
      "product.deleted",
      "product.updated",
    ]);
    expect(effectsByEvent(["products"]).get("price.created")).toBeUndefined();
  });
});
