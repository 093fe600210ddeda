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
