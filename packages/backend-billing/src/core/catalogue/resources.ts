/**
 * The table of mirrored resources. Everything that depends on what is mirrored is derived from it:
 * tables, indexes, webhook dispatch, the endpoint's events, backfill, row types. Adding a resource
 * is one entry here and nothing else.
 */
import type Stripe from "stripe";
import { type Listing, resource } from "./resource.js";

/** The rest of a subscription's items, where Stripe cut the list inside the object. */
const itemsOf =
  (subscription: string): Listing<Stripe.SubscriptionItem> =>
  (stripe, page, options) =>
    stripe.subscriptionItems.list({ ...page, subscription }, options);

/** The rest of an invoice's lines, likewise. */
const linesOf =
  (invoice: string): Listing<Stripe.InvoiceLineItem> =>
  (stripe, { limit, starting_after, ending_before }, options) =>
    stripe.invoices.listLineItems(
      invoice,
      {
        ...(limit === undefined ? {} : { limit }),
        ...(starting_after === undefined ? {} : { starting_after }),
        ...(ending_before === undefined ? {} : { ending_before }),
      },
      options,
    );

/**
 * The resources of the specification, and behind them those that its calls need to be safe: who is
 * subscribed, what is owed, what is about to change. Keyed by the last part of their table's name.
 */
export const resources = {
  products: resource<Stripe.Product>()({
    table: "backend_billing_products",
    object: "product",
    idField: "productId",
    columns: {},
    indexes: { byProductId: "productId", byActive: "stripe.active", byName: "stripe.name" },
    longTexts: ["stripe.name"], // 5,000 characters, and a buyer's title may become a product's name
    lists: [
      (stripe, page, options) => stripe.products.list({ ...page, active: true }, options),
      (stripe, page, options) => stripe.products.list({ ...page, active: false }, options),
    ],
    listsByCreated: true,
    retrieve: (stripe, id, options) => stripe.products.retrieve(id, {}, options),
    upsertedBy: ["product.created", "product.updated"],
    deletedBy: ["product.deleted"],
    idsReturn: true,
  }),

  prices: resource<Stripe.Price>()({
    table: "backend_billing_prices",
    object: "price",
    idField: "priceId",
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
    listsByCreated: true,
    retrieve: (stripe, id, options) => stripe.prices.retrieve(id, {}, options),
    upsertedBy: ["price.created", "price.updated"],
    deletedBy: ["price.deleted"],
    idsReturn: true, // a price made from a plan has the plan's id, which its maker chose
  }),

  customers: resource<Stripe.Customer>()({
    table: "backend_billing_customers",
    object: "customer",
    idField: "customerId",
    columns: { entityId: { from: "link", nullable: true } },
    indexes: { byEntityId: "entityId", byCustomerId: "customerId" },
    lists: [(stripe, page, options) => stripe.customers.list(page, options)],
    listsByCreated: true,
    retrieve: (stripe, id, options) => stripe.customers.retrieve(id, {}, options),
    upsertedBy: ["customer.created", "customer.updated"],
    deletedBy: ["customer.deleted"],
  }),

  subscriptions: resource<Stripe.Subscription>()({
    table: "backend_billing_subscriptions",
    object: "subscription",
    idField: "subscriptionId",
    columns: { customerId: { from: "customer" } },
    indexes: {
      bySubscriptionId: "subscriptionId",
      byCustomerId: "customerId",
      byStatus: "stripe.status",
    },
    lists: [
      (stripe, page, options) => stripe.subscriptions.list({ ...page, status: "all" }, options),
    ],
    listsByCreated: true,
    retrieve: (stripe, id, options) => stripe.subscriptions.retrieve(id, {}, options),
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
    deletedBy: [],
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
    columns: {},
    indexes: { byCouponId: "couponId" },
    lists: [(stripe, page, options) => stripe.coupons.list(page, options)],
    listsByCreated: true,
    retrieve: (stripe, id, options) => stripe.coupons.retrieve(id, {}, options),
    upsertedBy: ["coupon.created", "coupon.updated"],
    deletedBy: ["coupon.deleted"],
    idsReturn: true,
  }),

  promotion_codes: resource<Stripe.PromotionCode>()({
    table: "backend_billing_promotion_codes",
    object: "promotion_code",
    idField: "promotionCodeId",
    columns: {},
    indexes: { byPromotionCodeId: "promotionCodeId" },
    lists: [(stripe, page, options) => stripe.promotionCodes.list(page, options)],
    listsByCreated: true,
    retrieve: (stripe, id, options) => stripe.promotionCodes.retrieve(id, {}, options),
    upsertedBy: ["promotion_code.created", "promotion_code.updated"],
    deletedBy: [], // Stripe has no event for it: a promotion code is deactivated, never deleted
  }),

  payouts: resource<Stripe.Payout>()({
    table: "backend_billing_payouts",
    object: "payout",
    idField: "payoutId",
    columns: {},
    indexes: { byPayoutId: "payoutId" },
    lists: [(stripe, page, options) => stripe.payouts.list(page, options)],
    listsByCreated: true,
    retrieve: (stripe, id, options) => stripe.payouts.retrieve(id, {}, options),
    upsertedBy: [
      "payout.canceled",
      "payout.created",
      "payout.failed",
      "payout.paid",
      "payout.updated",
      "payout.reconciliation_completed",
    ],
    deletedBy: [],
  }),

  refunds: resource<Stripe.Refund>()({
    table: "backend_billing_refunds",
    object: "refund",
    idField: "refundId",
    columns: {},
    indexes: { byRefundId: "refundId" },
    lists: [(stripe, page, options) => stripe.refunds.list(page, options)],
    listsByCreated: true,
    retrieve: (stripe, id, options) => stripe.refunds.retrieve(id, {}, options),
    upsertedBy: ["refund.created", "refund.updated", "refund.failed"],
    deletedBy: [],
  }),

  checkout_sessions: resource<Stripe.Checkout.Session>()({
    table: "backend_billing_checkout_sessions",
    object: "checkout.session",
    idField: "checkoutSessionId",
    columns: { customerId: { from: "customer", nullable: true } },
    indexes: {
      byCheckoutSessionId: "checkoutSessionId",
      byCustomerId: "customerId",
      byStatus: "stripe.status",
    },
    lists: [(stripe, page, options) => stripe.checkout.sessions.list(page, options)],
    listsByCreated: true,
    retrieve: (stripe, id, options) => stripe.checkout.sessions.retrieve(id, {}, options),
    // Stripe has no event for a session that was made or changed: those of the library's own links
    // are stored as Stripe answers them, others when they end or are listed.
    upsertedBy: [
      "checkout.session.completed",
      "checkout.session.expired",
      "checkout.session.async_payment_succeeded",
      "checkout.session.async_payment_failed",
    ],
    deletedBy: [],
  }),

  invoices: resource<Stripe.Invoice>()({
    table: "backend_billing_invoices",
    object: "invoice",
    idField: "invoiceId",
    columns: { customerId: { from: "customer", nullable: true } },
    indexes: {
      byInvoiceId: "invoiceId",
      byCustomerId: "customerId",
      bySubscriptionId: "stripe.parent.subscription_details.subscription",
      byStatus: "stripe.status",
    },
    lists: [(stripe, page, options) => stripe.invoices.list(page, options)],
    listsByCreated: true,
    retrieve: (stripe, id, options) => stripe.invoices.retrieve(id, {}, options),
    // Not `invoice.upcoming`: that invoice does not exist yet and has no id. Nor `will_be_due` and
    // `overdue`, which remind of a date and change nothing.
    upsertedBy: [
      "invoice.created",
      "invoice.updated",
      "invoice.finalized",
      "invoice.finalization_failed",
      "invoice.sent",
      "invoice.paid",
      "invoice.payment_succeeded",
      "invoice.payment_failed",
      "invoice.payment_action_required",
      "invoice.payment_attempt_required",
      "invoice.overpaid",
      "invoice.marked_uncollectible",
      "invoice.voided",
    ],
    deletedBy: ["invoice.deleted"], // drafts alone can be deleted
    cutLists: [{ path: "lines", rest: linesOf }],
  }),

  subscription_schedules: resource<Stripe.SubscriptionSchedule>()({
    table: "backend_billing_subscription_schedules",
    object: "subscription_schedule",
    idField: "subscriptionScheduleId",
    columns: { customerId: { from: "customer" } },
    indexes: {
      bySubscriptionScheduleId: "subscriptionScheduleId",
      byCustomerId: "customerId",
      bySubscriptionId: "stripe.subscription",
    },
    lists: [(stripe, page, options) => stripe.subscriptionSchedules.list(page, options)],
    listsByCreated: true,
    retrieve: (stripe, id, options) => stripe.subscriptionSchedules.retrieve(id, {}, options),
    upsertedBy: [
      "subscription_schedule.created",
      "subscription_schedule.updated",
      "subscription_schedule.canceled",
      "subscription_schedule.completed",
      "subscription_schedule.released",
      "subscription_schedule.aborted",
      "subscription_schedule.expiring",
    ],
    deletedBy: [],
  }),
} as const;
