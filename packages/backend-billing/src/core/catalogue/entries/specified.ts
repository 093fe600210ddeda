/** The resources that the specification names. */
import type Stripe from "stripe";
import { type Listing, resource } from "../resource.js";

/** The rest of a subscription's items, where Stripe cut the list inside the object. */
const itemsOf =
  (subscription: string): Listing<Stripe.SubscriptionItem> =>
  (stripe, page, options) =>
    stripe.subscriptionItems.list({ ...page, subscription }, options);

export const specified = {
  products: resource<Stripe.Product>()({
    table: "backend_billing_products",
    object: "product",
    idField: "productId",
    api: (stripe) => stripe.products,
    columns: {},
    indexes: { byProductId: "productId", byActive: "stripe.active", byName: "stripe.name" },
    longTexts: ["stripe.name"], // 5,000 characters, and a buyer's title may become a product's name
    lists: [
      (stripe, page, options) => stripe.products.list({ ...page, active: true }, options),
      (stripe, page, options) => stripe.products.list({ ...page, active: false }, options),
    ],
    upsertedBy: ["product.created", "product.updated"],
    deletedBy: ["product.deleted"],
    idsReturn: true,
  }),

  prices: resource<Stripe.Price>()({
    table: "backend_billing_prices",
    object: "price",
    idField: "priceId",
    api: (stripe) => stripe.prices,
    columns: {},
    indexes: {
      byPriceId: "priceId",
      byProductId: "stripe.product",
      byActive: "stripe.active",
      byRecurringInterval: "stripe.recurring.interval",
      byCurrency: "stripe.currency",
      byLookupKey: "stripe.lookup_key",
    },
    lists: [
      (stripe, page, options) => stripe.prices.list({ ...page, active: true }, options),
      (stripe, page, options) => stripe.prices.list({ ...page, active: false }, options),
    ],
    upsertedBy: ["price.created", "price.updated"],
    deletedBy: ["price.deleted"],
    idsReturn: true, // a price made from a plan has the plan's id, which its maker chose
  }),

  customers: resource<Stripe.Customer>()({
    table: "backend_billing_customers",
    object: "customer",
    idField: "customerId",
    api: (stripe) => stripe.customers,
    columns: { entityId: { from: "link", nullable: true } },
    indexes: { byEntityId: "entityId", byCustomerId: "customerId" },
    hides: "those on a test clock; events bring them",
    upsertedBy: ["customer.created", "customer.updated"],
    deletedBy: ["customer.deleted"],
  }),

  subscriptions: resource<Stripe.Subscription>()({
    table: "backend_billing_subscriptions",
    object: "subscription",
    idField: "subscriptionId",
    api: (stripe) => stripe.subscriptions,
    columns: { customerId: { from: "customer" } },
    indexes: {
      bySubscriptionId: "subscriptionId",
      byCustomerId: "customerId",
      byStatus: "stripe.status",
    },
    lists: [
      (stripe, page, options) => stripe.subscriptions.list({ ...page, status: "all" }, options),
    ],
    hides: "those of customers on a test clock; events bring them",
    upsertedBy: [
      "customer.subscription.created",
      "customer.subscription.updated",
      "customer.subscription.deleted", // the subscription stays retrievable, with status canceled
      "customer.subscription.paused",
      "customer.subscription.resumed",
      "customer.subscription.pending_update_applied",
      "customer.subscription.pending_update_expired",
      "customer.subscription.trial_will_end",
    ],
    refreshedBy: [
      "checkout.session.completed",
      "invoice.paid",
      "invoice.payment_failed",
      "invoice.payment_action_required",
      "invoice.upcoming",
      "invoice.marked_uncollectible",
      "invoice.payment_succeeded",
      "payment_intent.succeeded",
      "payment_intent.payment_failed",
      "payment_intent.canceled",
    ],
    cutLists: [{ path: "items", rest: itemsOf }],
    emptyRowPer: "customers",
    // A price made inside a subscription is in no list. This tells it from one still to be listed.
    listedAfter: "prices",
  }),

  coupons: resource<Stripe.Coupon>()({
    table: "backend_billing_coupons",
    object: "coupon",
    idField: "couponId",
    api: (stripe) => stripe.coupons,
    columns: {},
    indexes: { byCouponId: "couponId" },
    upsertedBy: ["coupon.created", "coupon.updated"],
    deletedBy: ["coupon.deleted"],
    idsReturn: true,
  }),

  promotion_codes: resource<Stripe.PromotionCode>()({
    table: "backend_billing_promotion_codes",
    object: "promotion_code",
    idField: "promotionCodeId",
    api: (stripe) => stripe.promotionCodes,
    columns: {},
    indexes: { byPromotionCodeId: "promotionCodeId" },
    upsertedBy: ["promotion_code.created", "promotion_code.updated"],
    deletedBy: [], // Stripe has no event for it: a promotion code is deactivated, never deleted
  }),

  payouts: resource<Stripe.Payout>()({
    table: "backend_billing_payouts",
    object: "payout",
    idField: "payoutId",
    api: (stripe) => stripe.payouts,
    columns: {},
    indexes: { byPayoutId: "payoutId" },
    upsertedBy: [
      "payout.canceled",
      "payout.created",
      "payout.failed",
      "payout.paid",
      "payout.updated",
      "payout.reconciliation_completed",
    ],
  }),

  refunds: resource<Stripe.Refund>()({
    table: "backend_billing_refunds",
    object: "refund",
    idField: "refundId",
    api: (stripe) => stripe.refunds,
    columns: {},
    indexes: { byRefundId: "refundId", byChargeId: "stripe.charge" },
    upsertedBy: ["refund.created", "refund.updated", "refund.failed"],
  }),
} as const;
