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
  StripeCheckoutSession,
  StripeCoupon,
  StripeCustomer,
  StripeInvoice,
  StripePayout,
  StripePrice,
  StripeProduct,
  StripePromotionCode,
  StripeRefund,
  StripeSubscription,
  StripeSubscriptionSchedule,
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
    (t) => [uniqueIndex("backend_billing_refunds_byRefundId").on(t.refundId), ...openTo(roles)],
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
});
