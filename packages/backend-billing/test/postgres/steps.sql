-- 0001_core
CREATE TABLE "public"."backend_billing_versions" (
  "resource" text NOT NULL,
  "id" text NOT NULL,
  "revision" bigint NOT NULL,
  "state" text NOT NULL,
  "lo" bigint NOT NULL,
  "hi" bigint NOT NULL,
  "first" boolean NOT NULL,
  "ask_at" bigint,
  CONSTRAINT "backend_billing_versions_pkey" PRIMARY KEY ("resource", "id")
);
CREATE INDEX "backend_billing_versions_byAskAt" ON "public"."backend_billing_versions" ("ask_at") WHERE (ask_at IS NOT NULL);
CREATE TABLE "public"."backend_billing_receipts" (
  "event_id" text NOT NULL,
  "type" text NOT NULL,
  "created" bigint NOT NULL,
  "object_id" text,
  "received_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_receipts_pkey" PRIMARY KEY ("event_id")
);
CREATE INDEX "backend_billing_receipts_byReceivedAt" ON "public"."backend_billing_receipts" ("received_at");
CREATE TABLE "public"."backend_billing_records" (
  "kind" text NOT NULL,
  "id" text NOT NULL,
  "revision" bigint NOT NULL,
  "ref" text,
  "due" bigint,
  "data" jsonb NOT NULL,
  CONSTRAINT "backend_billing_records_pkey" PRIMARY KEY ("kind", "id")
);
CREATE INDEX "backend_billing_records_byDue" ON "public"."backend_billing_records" ("kind", "due") WHERE (due IS NOT NULL);
CREATE INDEX "backend_billing_records_byRef" ON "public"."backend_billing_records" ("kind", "ref", "id") WHERE (ref IS NOT NULL);
CREATE UNIQUE INDEX "backend_billing_records_oneClaimPerCustomer" ON "public"."backend_billing_records" ("ref") WHERE ((kind = 'claim'::text) AND (ref IS NOT NULL));

-- 0001_products
CREATE TABLE "public"."backend_billing_products" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "product_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_products_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_products_byProductId" ON "public"."backend_billing_products" ("product_id");
CREATE INDEX "backend_billing_products_byActive" ON "public"."backend_billing_products" ((stripe ->> 'active'::text));
CREATE INDEX "backend_billing_products_byName" ON "public"."backend_billing_products" ((stripe ->> 'name'::text));

-- 0001_prices
CREATE TABLE "public"."backend_billing_prices" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "price_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_prices_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_prices_byPriceId" ON "public"."backend_billing_prices" ("price_id");
CREATE INDEX "backend_billing_prices_byProductId" ON "public"."backend_billing_prices" ((stripe ->> 'product'::text));
CREATE INDEX "backend_billing_prices_byActive" ON "public"."backend_billing_prices" ((stripe ->> 'active'::text));
CREATE INDEX "backend_billing_prices_byRecurringInterval" ON "public"."backend_billing_prices" (((stripe -> 'recurring'::text) ->> 'interval'::text));
CREATE INDEX "backend_billing_prices_byCurrency" ON "public"."backend_billing_prices" ((stripe ->> 'currency'::text));

-- 0001_customers
CREATE TABLE "public"."backend_billing_customers" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "customer_id" text NOT NULL,
  "entity_id" text,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_customers_pkey" PRIMARY KEY ("_id")
);
CREATE INDEX "backend_billing_customers_byEntityId" ON "public"."backend_billing_customers" ("entity_id");
CREATE UNIQUE INDEX "backend_billing_customers_byCustomerId" ON "public"."backend_billing_customers" ("customer_id");

-- 0001_subscriptions
CREATE TABLE "public"."backend_billing_subscriptions" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "subscription_id" text,
  "customer_id" text NOT NULL,
  "stripe" jsonb,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_subscriptions_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_subscriptions_bySubscriptionId" ON "public"."backend_billing_subscriptions" ("subscription_id");
CREATE INDEX "backend_billing_subscriptions_byCustomerId" ON "public"."backend_billing_subscriptions" ("customer_id");
CREATE UNIQUE INDEX "backend_billing_subscriptions_oneEmptyRow" ON "public"."backend_billing_subscriptions" ("customer_id") WHERE (subscription_id IS NULL);

-- 0001_coupons
CREATE TABLE "public"."backend_billing_coupons" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "coupon_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_coupons_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_coupons_byCouponId" ON "public"."backend_billing_coupons" ("coupon_id");

-- 0001_promotion_codes
CREATE TABLE "public"."backend_billing_promotion_codes" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "promotion_code_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_promotion_codes_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_promotion_codes_byPromotionCodeId" ON "public"."backend_billing_promotion_codes" ("promotion_code_id");

-- 0001_payouts
CREATE TABLE "public"."backend_billing_payouts" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "payout_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_payouts_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_payouts_byPayoutId" ON "public"."backend_billing_payouts" ("payout_id");

-- 0001_refunds
CREATE TABLE "public"."backend_billing_refunds" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "refund_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_refunds_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_refunds_byRefundId" ON "public"."backend_billing_refunds" ("refund_id");

-- 0002_product_names
DROP INDEX IF EXISTS "public"."backend_billing_products_byName";
CREATE INDEX "backend_billing_products_byName" ON "public"."backend_billing_products" ("left"((stripe ->> 'name'::text), 200));

-- 0003_row_security
ALTER TABLE "public"."backend_billing_versions" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_versions" FROM PUBLIC;
ALTER TABLE "public"."backend_billing_receipts" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_receipts" FROM PUBLIC;
ALTER TABLE "public"."backend_billing_records" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_records" FROM PUBLIC;
ALTER TABLE "public"."backend_billing_migrations" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_migrations" FROM PUBLIC;

-- 0003_row_security_products
ALTER TABLE "public"."backend_billing_products" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_products" FROM PUBLIC;

-- 0003_row_security_prices
ALTER TABLE "public"."backend_billing_prices" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_prices" FROM PUBLIC;

-- 0003_row_security_customers
ALTER TABLE "public"."backend_billing_customers" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_customers" FROM PUBLIC;

-- 0003_row_security_subscriptions
ALTER TABLE "public"."backend_billing_subscriptions" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_subscriptions" FROM PUBLIC;

-- 0003_row_security_coupons
ALTER TABLE "public"."backend_billing_coupons" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_coupons" FROM PUBLIC;

-- 0003_row_security_promotion_codes
ALTER TABLE "public"."backend_billing_promotion_codes" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_promotion_codes" FROM PUBLIC;

-- 0003_row_security_payouts
ALTER TABLE "public"."backend_billing_payouts" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_payouts" FROM PUBLIC;

-- 0003_row_security_refunds
ALTER TABLE "public"."backend_billing_refunds" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_refunds" FROM PUBLIC;

-- 0004_prices_byLookupKey
CREATE INDEX "backend_billing_prices_byLookupKey" ON "public"."backend_billing_prices" ((stripe ->> 'lookup_key'::text));

-- 0004_subscriptions_byStatus
CREATE INDEX "backend_billing_subscriptions_byStatus" ON "public"."backend_billing_subscriptions" ((stripe ->> 'status'::text));

-- 0005_checkout_sessions
CREATE TABLE "public"."backend_billing_checkout_sessions" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "checkout_session_id" text NOT NULL,
  "customer_id" text,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_checkout_sessions_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_checkout_sessions_byCheckoutSessionId" ON "public"."backend_billing_checkout_sessions" ("checkout_session_id");
CREATE INDEX "backend_billing_checkout_sessions_byCustomerId" ON "public"."backend_billing_checkout_sessions" ("customer_id");
CREATE INDEX "backend_billing_checkout_sessions_byStatus" ON "public"."backend_billing_checkout_sessions" ((stripe ->> 'status'::text));
ALTER TABLE "public"."backend_billing_checkout_sessions" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_checkout_sessions" FROM PUBLIC;

-- 0005_invoices
CREATE TABLE "public"."backend_billing_invoices" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "invoice_id" text NOT NULL,
  "customer_id" text,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_invoices_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_invoices_byInvoiceId" ON "public"."backend_billing_invoices" ("invoice_id");
CREATE INDEX "backend_billing_invoices_byCustomerId" ON "public"."backend_billing_invoices" ("customer_id");
CREATE INDEX "backend_billing_invoices_bySubscriptionId" ON "public"."backend_billing_invoices" ((((stripe -> 'parent'::text) -> 'subscription_details'::text) ->> 'subscription'::text));
CREATE INDEX "backend_billing_invoices_byStatus" ON "public"."backend_billing_invoices" ((stripe ->> 'status'::text));
ALTER TABLE "public"."backend_billing_invoices" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_invoices" FROM PUBLIC;

-- 0005_subscription_schedules
CREATE TABLE "public"."backend_billing_subscription_schedules" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "subscription_schedule_id" text NOT NULL,
  "customer_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_subscription_schedules_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_subscription_schedules_bySubscriptionScheduleId" ON "public"."backend_billing_subscription_schedules" ("subscription_schedule_id");
CREATE INDEX "backend_billing_subscription_schedules_byCustomerId" ON "public"."backend_billing_subscription_schedules" ("customer_id");
CREATE INDEX "backend_billing_subscription_schedules_bySubscriptionId" ON "public"."backend_billing_subscription_schedules" ((stripe ->> 'subscription'::text));
ALTER TABLE "public"."backend_billing_subscription_schedules" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_subscription_schedules" FROM PUBLIC;

-- 0005_payment_intents
CREATE TABLE "public"."backend_billing_payment_intents" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "payment_intent_id" text NOT NULL,
  "customer_id" text,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_payment_intents_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_payment_intents_byPaymentIntentId" ON "public"."backend_billing_payment_intents" ("payment_intent_id");
CREATE INDEX "backend_billing_payment_intents_byCustomerId" ON "public"."backend_billing_payment_intents" ("customer_id");
CREATE INDEX "backend_billing_payment_intents_byStatus" ON "public"."backend_billing_payment_intents" ((stripe ->> 'status'::text));
ALTER TABLE "public"."backend_billing_payment_intents" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_payment_intents" FROM PUBLIC;

-- 0005_charges
CREATE TABLE "public"."backend_billing_charges" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "charge_id" text NOT NULL,
  "customer_id" text,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_charges_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_charges_byChargeId" ON "public"."backend_billing_charges" ("charge_id");
CREATE INDEX "backend_billing_charges_byCustomerId" ON "public"."backend_billing_charges" ("customer_id");
CREATE INDEX "backend_billing_charges_byPaymentIntentId" ON "public"."backend_billing_charges" ((stripe ->> 'payment_intent'::text));
ALTER TABLE "public"."backend_billing_charges" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_charges" FROM PUBLIC;

-- 0005_payment_methods
CREATE TABLE "public"."backend_billing_payment_methods" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "payment_method_id" text NOT NULL,
  "customer_id" text,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_payment_methods_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_payment_methods_byPaymentMethodId" ON "public"."backend_billing_payment_methods" ("payment_method_id");
CREATE INDEX "backend_billing_payment_methods_byCustomerId" ON "public"."backend_billing_payment_methods" ("customer_id");
ALTER TABLE "public"."backend_billing_payment_methods" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_payment_methods" FROM PUBLIC;

-- 0005_disputes
CREATE TABLE "public"."backend_billing_disputes" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "dispute_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_disputes_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_disputes_byDisputeId" ON "public"."backend_billing_disputes" ("dispute_id");
CREATE INDEX "backend_billing_disputes_byChargeId" ON "public"."backend_billing_disputes" ((stripe ->> 'charge'::text));
CREATE INDEX "backend_billing_disputes_byPaymentIntentId" ON "public"."backend_billing_disputes" ((stripe ->> 'payment_intent'::text));
CREATE INDEX "backend_billing_disputes_byStatus" ON "public"."backend_billing_disputes" ((stripe ->> 'status'::text));
ALTER TABLE "public"."backend_billing_disputes" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_disputes" FROM PUBLIC;

-- 0005_setup_intents
CREATE TABLE "public"."backend_billing_setup_intents" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "setup_intent_id" text NOT NULL,
  "customer_id" text,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_setup_intents_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_setup_intents_bySetupIntentId" ON "public"."backend_billing_setup_intents" ("setup_intent_id");
CREATE INDEX "backend_billing_setup_intents_byCustomerId" ON "public"."backend_billing_setup_intents" ("customer_id");
ALTER TABLE "public"."backend_billing_setup_intents" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_setup_intents" FROM PUBLIC;

-- 0005_invoice_items
CREATE TABLE "public"."backend_billing_invoice_items" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "invoice_item_id" text NOT NULL,
  "customer_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_invoice_items_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_invoice_items_byInvoiceItemId" ON "public"."backend_billing_invoice_items" ("invoice_item_id");
CREATE INDEX "backend_billing_invoice_items_byCustomerId" ON "public"."backend_billing_invoice_items" ("customer_id");
CREATE INDEX "backend_billing_invoice_items_byInvoiceId" ON "public"."backend_billing_invoice_items" ((stripe ->> 'invoice'::text));
ALTER TABLE "public"."backend_billing_invoice_items" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_invoice_items" FROM PUBLIC;

-- 0005_invoice_payments
CREATE TABLE "public"."backend_billing_invoice_payments" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "invoice_payment_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_invoice_payments_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_invoice_payments_byInvoicePaymentId" ON "public"."backend_billing_invoice_payments" ("invoice_payment_id");
CREATE INDEX "backend_billing_invoice_payments_byInvoiceId" ON "public"."backend_billing_invoice_payments" ((stripe ->> 'invoice'::text));
CREATE INDEX "backend_billing_invoice_payments_byPaymentIntentId" ON "public"."backend_billing_invoice_payments" (((stripe -> 'payment'::text) ->> 'payment_intent'::text));
ALTER TABLE "public"."backend_billing_invoice_payments" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_invoice_payments" FROM PUBLIC;

-- 0005_credit_notes
CREATE TABLE "public"."backend_billing_credit_notes" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "credit_note_id" text NOT NULL,
  "customer_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_credit_notes_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_credit_notes_byCreditNoteId" ON "public"."backend_billing_credit_notes" ("credit_note_id");
CREATE INDEX "backend_billing_credit_notes_byCustomerId" ON "public"."backend_billing_credit_notes" ("customer_id");
CREATE INDEX "backend_billing_credit_notes_byInvoiceId" ON "public"."backend_billing_credit_notes" ((stripe ->> 'invoice'::text));
ALTER TABLE "public"."backend_billing_credit_notes" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_credit_notes" FROM PUBLIC;

-- 0005_quotes
CREATE TABLE "public"."backend_billing_quotes" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "quote_id" text NOT NULL,
  "customer_id" text,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_quotes_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_quotes_byQuoteId" ON "public"."backend_billing_quotes" ("quote_id");
CREATE INDEX "backend_billing_quotes_byCustomerId" ON "public"."backend_billing_quotes" ("customer_id");
CREATE INDEX "backend_billing_quotes_byStatus" ON "public"."backend_billing_quotes" ((stripe ->> 'status'::text));
ALTER TABLE "public"."backend_billing_quotes" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_quotes" FROM PUBLIC;

-- 0005_tax_ids
CREATE TABLE "public"."backend_billing_tax_ids" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "tax_id_id" text NOT NULL,
  "customer_id" text,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_tax_ids_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_tax_ids_byTaxIdId" ON "public"."backend_billing_tax_ids" ("tax_id_id");
CREATE INDEX "backend_billing_tax_ids_byCustomerId" ON "public"."backend_billing_tax_ids" ("customer_id");
ALTER TABLE "public"."backend_billing_tax_ids" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_tax_ids" FROM PUBLIC;

-- 0005_tax_rates
CREATE TABLE "public"."backend_billing_tax_rates" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "tax_rate_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_tax_rates_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_tax_rates_byTaxRateId" ON "public"."backend_billing_tax_rates" ("tax_rate_id");
ALTER TABLE "public"."backend_billing_tax_rates" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_tax_rates" FROM PUBLIC;

-- 0005_reviews
CREATE TABLE "public"."backend_billing_reviews" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "review_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_reviews_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_reviews_byReviewId" ON "public"."backend_billing_reviews" ("review_id");
CREATE INDEX "backend_billing_reviews_byChargeId" ON "public"."backend_billing_reviews" ((stripe ->> 'charge'::text));
CREATE INDEX "backend_billing_reviews_byPaymentIntentId" ON "public"."backend_billing_reviews" ((stripe ->> 'payment_intent'::text));
ALTER TABLE "public"."backend_billing_reviews" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_reviews" FROM PUBLIC;

-- 0005_early_fraud_warnings
CREATE TABLE "public"."backend_billing_early_fraud_warnings" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "early_fraud_warning_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_early_fraud_warnings_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_early_fraud_warnings_byEarlyFraudWarningId" ON "public"."backend_billing_early_fraud_warnings" ("early_fraud_warning_id");
CREATE INDEX "backend_billing_early_fraud_warnings_byChargeId" ON "public"."backend_billing_early_fraud_warnings" ((stripe ->> 'charge'::text));
CREATE INDEX "backend_billing_early_fraud_warnings_byPaymentIntentId" ON "public"."backend_billing_early_fraud_warnings" ((stripe ->> 'payment_intent'::text));
ALTER TABLE "public"."backend_billing_early_fraud_warnings" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_early_fraud_warnings" FROM PUBLIC;

-- 0005_transfers
CREATE TABLE "public"."backend_billing_transfers" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "transfer_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_transfers_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_transfers_byTransferId" ON "public"."backend_billing_transfers" ("transfer_id");
CREATE INDEX "backend_billing_transfers_byDestination" ON "public"."backend_billing_transfers" ((stripe ->> 'destination'::text));
ALTER TABLE "public"."backend_billing_transfers" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_transfers" FROM PUBLIC;

-- 0005_balance_transactions
CREATE TABLE "public"."backend_billing_balance_transactions" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "balance_transaction_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_balance_transactions_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_balance_transactions_byBalanceTransactionId" ON "public"."backend_billing_balance_transactions" ("balance_transaction_id");
CREATE INDEX "backend_billing_balance_transactions_bySource" ON "public"."backend_billing_balance_transactions" ((stripe ->> 'source'::text));
ALTER TABLE "public"."backend_billing_balance_transactions" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_balance_transactions" FROM PUBLIC;

-- 0005_plans
CREATE TABLE "public"."backend_billing_plans" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "plan_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_plans_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_plans_byPlanId" ON "public"."backend_billing_plans" ("plan_id");
CREATE INDEX "backend_billing_plans_byProductId" ON "public"."backend_billing_plans" ((stripe ->> 'product'::text));
ALTER TABLE "public"."backend_billing_plans" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_plans" FROM PUBLIC;

-- 0005_portal_configurations
CREATE TABLE "public"."backend_billing_portal_configurations" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "portal_configuration_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_portal_configurations_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_portal_configurations_byPortalConfigurationId" ON "public"."backend_billing_portal_configurations" ("portal_configuration_id");
ALTER TABLE "public"."backend_billing_portal_configurations" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_portal_configurations" FROM PUBLIC;

-- 0005_payment_links
CREATE TABLE "public"."backend_billing_payment_links" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "payment_link_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_payment_links_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_payment_links_byPaymentLinkId" ON "public"."backend_billing_payment_links" ("payment_link_id");
ALTER TABLE "public"."backend_billing_payment_links" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_payment_links" FROM PUBLIC;

-- 0005_features
CREATE TABLE "public"."backend_billing_features" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "feature_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_features_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_features_byFeatureId" ON "public"."backend_billing_features" ("feature_id");
CREATE INDEX "backend_billing_features_byLookupKey" ON "public"."backend_billing_features" ((stripe ->> 'lookup_key'::text));
ALTER TABLE "public"."backend_billing_features" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_features" FROM PUBLIC;

-- 0005_meters
CREATE TABLE "public"."backend_billing_meters" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "meter_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_meters_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_meters_byMeterId" ON "public"."backend_billing_meters" ("meter_id");
CREATE INDEX "backend_billing_meters_byEventName" ON "public"."backend_billing_meters" ((stripe ->> 'event_name'::text));
ALTER TABLE "public"."backend_billing_meters" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_meters" FROM PUBLIC;

-- 0005_credit_grants
CREATE TABLE "public"."backend_billing_credit_grants" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "credit_grant_id" text NOT NULL,
  "customer_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_credit_grants_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_credit_grants_byCreditGrantId" ON "public"."backend_billing_credit_grants" ("credit_grant_id");
CREATE INDEX "backend_billing_credit_grants_byCustomerId" ON "public"."backend_billing_credit_grants" ("customer_id");
ALTER TABLE "public"."backend_billing_credit_grants" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_credit_grants" FROM PUBLIC;

-- 0005_accounts
CREATE TABLE "public"."backend_billing_accounts" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "account_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_accounts_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_accounts_byAccountId" ON "public"."backend_billing_accounts" ("account_id");
ALTER TABLE "public"."backend_billing_accounts" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_accounts" FROM PUBLIC;

-- 0005_active_entitlements
CREATE TABLE "public"."backend_billing_active_entitlements" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "active_entitlement_id" text NOT NULL,
  "customer_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_active_entitlements_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_active_entitlements_byActiveEntitlementId" ON "public"."backend_billing_active_entitlements" ("active_entitlement_id");
CREATE INDEX "backend_billing_active_entitlements_byCustomerId" ON "public"."backend_billing_active_entitlements" ("customer_id");
CREATE INDEX "backend_billing_active_entitlements_byFeatureId" ON "public"."backend_billing_active_entitlements" ((stripe ->> 'feature'::text));
CREATE INDEX "backend_billing_active_entitlements_byLookupKey" ON "public"."backend_billing_active_entitlements" ((stripe ->> 'lookup_key'::text));
ALTER TABLE "public"."backend_billing_active_entitlements" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_active_entitlements" FROM PUBLIC;

-- 0005_product_features
CREATE TABLE "public"."backend_billing_product_features" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "product_feature_id" text NOT NULL,
  "product_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_product_features_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_product_features_byProductFeatureId" ON "public"."backend_billing_product_features" ("product_feature_id");
CREATE INDEX "backend_billing_product_features_byProductId" ON "public"."backend_billing_product_features" ("product_id");
CREATE INDEX "backend_billing_product_features_byFeatureId" ON "public"."backend_billing_product_features" (((stripe -> 'entitlement_feature'::text) ->> 'id'::text));
ALTER TABLE "public"."backend_billing_product_features" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_product_features" FROM PUBLIC;

-- 0005_credit_balance_transactions
CREATE TABLE "public"."backend_billing_credit_balance_transactions" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "transaction_id" text NOT NULL,
  "customer_id" text NOT NULL,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_credit_balance_transactions_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_credit_balance_transactions_byTransactionId" ON "public"."backend_billing_credit_balance_transactions" ("transaction_id");
CREATE INDEX "backend_billing_credit_balance_transactions_byCustomerId" ON "public"."backend_billing_credit_balance_transactions" ("customer_id");
CREATE INDEX "backend_billing_credit_balance_transactions_byCreditGrantId" ON "public"."backend_billing_credit_balance_transactions" ((stripe ->> 'credit_grant'::text));
ALTER TABLE "public"."backend_billing_credit_balance_transactions" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_credit_balance_transactions" FROM PUBLIC;

-- 0005_discounts
CREATE TABLE "public"."backend_billing_discounts" (
  "_id" uuid DEFAULT gen_random_uuid() NOT NULL,
  "discount_id" text NOT NULL,
  "subscription_id" text NOT NULL,
  "customer_id" text,
  "stripe" jsonb NOT NULL,
  "last_synced_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_discounts_pkey" PRIMARY KEY ("_id")
);
CREATE UNIQUE INDEX "backend_billing_discounts_byDiscountId" ON "public"."backend_billing_discounts" ("discount_id");
CREATE INDEX "backend_billing_discounts_bySubscriptionId" ON "public"."backend_billing_discounts" ("subscription_id");
CREATE INDEX "backend_billing_discounts_byCustomerId" ON "public"."backend_billing_discounts" ("customer_id");
CREATE INDEX "backend_billing_discounts_byCouponId" ON "public"."backend_billing_discounts" (((stripe -> 'source'::text) ->> 'coupon'::text));
CREATE INDEX "backend_billing_discounts_byPromotionCodeId" ON "public"."backend_billing_discounts" ((stripe ->> 'promotion_code'::text));
ALTER TABLE "public"."backend_billing_discounts" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_discounts" FROM PUBLIC;

-- 0006_refunds_byChargeId
CREATE INDEX "backend_billing_refunds_byChargeId" ON "public"."backend_billing_refunds" ((stripe ->> 'charge'::text));

-- 0006_checkout_sessions_byClientReferenceId
CREATE INDEX "backend_billing_checkout_sessions_byClientReferenceId" ON "public"."backend_billing_checkout_sessions" ((stripe ->> 'client_reference_id'::text));

-- 0007_usage
CREATE TABLE "public"."backend_billing_usage_balances" (
  "entity_id" text NOT NULL,
  "feature" text NOT NULL,
  "granted" bigint NOT NULL,
  "used" bigint NOT NULL,
  "held" bigint NOT NULL,
  "over_used" bigint NOT NULL,
  "over_held" bigint NOT NULL,
  "over_most" bigint NOT NULL,
  "over_for" text NOT NULL,
  "billed" boolean NOT NULL,
  "valid_until" bigint NOT NULL,
  "basis" text NOT NULL,
  CONSTRAINT "backend_billing_usage_balances_pkey" PRIMARY KEY ("entity_id", "feature")
);
CREATE TABLE "public"."backend_billing_usage_grants" (
  "entity_id" text NOT NULL,
  "feature" text NOT NULL,
  "key" text NOT NULL,
  "source" text NOT NULL,
  "original" bigint NOT NULL,
  "amount" bigint NOT NULL,
  "used" bigint NOT NULL,
  "held" bigint NOT NULL,
  "created_at" bigint NOT NULL,
  "expires_at" bigint,
  "live" boolean NOT NULL,
  "closed" boolean NOT NULL,
  CONSTRAINT "backend_billing_usage_grants_pkey" PRIMARY KEY ("entity_id", "feature", "key")
);
CREATE INDEX "backend_billing_usage_grants_open" ON "public"."backend_billing_usage_grants" ("entity_id", "feature") WHERE (NOT closed);
CREATE TABLE "public"."backend_billing_usage_holds" (
  "entity_id" text NOT NULL,
  "feature" text NOT NULL,
  "key" text NOT NULL,
  "amount" bigint NOT NULL,
  "over" bigint NOT NULL,
  "parts" jsonb NOT NULL,
  "state" text NOT NULL,
  "expires_at" bigint NOT NULL,
  CONSTRAINT "backend_billing_usage_holds_pkey" PRIMARY KEY ("entity_id", "feature", "key")
);
CREATE INDEX "backend_billing_usage_holds_held" ON "public"."backend_billing_usage_holds" ("entity_id", "feature") WHERE (state = 'held'::text);
CREATE TABLE "public"."backend_billing_usage_records" (
  "entity_id" text NOT NULL,
  "feature" text NOT NULL,
  "key" text NOT NULL,
  "amount" bigint NOT NULL,
  "over" bigint NOT NULL,
  "billed" boolean NOT NULL,
  "at" bigint NOT NULL,
  "batch" text,
  CONSTRAINT "backend_billing_usage_records_pkey" PRIMARY KEY ("entity_id", "feature", "key")
);
CREATE INDEX "backend_billing_usage_records_unsent" ON "public"."backend_billing_usage_records" ("entity_id", "feature", "at") WHERE (billed AND (batch IS NULL));
ALTER TABLE "public"."backend_billing_usage_balances" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_usage_balances" FROM PUBLIC;
ALTER TABLE "public"."backend_billing_usage_grants" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_usage_grants" FROM PUBLIC;
ALTER TABLE "public"."backend_billing_usage_holds" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_usage_holds" FROM PUBLIC;
ALTER TABLE "public"."backend_billing_usage_records" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_usage_records" FROM PUBLIC;

-- 0008_usage_days
CREATE TABLE "public"."backend_billing_usage_days" (
  "entity_id" text NOT NULL,
  "feature" text NOT NULL,
  "day" bigint NOT NULL,
  "amount" bigint NOT NULL,
  "over" bigint NOT NULL,
  "billed" bigint NOT NULL,
  "booked" bigint NOT NULL,
  CONSTRAINT "backend_billing_usage_days_pkey" PRIMARY KEY ("entity_id", "feature", "day")
);
ALTER TABLE "public"."backend_billing_usage_days" ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON TABLE "public"."backend_billing_usage_days" FROM PUBLIC;
CREATE INDEX "backend_billing_usage_grants_ended" ON "public"."backend_billing_usage_grants" ("expires_at") WHERE (closed AND (source = 'plan'::text));
CREATE INDEX "backend_billing_usage_holds_ended" ON "public"."backend_billing_usage_holds" ("expires_at") WHERE (state <> 'held'::text);
CREATE INDEX "backend_billing_usage_records_sent" ON "public"."backend_billing_usage_records" ("entity_id", "feature", "at") WHERE (billed AND (batch IS NOT NULL));
CREATE INDEX "backend_billing_usage_records_settled" ON "public"."backend_billing_usage_records" ("at") WHERE ((NOT billed) OR (batch IS NOT NULL));
