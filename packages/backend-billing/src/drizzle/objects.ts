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

/** What the column `stripe` of `backend_billing_payment_intents` holds. */
export interface StripePaymentIntent extends StripeObject<"payment_intents"> {}

/** What the column `stripe` of `backend_billing_charges` holds. */
export interface StripeCharge extends StripeObject<"charges"> {}

/** What the column `stripe` of `backend_billing_payment_methods` holds. */
export interface StripePaymentMethod extends StripeObject<"payment_methods"> {}

/** What the column `stripe` of `backend_billing_disputes` holds. */
export interface StripeDispute extends StripeObject<"disputes"> {}

/** What the column `stripe` of `backend_billing_setup_intents` holds. */
export interface StripeSetupIntent extends StripeObject<"setup_intents"> {}

/** What the column `stripe` of `backend_billing_invoice_items` holds. */
export interface StripeInvoiceitem extends StripeObject<"invoice_items"> {}

/** What the column `stripe` of `backend_billing_invoice_payments` holds. */
export interface StripeInvoicePayment extends StripeObject<"invoice_payments"> {}

/** What the column `stripe` of `backend_billing_credit_notes` holds. */
export interface StripeCreditNote extends StripeObject<"credit_notes"> {}

/** What the column `stripe` of `backend_billing_quotes` holds. */
export interface StripeQuote extends StripeObject<"quotes"> {}

/** What the column `stripe` of `backend_billing_tax_ids` holds. */
export interface StripeTaxId extends StripeObject<"tax_ids"> {}

/** What the column `stripe` of `backend_billing_tax_rates` holds. */
export interface StripeTaxRate extends StripeObject<"tax_rates"> {}

/** What the column `stripe` of `backend_billing_reviews` holds. */
export interface StripeReview extends StripeObject<"reviews"> {}

/** What the column `stripe` of `backend_billing_early_fraud_warnings` holds. */
export interface StripeRadarEarlyFraudWarning extends StripeObject<"early_fraud_warnings"> {}

/** What the column `stripe` of `backend_billing_transfers` holds. */
export interface StripeTransfer extends StripeObject<"transfers"> {}

/** What the column `stripe` of `backend_billing_balance_transactions` holds. */
export interface StripeBalanceTransaction extends StripeObject<"balance_transactions"> {}

/** What the column `stripe` of `backend_billing_plans` holds. */
export interface StripePlan extends StripeObject<"plans"> {}

/** What the column `stripe` of `backend_billing_portal_configurations` holds. */
export interface StripeBillingPortalConfiguration extends StripeObject<"portal_configurations"> {}

/** What the column `stripe` of `backend_billing_payment_links` holds. */
export interface StripePaymentLink extends StripeObject<"payment_links"> {}

/** What the column `stripe` of `backend_billing_features` holds. */
export interface StripeEntitlementsFeature extends StripeObject<"features"> {}

/** What the column `stripe` of `backend_billing_meters` holds. */
export interface StripeBillingMeter extends StripeObject<"meters"> {}

/** What the column `stripe` of `backend_billing_credit_grants` holds. */
export interface StripeBillingCreditGrant extends StripeObject<"credit_grants"> {}

/** What the column `stripe` of `backend_billing_accounts` holds. */
export interface StripeAccount extends StripeObject<"accounts"> {}

/** What the column `stripe` of `backend_billing_active_entitlements` holds. */
export interface StripeEntitlementsActiveEntitlement extends StripeObject<"active_entitlements"> {}

/** What the column `stripe` of `backend_billing_product_features` holds. */
export interface StripeProductFeature extends StripeObject<"product_features"> {}

/** What the column `stripe` of `backend_billing_credit_balance_transactions` holds. */
export interface StripeBillingCreditBalanceTransaction
  extends StripeObject<"credit_balance_transactions"> {}

/** What the column `stripe` of `backend_billing_discounts` holds. */
export interface StripeDiscount extends StripeObject<"discounts"> {}
