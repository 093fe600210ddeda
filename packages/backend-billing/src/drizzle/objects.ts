// Generated from src/postgres/schema/tables.ts by `npm run generate`. Do not edit.

// Interfaces, not aliases: a declaration file names them, where it would spell an alias out with
// all that Stripe's types hold, frozen at the version that this package was built with.
import type { StripeObject } from "../core/catalogue/catalogue.js";

/** What the column `stripe` of `backend_billing_products` holds. */
export interface StripeProduct extends StripeObject<"products"> {}

/** What the column `stripe` of `backend_billing_prices` holds. */
export interface StripePrice extends StripeObject<"prices"> {}

/** What the column `stripe` of `backend_billing_customers` holds. */
export interface StripeCustomer extends StripeObject<"customers"> {}

/** What the column `stripe` of `backend_billing_subscriptions` holds. */
export interface StripeSubscription extends StripeObject<"subscriptions"> {}

/** What the column `stripe` of `backend_billing_coupons` holds. */
export interface StripeCoupon extends StripeObject<"coupons"> {}

/** What the column `stripe` of `backend_billing_promotion_codes` holds. */
export interface StripePromotionCode extends StripeObject<"promotion_codes"> {}

/** What the column `stripe` of `backend_billing_payouts` holds. */
export interface StripePayout extends StripeObject<"payouts"> {}

/** What the column `stripe` of `backend_billing_refunds` holds. */
export interface StripeRefund extends StripeObject<"refunds"> {}

/** What the column `stripe` of `backend_billing_checkout_sessions` holds. */
export interface StripeCheckoutSession extends StripeObject<"checkout_sessions"> {}

/** What the column `stripe` of `backend_billing_invoices` holds. */
export interface StripeInvoice extends StripeObject<"invoices"> {}

/** What the column `stripe` of `backend_billing_subscription_schedules` holds. */
export interface StripeSubscriptionSchedule extends StripeObject<"subscription_schedules"> {}
