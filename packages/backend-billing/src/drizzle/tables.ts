// Generated from src/postgres/schema/tables.ts by `npm run generate`. Do not edit.

import { pgSchema } from "drizzle-orm/pg-core";
import { defineTables } from "./define.js";

/** The schema `billing`, which drizzle-kit creates. */
export const billingSchema = pgSchema("billing");

export const {
  /** The table `backend_billing_versions`. */
  billingVersions,
  /** The table `backend_billing_receipts`. */
  billingReceipts,
  /** The table `backend_billing_records`. */
  billingRecords,
  /** The table `backend_billing_usage_balances`. */
  billingUsageBalances,
  /** The table `backend_billing_usage_grants`. */
  billingUsageGrants,
  /** The table `backend_billing_usage_holds`. */
  billingUsageHolds,
  /** The table `backend_billing_usage_records`. */
  billingUsageRecords,
  /** The table `backend_billing_usage_days`. */
  billingUsageDays,
  /** The table `backend_billing_products`. */
  billingProducts,
  /** The table `backend_billing_prices`. */
  billingPrices,
  /** The table `backend_billing_customers`. */
  billingCustomers,
  /** The table `backend_billing_subscriptions`. */
  billingSubscriptions,
  /** The table `backend_billing_coupons`. */
  billingCoupons,
  /** The table `backend_billing_promotion_codes`. */
  billingPromotionCodes,
  /** The table `backend_billing_payouts`. */
  billingPayouts,
  /** The table `backend_billing_refunds`. */
  billingRefunds,
  /** The table `backend_billing_checkout_sessions`. */
  billingCheckoutSessions,
  /** The table `backend_billing_invoices`. */
  billingInvoices,
  /** The table `backend_billing_subscription_schedules`. */
  billingSubscriptionSchedules,
  /** The table `backend_billing_payment_intents`. */
  billingPaymentIntents,
  /** The table `backend_billing_charges`. */
  billingCharges,
  /** The table `backend_billing_payment_methods`. */
  billingPaymentMethods,
  /** The table `backend_billing_disputes`. */
  billingDisputes,
} = defineTables(billingSchema.table);
