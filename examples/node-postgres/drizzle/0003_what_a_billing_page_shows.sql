CREATE TABLE "billing"."backend_billing_charges" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"charge_id" text NOT NULL,
	"customer_id" text,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_charges" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_disputes" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"dispute_id" text NOT NULL,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_disputes" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_payment_intents" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"payment_intent_id" text NOT NULL,
	"customer_id" text,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_payment_intents" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_payment_methods" (
	"_id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"payment_method_id" text NOT NULL,
	"customer_id" text,
	"stripe" jsonb NOT NULL,
	"last_synced_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_payment_methods" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_charges_byChargeId" ON "billing"."backend_billing_charges" USING btree ("charge_id");--> statement-breakpoint
CREATE INDEX "backend_billing_charges_byCustomerId" ON "billing"."backend_billing_charges" USING btree ("customer_id");--> statement-breakpoint
CREATE INDEX "backend_billing_charges_byPaymentIntentId" ON "billing"."backend_billing_charges" USING btree ((stripe ->> 'payment_intent'::text));--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_disputes_byDisputeId" ON "billing"."backend_billing_disputes" USING btree ("dispute_id");--> statement-breakpoint
CREATE INDEX "backend_billing_disputes_byChargeId" ON "billing"."backend_billing_disputes" USING btree ((stripe ->> 'charge'::text));--> statement-breakpoint
CREATE INDEX "backend_billing_disputes_byPaymentIntentId" ON "billing"."backend_billing_disputes" USING btree ((stripe ->> 'payment_intent'::text));--> statement-breakpoint
CREATE INDEX "backend_billing_disputes_byStatus" ON "billing"."backend_billing_disputes" USING btree ((stripe ->> 'status'::text));--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_payment_intents_byPaymentIntentId" ON "billing"."backend_billing_payment_intents" USING btree ("payment_intent_id");--> statement-breakpoint
CREATE INDEX "backend_billing_payment_intents_byCustomerId" ON "billing"."backend_billing_payment_intents" USING btree ("customer_id");--> statement-breakpoint
CREATE INDEX "backend_billing_payment_intents_byStatus" ON "billing"."backend_billing_payment_intents" USING btree ((stripe ->> 'status'::text));--> statement-breakpoint
CREATE UNIQUE INDEX "backend_billing_payment_methods_byPaymentMethodId" ON "billing"."backend_billing_payment_methods" USING btree ("payment_method_id");--> statement-breakpoint
CREATE INDEX "backend_billing_payment_methods_byCustomerId" ON "billing"."backend_billing_payment_methods" USING btree ("customer_id");