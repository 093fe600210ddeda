CREATE TABLE "billing"."backend_billing_checkout_sessions" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"checkout_session_id" text NOT NULL,
	"customer_id" text,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_checkout_sessions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_invoices" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"invoice_id" text NOT NULL,
	"customer_id" text,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_invoices" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_subscription_schedules" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"subscription_schedule_id" text NOT NULL,
	"customer_id" text NOT NULL,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_subscription_schedules" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_checkout_sessions_byCheckoutSessionId" ON "billing"."backend_billing_checkout_sessions" USING btree ("checkout_session_id");--> statement-breakpoint
CREATE INDEX "backend_billing_checkout_sessions_byCustomerId" ON "billing"."backend_billing_checkout_sessions" USING btree ("customer_id");--> statement-breakpoint
CREATE INDEX "backend_billing_checkout_sessions_byStatus" ON "billing"."backend_billing_checkout_sessions" USING btree ((stripe ->> 'status'::text));--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_invoices_byInvoiceId" ON "billing"."backend_billing_invoices" USING btree ("invoice_id");--> statement-breakpoint
CREATE INDEX "backend_billing_invoices_byCustomerId" ON "billing"."backend_billing_invoices" USING btree ("customer_id");--> statement-breakpoint
CREATE INDEX "backend_billing_invoices_bySubscriptionId" ON "billing"."backend_billing_invoices" USING btree ((((stripe -> 'parent'::text) -> 'subscription_details'::text) ->> 'subscription'::text));--> statement-breakpoint
CREATE INDEX "backend_billing_invoices_byStatus" ON "billing"."backend_billing_invoices" USING btree ((stripe ->> 'status'::text));--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_subscription_schedules_bySubscriptionScheduleId" ON "billing"."backend_billing_subscription_schedules" USING btree ("subscription_schedule_id");--> statement-breakpoint
CREATE INDEX "backend_billing_subscription_schedules_byCustomerId" ON "billing"."backend_billing_subscription_schedules" USING btree ("customer_id");--> statement-breakpoint
CREATE INDEX "backend_billing_subscription_schedules_bySubscriptionId" ON "billing"."backend_billing_subscription_schedules" USING btree ((stripe ->> 'subscription'::text));--> statement-breakpoint
CREATE INDEX "backend_billing_prices_byLookupKey" ON "billing"."backend_billing_prices" USING btree ((stripe ->> 'lookup_key'::text));--> statement-breakpoint
CREATE INDEX "backend_billing_subscriptions_byStatus" ON "billing"."backend_billing_subscriptions" USING btree ((stripe ->> 'status'::text));