// The resource table against the specification, rule by rule.
import { describe, expect, it } from "vitest";
import { effectsByEvent, enabledEvents, resourceNames, resources } from "../../../src/index.js";

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

describe("the resource table", () => {
  it("has the specification's eight resources and no other", () => {
    expect([...resourceNames].sort()).toEqual(TABLES.map(([name]) => name).sort());
  });
  it.each(TABLES)("%s has its table, its id and its indexes", (name, table, idField, indexes) => {
    const entry = resources[name];
    expect(entry.table).toBe(table);
    expect(entry.idField).toBe(idField);
    expect(Object.keys(entry.indexes)).toEqual(expect.arrayContaining([...indexes]));
    // Its own id is indexed too, under the specification's name or in its manner.
    expect(Object.values<string>(entry.indexes)).toContain(idField);
  });
  it("maps every event of the specification to its table, and customer.updated besides", () => {
    const effects = effectsByEvent();
    const expected = Object.entries(EVENTS).flatMap(([resource, kinds]) =>
      Object.entries<string>(kinds).flatMap(([kind, types]) =>
        types.split(" ").map((type) => [type, { kind, resource }] as const),
      ),
    );
    for (const [type, effect] of expected) {
      expect(effects.get(type as never), type).toEqual([effect]);
    }
    expect(enabledEvents()).toEqual(expected.map(([type]) => type).sort());
    expect(enabledEvents()).toHaveLength(41);
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
