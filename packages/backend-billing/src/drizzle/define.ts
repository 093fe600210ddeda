// Generated from src/postgres/schema/tables.ts by `npm run generate`. Do not edit.

import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  jsonb,
  type PgTableFn,
  pgPolicy,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type {
  StripeAccount,
  StripeBalanceTransaction,
  StripeBillingCreditBalanceTransaction,
  StripeBillingCreditGrant,
  StripeBillingMeter,
  StripeBillingPortalConfiguration,
  StripeCharge,
  StripeCheckoutSession,
  StripeCoupon,
  StripeCreditNote,
  StripeCustomer,
  StripeDiscount,
  StripeDispute,
  StripeEntitlementsActiveEntitlement,
  StripeEntitlementsFeature,
  StripeInvoice,
  StripeInvoiceitem,
  StripeInvoicePayment,
  StripePaymentIntent,
  StripePaymentLink,
  StripePaymentMethod,
  StripePayout,
  StripePlan,
  StripePrice,
  StripeProduct,
  StripeProductFeature,
  StripePromotionCode,
  StripeQuote,
  StripeRadarEarlyFraudWarning,
  StripeRefund,
  StripeReview,
  StripeSetupIntent,
  StripeSubscription,
  StripeSubscriptionSchedule,
  StripeTaxId,
  StripeTaxRate,
  StripeTransfer,
} from "./objects.js";

/** The policy that shows the roles every row. Without one, only the owner of the tables sees any. */
const openTo = (roles: readonly string[]) =>
  roles.length === 0
    ? []
    : [
        pgPolicy("backend_billing_roles", {
          for: "all",
          to: [...roles],
          using: sql`true`,
          withCheck: sql`true`,
        }),
      ];

/** All tables, made by `pgTable` or by the `table` of a `pgSchema`. */
export const defineTables = <S extends string | undefined>(
  table: PgTableFn<S>,
  roles: readonly string[] = [],
) => ({
  billingVersions: table(
    "backend_billing_versions",
    {
      resource: text("resource").notNull(),
      id: text("id").notNull(),
      revision: bigint("revision", { mode: "number" }).notNull(),
      state: text("state").notNull(),
      lo: bigint("lo", { mode: "number" }).notNull(),
      hi: bigint("hi", { mode: "number" }).notNull(),
      first: boolean("first").notNull(),
      askAt: bigint("ask_at", { mode: "number" }),
    },
    (t) => [
      primaryKey({ name: "backend_billing_versions_pkey", columns: [t.resource, t.id] }),
      index("backend_billing_versions_byAskAt").on(t.askAt).where(sql`(ask_at IS NOT NULL)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingReceipts: table(
    "backend_billing_receipts",
    {
      eventId: text("event_id").primaryKey().notNull(),
      type: text("type").notNull(),
      created: bigint("created", { mode: "number" }).notNull(),
      objectId: text("object_id"),
      receivedAt: bigint("received_at", { mode: "number" }).notNull(),
    },
    (t) => [index("backend_billing_receipts_byReceivedAt").on(t.receivedAt), ...openTo(roles)],
  ).enableRLS(),

  billingRecords: table(
    "backend_billing_records",
    {
      kind: text("kind").notNull(),
      id: text("id").notNull(),
      revision: bigint("revision", { mode: "number" }).notNull(),
      ref: text("ref"),
      due: bigint("due", { mode: "number" }),
      data: jsonb("data").notNull(),
    },
    (t) => [
      primaryKey({ name: "backend_billing_records_pkey", columns: [t.kind, t.id] }),
      index("backend_billing_records_byDue").on(t.kind, t.due).where(sql`(due IS NOT NULL)`),
      index("backend_billing_records_byRef").on(t.kind, t.ref, t.id).where(sql`(ref IS NOT NULL)`),
      uniqueIndex("backend_billing_records_oneClaimPerCustomer")
        .on(t.ref)
        .where(sql`((kind = 'claim'::text) AND (ref IS NOT NULL))`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingUsageBalances: table(
    "backend_billing_usage_balances",
    {
      entityId: text("entity_id").notNull(),
      feature: text("feature").notNull(),
      granted: bigint("granted", { mode: "number" }).notNull(),
      used: bigint("used", { mode: "number" }).notNull(),
      held: bigint("held", { mode: "number" }).notNull(),
      overUsed: bigint("over_used", { mode: "number" }).notNull(),
      overHeld: bigint("over_held", { mode: "number" }).notNull(),
      overMost: bigint("over_most", { mode: "number" }).notNull(),
      overFor: text("over_for").notNull(),
      billed: boolean("billed").notNull(),
      validUntil: bigint("valid_until", { mode: "number" }).notNull(),
      basis: text("basis").notNull(),
    },
    (t) => [
      primaryKey({ name: "backend_billing_usage_balances_pkey", columns: [t.entityId, t.feature] }),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingUsageGrants: table(
    "backend_billing_usage_grants",
    {
      entityId: text("entity_id").notNull(),
      feature: text("feature").notNull(),
      key: text("key").notNull(),
      source: text("source").notNull(),
      original: bigint("original", { mode: "number" }).notNull(),
      amount: bigint("amount", { mode: "number" }).notNull(),
      used: bigint("used", { mode: "number" }).notNull(),
      held: bigint("held", { mode: "number" }).notNull(),
      createdAt: bigint("created_at", { mode: "number" }).notNull(),
      expiresAt: bigint("expires_at", { mode: "number" }),
      live: boolean("live").notNull(),
      closed: boolean("closed").notNull(),
    },
    (t) => [
      primaryKey({
        name: "backend_billing_usage_grants_pkey",
        columns: [t.entityId, t.feature, t.key],
      }),
      index("backend_billing_usage_grants_open").on(t.entityId, t.feature).where(sql`(NOT closed)`),
      index("backend_billing_usage_grants_ended")
        .on(t.expiresAt)
        .where(sql`(closed AND (source = 'plan'::text))`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingUsageHolds: table(
    "backend_billing_usage_holds",
    {
      entityId: text("entity_id").notNull(),
      feature: text("feature").notNull(),
      key: text("key").notNull(),
      amount: bigint("amount", { mode: "number" }).notNull(),
      over: bigint("over", { mode: "number" }).notNull(),
      parts: jsonb("parts").notNull(),
      state: text("state").notNull(),
      expiresAt: bigint("expires_at", { mode: "number" }).notNull(),
    },
    (t) => [
      primaryKey({
        name: "backend_billing_usage_holds_pkey",
        columns: [t.entityId, t.feature, t.key],
      }),
      index("backend_billing_usage_holds_held")
        .on(t.entityId, t.feature)
        .where(sql`(state = 'held'::text)`),
      index("backend_billing_usage_holds_ended")
        .on(t.expiresAt)
        .where(sql`(state <> 'held'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingUsageRecords: table(
    "backend_billing_usage_records",
    {
      entityId: text("entity_id").notNull(),
      feature: text("feature").notNull(),
      key: text("key").notNull(),
      amount: bigint("amount", { mode: "number" }).notNull(),
      over: bigint("over", { mode: "number" }).notNull(),
      billed: boolean("billed").notNull(),
      at: bigint("at", { mode: "number" }).notNull(),
      batch: text("batch"),
    },
    (t) => [
      primaryKey({
        name: "backend_billing_usage_records_pkey",
        columns: [t.entityId, t.feature, t.key],
      }),
      index("backend_billing_usage_records_unsent")
        .on(t.entityId, t.feature, t.at)
        .where(sql`(billed AND (batch IS NULL))`),
      index("backend_billing_usage_records_sent")
        .on(t.entityId, t.feature, t.at)
        .where(sql`(billed AND (batch IS NOT NULL))`),
      index("backend_billing_usage_records_settled")
        .on(t.at)
        .where(sql`((NOT billed) OR (batch IS NOT NULL))`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingUsageDays: table(
    "backend_billing_usage_days",
    {
      entityId: text("entity_id").notNull(),
      feature: text("feature").notNull(),
      day: bigint("day", { mode: "number" }).notNull(),
      amount: bigint("amount", { mode: "number" }).notNull(),
      over: bigint("over", { mode: "number" }).notNull(),
      billed: bigint("billed", { mode: "number" }).notNull(),
      booked: bigint("booked", { mode: "number" }).notNull(),
    },
    (t) => [
      primaryKey({
        name: "backend_billing_usage_days_pkey",
        columns: [t.entityId, t.feature, t.day],
      }),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingProducts: table(
    "backend_billing_products",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      productId: text("product_id").notNull(),
      stripe: jsonb("stripe").$type<StripeProduct>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_products_byProductId").on(t.productId),
      index("backend_billing_products_byActive").on(sql`(stripe ->> 'active'::text)`),
      index("backend_billing_products_byName").on(sql`"left"((stripe ->> 'name'::text), 200)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingPrices: table(
    "backend_billing_prices",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      priceId: text("price_id").notNull(),
      stripe: jsonb("stripe").$type<StripePrice>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_prices_byPriceId").on(t.priceId),
      index("backend_billing_prices_byProductId").on(sql`(stripe ->> 'product'::text)`),
      index("backend_billing_prices_byActive").on(sql`(stripe ->> 'active'::text)`),
      index("backend_billing_prices_byRecurringInterval").on(
        sql`((stripe -> 'recurring'::text) ->> 'interval'::text)`,
      ),
      index("backend_billing_prices_byCurrency").on(sql`(stripe ->> 'currency'::text)`),
      index("backend_billing_prices_byLookupKey").on(sql`(stripe ->> 'lookup_key'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingCustomers: table(
    "backend_billing_customers",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      customerId: text("customer_id").notNull(),
      entityId: text("entity_id"),
      stripe: jsonb("stripe").$type<StripeCustomer>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      index("backend_billing_customers_byEntityId").on(t.entityId),
      uniqueIndex("backend_billing_customers_byCustomerId").on(t.customerId),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingSubscriptions: table(
    "backend_billing_subscriptions",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      subscriptionId: text("subscription_id"),
      customerId: text("customer_id").notNull(),
      stripe: jsonb("stripe").$type<StripeSubscription>(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_subscriptions_bySubscriptionId").on(t.subscriptionId),
      index("backend_billing_subscriptions_byCustomerId").on(t.customerId),
      index("backend_billing_subscriptions_byStatus").on(sql`(stripe ->> 'status'::text)`),
      uniqueIndex("backend_billing_subscriptions_oneEmptyRow")
        .on(t.customerId)
        .where(sql`(subscription_id IS NULL)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingCoupons: table(
    "backend_billing_coupons",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      couponId: text("coupon_id").notNull(),
      stripe: jsonb("stripe").$type<StripeCoupon>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [uniqueIndex("backend_billing_coupons_byCouponId").on(t.couponId), ...openTo(roles)],
  ).enableRLS(),

  billingPromotionCodes: table(
    "backend_billing_promotion_codes",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      promotionCodeId: text("promotion_code_id").notNull(),
      stripe: jsonb("stripe").$type<StripePromotionCode>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_promotion_codes_byPromotionCodeId").on(t.promotionCodeId),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingPayouts: table(
    "backend_billing_payouts",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      payoutId: text("payout_id").notNull(),
      stripe: jsonb("stripe").$type<StripePayout>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [uniqueIndex("backend_billing_payouts_byPayoutId").on(t.payoutId), ...openTo(roles)],
  ).enableRLS(),

  billingRefunds: table(
    "backend_billing_refunds",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      refundId: text("refund_id").notNull(),
      stripe: jsonb("stripe").$type<StripeRefund>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_refunds_byRefundId").on(t.refundId),
      index("backend_billing_refunds_byChargeId").on(sql`(stripe ->> 'charge'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingCheckoutSessions: table(
    "backend_billing_checkout_sessions",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      checkoutSessionId: text("checkout_session_id").notNull(),
      customerId: text("customer_id"),
      stripe: jsonb("stripe").$type<StripeCheckoutSession>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_checkout_sessions_byCheckoutSessionId").on(t.checkoutSessionId),
      index("backend_billing_checkout_sessions_byCustomerId").on(t.customerId),
      index("backend_billing_checkout_sessions_byStatus").on(sql`(stripe ->> 'status'::text)`),
      index("backend_billing_checkout_sessions_byClientReferenceId").on(
        sql`(stripe ->> 'client_reference_id'::text)`,
      ),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingInvoices: table(
    "backend_billing_invoices",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      invoiceId: text("invoice_id").notNull(),
      customerId: text("customer_id"),
      stripe: jsonb("stripe").$type<StripeInvoice>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_invoices_byInvoiceId").on(t.invoiceId),
      index("backend_billing_invoices_byCustomerId").on(t.customerId),
      index("backend_billing_invoices_bySubscriptionId").on(
        sql`(((stripe -> 'parent'::text) -> 'subscription_details'::text) ->> 'subscription'::text)`,
      ),
      index("backend_billing_invoices_byStatus").on(sql`(stripe ->> 'status'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingSubscriptionSchedules: table(
    "backend_billing_subscription_schedules",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      subscriptionScheduleId: text("subscription_schedule_id").notNull(),
      customerId: text("customer_id").notNull(),
      stripe: jsonb("stripe").$type<StripeSubscriptionSchedule>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_subscription_schedules_bySubscriptionScheduleId").on(
        t.subscriptionScheduleId,
      ),
      index("backend_billing_subscription_schedules_byCustomerId").on(t.customerId),
      index("backend_billing_subscription_schedules_bySubscriptionId").on(
        sql`(stripe ->> 'subscription'::text)`,
      ),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingPaymentIntents: table(
    "backend_billing_payment_intents",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      paymentIntentId: text("payment_intent_id").notNull(),
      customerId: text("customer_id"),
      stripe: jsonb("stripe").$type<StripePaymentIntent>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_payment_intents_byPaymentIntentId").on(t.paymentIntentId),
      index("backend_billing_payment_intents_byCustomerId").on(t.customerId),
      index("backend_billing_payment_intents_byStatus").on(sql`(stripe ->> 'status'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingCharges: table(
    "backend_billing_charges",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      chargeId: text("charge_id").notNull(),
      customerId: text("customer_id"),
      stripe: jsonb("stripe").$type<StripeCharge>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_charges_byChargeId").on(t.chargeId),
      index("backend_billing_charges_byCustomerId").on(t.customerId),
      index("backend_billing_charges_byPaymentIntentId").on(
        sql`(stripe ->> 'payment_intent'::text)`,
      ),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingPaymentMethods: table(
    "backend_billing_payment_methods",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      paymentMethodId: text("payment_method_id").notNull(),
      customerId: text("customer_id"),
      stripe: jsonb("stripe").$type<StripePaymentMethod>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_payment_methods_byPaymentMethodId").on(t.paymentMethodId),
      index("backend_billing_payment_methods_byCustomerId").on(t.customerId),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingDisputes: table(
    "backend_billing_disputes",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      disputeId: text("dispute_id").notNull(),
      stripe: jsonb("stripe").$type<StripeDispute>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_disputes_byDisputeId").on(t.disputeId),
      index("backend_billing_disputes_byChargeId").on(sql`(stripe ->> 'charge'::text)`),
      index("backend_billing_disputes_byPaymentIntentId").on(
        sql`(stripe ->> 'payment_intent'::text)`,
      ),
      index("backend_billing_disputes_byStatus").on(sql`(stripe ->> 'status'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingSetupIntents: table(
    "backend_billing_setup_intents",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      setupIntentId: text("setup_intent_id").notNull(),
      customerId: text("customer_id"),
      stripe: jsonb("stripe").$type<StripeSetupIntent>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_setup_intents_bySetupIntentId").on(t.setupIntentId),
      index("backend_billing_setup_intents_byCustomerId").on(t.customerId),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingInvoiceItems: table(
    "backend_billing_invoice_items",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      invoiceItemId: text("invoice_item_id").notNull(),
      customerId: text("customer_id").notNull(),
      stripe: jsonb("stripe").$type<StripeInvoiceitem>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_invoice_items_byInvoiceItemId").on(t.invoiceItemId),
      index("backend_billing_invoice_items_byCustomerId").on(t.customerId),
      index("backend_billing_invoice_items_byInvoiceId").on(sql`(stripe ->> 'invoice'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingInvoicePayments: table(
    "backend_billing_invoice_payments",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      invoicePaymentId: text("invoice_payment_id").notNull(),
      stripe: jsonb("stripe").$type<StripeInvoicePayment>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_invoice_payments_byInvoicePaymentId").on(t.invoicePaymentId),
      index("backend_billing_invoice_payments_byInvoiceId").on(sql`(stripe ->> 'invoice'::text)`),
      index("backend_billing_invoice_payments_byPaymentIntentId").on(
        sql`((stripe -> 'payment'::text) ->> 'payment_intent'::text)`,
      ),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingCreditNotes: table(
    "backend_billing_credit_notes",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      creditNoteId: text("credit_note_id").notNull(),
      customerId: text("customer_id").notNull(),
      stripe: jsonb("stripe").$type<StripeCreditNote>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_credit_notes_byCreditNoteId").on(t.creditNoteId),
      index("backend_billing_credit_notes_byCustomerId").on(t.customerId),
      index("backend_billing_credit_notes_byInvoiceId").on(sql`(stripe ->> 'invoice'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingQuotes: table(
    "backend_billing_quotes",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      quoteId: text("quote_id").notNull(),
      customerId: text("customer_id"),
      stripe: jsonb("stripe").$type<StripeQuote>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_quotes_byQuoteId").on(t.quoteId),
      index("backend_billing_quotes_byCustomerId").on(t.customerId),
      index("backend_billing_quotes_byStatus").on(sql`(stripe ->> 'status'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingTaxIds: table(
    "backend_billing_tax_ids",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      taxIdId: text("tax_id_id").notNull(),
      customerId: text("customer_id"),
      stripe: jsonb("stripe").$type<StripeTaxId>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_tax_ids_byTaxIdId").on(t.taxIdId),
      index("backend_billing_tax_ids_byCustomerId").on(t.customerId),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingTaxRates: table(
    "backend_billing_tax_rates",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      taxRateId: text("tax_rate_id").notNull(),
      stripe: jsonb("stripe").$type<StripeTaxRate>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [uniqueIndex("backend_billing_tax_rates_byTaxRateId").on(t.taxRateId), ...openTo(roles)],
  ).enableRLS(),

  billingReviews: table(
    "backend_billing_reviews",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      reviewId: text("review_id").notNull(),
      stripe: jsonb("stripe").$type<StripeReview>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_reviews_byReviewId").on(t.reviewId),
      index("backend_billing_reviews_byChargeId").on(sql`(stripe ->> 'charge'::text)`),
      index("backend_billing_reviews_byPaymentIntentId").on(
        sql`(stripe ->> 'payment_intent'::text)`,
      ),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingEarlyFraudWarnings: table(
    "backend_billing_early_fraud_warnings",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      earlyFraudWarningId: text("early_fraud_warning_id").notNull(),
      stripe: jsonb("stripe").$type<StripeRadarEarlyFraudWarning>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_early_fraud_warnings_byEarlyFraudWarningId").on(
        t.earlyFraudWarningId,
      ),
      index("backend_billing_early_fraud_warnings_byChargeId").on(sql`(stripe ->> 'charge'::text)`),
      index("backend_billing_early_fraud_warnings_byPaymentIntentId").on(
        sql`(stripe ->> 'payment_intent'::text)`,
      ),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingTransfers: table(
    "backend_billing_transfers",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      transferId: text("transfer_id").notNull(),
      stripe: jsonb("stripe").$type<StripeTransfer>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_transfers_byTransferId").on(t.transferId),
      index("backend_billing_transfers_byDestination").on(sql`(stripe ->> 'destination'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingBalanceTransactions: table(
    "backend_billing_balance_transactions",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      balanceTransactionId: text("balance_transaction_id").notNull(),
      stripe: jsonb("stripe").$type<StripeBalanceTransaction>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_balance_transactions_byBalanceTransactionId").on(
        t.balanceTransactionId,
      ),
      index("backend_billing_balance_transactions_bySource").on(sql`(stripe ->> 'source'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingPlans: table(
    "backend_billing_plans",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      planId: text("plan_id").notNull(),
      stripe: jsonb("stripe").$type<StripePlan>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_plans_byPlanId").on(t.planId),
      index("backend_billing_plans_byProductId").on(sql`(stripe ->> 'product'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingPortalConfigurations: table(
    "backend_billing_portal_configurations",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      portalConfigurationId: text("portal_configuration_id").notNull(),
      stripe: jsonb("stripe").$type<StripeBillingPortalConfiguration>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_portal_configurations_byPortalConfigurationId").on(
        t.portalConfigurationId,
      ),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingPaymentLinks: table(
    "backend_billing_payment_links",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      paymentLinkId: text("payment_link_id").notNull(),
      stripe: jsonb("stripe").$type<StripePaymentLink>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_payment_links_byPaymentLinkId").on(t.paymentLinkId),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingFeatures: table(
    "backend_billing_features",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      featureId: text("feature_id").notNull(),
      stripe: jsonb("stripe").$type<StripeEntitlementsFeature>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_features_byFeatureId").on(t.featureId),
      index("backend_billing_features_byLookupKey").on(sql`(stripe ->> 'lookup_key'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingMeters: table(
    "backend_billing_meters",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      meterId: text("meter_id").notNull(),
      stripe: jsonb("stripe").$type<StripeBillingMeter>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_meters_byMeterId").on(t.meterId),
      index("backend_billing_meters_byEventName").on(sql`(stripe ->> 'event_name'::text)`),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingCreditGrants: table(
    "backend_billing_credit_grants",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      creditGrantId: text("credit_grant_id").notNull(),
      customerId: text("customer_id").notNull(),
      stripe: jsonb("stripe").$type<StripeBillingCreditGrant>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_credit_grants_byCreditGrantId").on(t.creditGrantId),
      index("backend_billing_credit_grants_byCustomerId").on(t.customerId),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingAccounts: table(
    "backend_billing_accounts",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      accountId: text("account_id").notNull(),
      stripe: jsonb("stripe").$type<StripeAccount>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [uniqueIndex("backend_billing_accounts_byAccountId").on(t.accountId), ...openTo(roles)],
  ).enableRLS(),

  billingActiveEntitlements: table(
    "backend_billing_active_entitlements",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      activeEntitlementId: text("active_entitlement_id").notNull(),
      customerId: text("customer_id").notNull(),
      stripe: jsonb("stripe").$type<StripeEntitlementsActiveEntitlement>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_active_entitlements_byActiveEntitlementId").on(
        t.activeEntitlementId,
      ),
      index("backend_billing_active_entitlements_byCustomerId").on(t.customerId),
      index("backend_billing_active_entitlements_byFeatureId").on(
        sql`(stripe ->> 'feature'::text)`,
      ),
      index("backend_billing_active_entitlements_byLookupKey").on(
        sql`(stripe ->> 'lookup_key'::text)`,
      ),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingProductFeatures: table(
    "backend_billing_product_features",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      productFeatureId: text("product_feature_id").notNull(),
      productId: text("product_id").notNull(),
      stripe: jsonb("stripe").$type<StripeProductFeature>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_product_features_byProductFeatureId").on(t.productFeatureId),
      index("backend_billing_product_features_byProductId").on(t.productId),
      index("backend_billing_product_features_byFeatureId").on(
        sql`((stripe -> 'entitlement_feature'::text) ->> 'id'::text)`,
      ),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingCreditBalanceTransactions: table(
    "backend_billing_credit_balance_transactions",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      transactionId: text("transaction_id").notNull(),
      customerId: text("customer_id").notNull(),
      stripe: jsonb("stripe").$type<StripeBillingCreditBalanceTransaction>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_credit_balance_transactions_byTransactionId").on(
        t.transactionId,
      ),
      index("backend_billing_credit_balance_transactions_byCustomerId").on(t.customerId),
      index("backend_billing_credit_balance_transactions_byCreditGrantId").on(
        sql`(stripe ->> 'credit_grant'::text)`,
      ),
      ...openTo(roles),
    ],
  ).enableRLS(),

  billingDiscounts: table(
    "backend_billing_discounts",
    {
      _id: uuid("_id").primaryKey().default(sql`gen_random_uuid()`).notNull(),
      discountId: text("discount_id").notNull(),
      subscriptionId: text("subscription_id").notNull(),
      customerId: text("customer_id"),
      stripe: jsonb("stripe").$type<StripeDiscount>().notNull(),
      last_synced_at: bigint("last_synced_at", { mode: "number" }).notNull(),
    },
    (t) => [
      uniqueIndex("backend_billing_discounts_byDiscountId").on(t.discountId),
      index("backend_billing_discounts_bySubscriptionId").on(t.subscriptionId),
      index("backend_billing_discounts_byCustomerId").on(t.customerId),
      index("backend_billing_discounts_byCouponId").on(
        sql`((stripe -> 'source'::text) ->> 'coupon'::text)`,
      ),
      index("backend_billing_discounts_byPromotionCodeId").on(
        sql`(stripe ->> 'promotion_code'::text)`,
      ),
      ...openTo(roles),
    ],
  ).enableRLS(),
});
