CREATE SCHEMA "billing";
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"entity_id" uuid NOT NULL,
	"price_id" text NOT NULL,
	"name" text NOT NULL,
	"paid_at" timestamp
);
--> statement-breakpoint
CREATE TABLE "organisations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"owner_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"token" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"password" text NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_coupons" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"coupon_id" text NOT NULL,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_coupons" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_customers" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"customer_id" text NOT NULL,
	"entity_id" text,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_customers" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_payouts" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"payout_id" text NOT NULL,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_payouts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_prices" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"price_id" text NOT NULL,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_prices" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_products" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"product_id" text NOT NULL,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_products" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_promotion_codes" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"promotion_code_id" text NOT NULL,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_promotion_codes" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_receipts" (
	"event_id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"created" bigint NOT NULL,
	"object_id" text,
	"received_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_receipts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_records" (
	"kind" text NOT NULL,
	"id" text NOT NULL,
	"revision" bigint NOT NULL,
	"ref" text,
	"due" bigint,
	"data" jsonb NOT NULL,
	CONSTRAINT "backend_billing_records_pkey" PRIMARY KEY("kind","id")
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_records" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_refunds" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"refund_id" text NOT NULL,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_refunds" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_subscriptions" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"subscription_id" text,
	"customer_id" text NOT NULL,
	"stripe" jsonb,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_subscriptions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_versions" (
	"resource" text NOT NULL,
	"id" text NOT NULL,
	"revision" bigint NOT NULL,
	"state" text NOT NULL,
	"lo" bigint NOT NULL,
	"hi" bigint NOT NULL,
	"first" boolean NOT NULL,
	"ask_at" bigint,
	CONSTRAINT "backend_billing_versions_pkey" PRIMARY KEY("resource","id")
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_versions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "organisations" ADD CONSTRAINT "organisations_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "orders_one_unpaid" ON "orders" USING btree ("entity_id","price_id") WHERE paid_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_coupons_byCouponId" ON "billing"."backend_billing_coupons" USING btree ("coupon_id");--> statement-breakpoint
CREATE INDEX "backend_billing_customers_byEntityId" ON "billing"."backend_billing_customers" USING btree ("entity_id");--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_customers_byCustomerId" ON "billing"."backend_billing_customers" USING btree ("customer_id");--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_payouts_byPayoutId" ON "billing"."backend_billing_payouts" USING btree ("payout_id");--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_prices_byPriceId" ON "billing"."backend_billing_prices" USING btree ("price_id");--> statement-breakpoint
CREATE INDEX "backend_billing_prices_byProductId" ON "billing"."backend_billing_prices" USING btree ((stripe ->> 'product'::text));--> statement-breakpoint
CREATE INDEX "backend_billing_prices_byActive" ON "billing"."backend_billing_prices" USING btree ((stripe ->> 'active'::text));--> statement-breakpoint
CREATE INDEX "backend_billing_prices_byRecurringInterval" ON "billing"."backend_billing_prices" USING btree (((stripe -> 'recurring'::text) ->> 'interval'::text));--> statement-breakpoint
CREATE INDEX "backend_billing_prices_byCurrency" ON "billing"."backend_billing_prices" USING btree ((stripe ->> 'currency'::text));--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_products_byProductId" ON "billing"."backend_billing_products" USING btree ("product_id");--> statement-breakpoint
CREATE INDEX "backend_billing_products_byActive" ON "billing"."backend_billing_products" USING btree ((stripe ->> 'active'::text));--> statement-breakpoint
CREATE INDEX "backend_billing_products_byName" ON "billing"."backend_billing_products" USING btree ("left"((stripe ->> 'name'::text), 200));--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_promotion_codes_byPromotionCodeId" ON "billing"."backend_billing_promotion_codes" USING btree ("promotion_code_id");--> statement-breakpoint
CREATE INDEX "backend_billing_receipts_byReceivedAt" ON "billing"."backend_billing_receipts" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "backend_billing_records_byDue" ON "billing"."backend_billing_records" USING btree ("kind","due") WHERE (due IS NOT NULL);--> statement-breakpoint
CREATE INDEX "backend_billing_records_byRef" ON "billing"."backend_billing_records" USING btree ("kind","ref","id") WHERE (ref IS NOT NULL);--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_records_oneClaimPerCustomer" ON "billing"."backend_billing_records" USING btree ("ref") WHERE ((kind = 'claim'::text) AND (ref IS NOT NULL));--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_refunds_byRefundId" ON "billing"."backend_billing_refunds" USING btree ("refund_id");--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_subscriptions_bySubscriptionId" ON "billing"."backend_billing_subscriptions" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "backend_billing_subscriptions_byCustomerId" ON "billing"."backend_billing_subscriptions" USING btree ("customer_id");--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_subscriptions_oneEmptyRow" ON "billing"."backend_billing_subscriptions" USING btree ("customer_id") WHERE (subscription_id IS NULL);--> statement-breakpoint
CREATE INDEX "backend_billing_versions_byAskAt" ON "billing"."backend_billing_versions" USING btree ("ask_at") WHERE (ask_at IS NOT NULL);