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

/** What the specification does not name, and its calls need to be safe. */
const BESIDES = [
  [
    "checkout_sessions",
    "backend_billing_checkout_sessions",
    "checkoutSessionId",
    ["byCustomerId", "byStatus"],
  ],
  [
    "invoices",
    "backend_billing_invoices",
    "invoiceId",
    ["byCustomerId", "bySubscriptionId", "byStatus"],
  ],
  [
    "subscription_schedules",
    "backend_billing_subscription_schedules",
    "subscriptionScheduleId",
    ["byCustomerId", "bySubscriptionId"],
  ],
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

const EVENTS_BESIDES = {
  checkout_sessions: {
    upsert:
      "checkout.session.completed checkout.session.expired checkout.session.async_payment_succeeded checkout.session.async_payment_failed",
  },
  invoices: {
    upsert:
      "invoice.created invoice.updated invoice.finalized invoice.finalization_failed invoice.sent invoice.paid invoice.payment_succeeded invoice.payment_failed invoice.payment_action_required invoice.payment_attempt_required invoice.overpaid invoice.marked_uncollectible invoice.voided",
    delete: "invoice.deleted",
  },
  subscription_schedules: {
    upsert:
      "subscription_schedule.created subscription_schedule.updated subscription_schedule.canceled subscription_schedule.completed subscription_schedule.released subscription_schedule.aborted subscription_schedule.expiring",
  },
} as const;

const effectsOf = (events: { readonly [resource: string]: { readonly [kind: string]: string } }) =>
  Object.entries(events).flatMap(([resource, kinds]) =>
    Object.entries(kinds).flatMap(([kind, types]) =>
      types.split(" ").map((type) => ({ type, effect: { kind, resource } })),
    ),
  );

describe("the resource table", () => {
  it("has the specification's eight resources, and three besides", () => {
    const names = [...TABLES, ...BESIDES].map(([name]) => name);
    expect(resourceNames).toEqual(expect.arrayContaining(names));
    expect(resourceNames).toHaveLength(8 + 3);
  });
  it.each([...TABLES, ...BESIDES])(
    "%s has its table, its id and its indexes",
    (name, table, idField, indexes) => {
      const entry = resources[name];
      expect(entry.table).toBe(table);
      expect(entry.idField).toBe(idField);
      expect(Object.keys(entry.indexes)).toEqual(expect.arrayContaining([...indexes]));
      // Its own id is indexed too, under the specification's name or in its manner.
      expect(Object.values<string>(entry.indexes)).toContain(idField);
    },
  );
  it("maps every event of the specification to its table, customer.updated, and those of the three", () => {
    const expected = [...effectsOf(EVENTS), ...effectsOf(EVENTS_BESIDES)];
    const types = [...new Set(expected.map(({ type }) => type))];
    const effects = effectsByEvent();
    for (const type of types) {
      const wanted = expected.filter((each) => each.type === type).map(({ effect }) => effect);
      expect(effects.get(type as never), type).toEqual(wanted);
    }
    expect(enabledEvents()).toEqual(types.sort());
    // Stripe lists events by at most twenty types at once: these are three requests.
    expect(enabledEvents()).toHaveLength(60);
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
