CREATE TABLE "billing"."backend_billing_usage_days" (
	"entity_id" text NOT NULL,
	"feature" text NOT NULL,
	"day" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"over" bigint NOT NULL,
	"billed" bigint NOT NULL,
	"booked" bigint NOT NULL,
	CONSTRAINT "backend_billing_usage_days_pkey" PRIMARY KEY("entity_id","feature","day")
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_usage_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "backend_billing_usage_grants_ended" ON "billing"."backend_billing_usage_grants" USING btree ("expires_at") WHERE (closed AND (source = 'plan'::text));--> statement-breakpoint
CREATE INDEX "backend_billing_usage_holds_ended" ON "billing"."backend_billing_usage_holds" USING btree ("expires_at") WHERE (state <> 'held'::text);--> statement-breakpoint
CREATE INDEX "backend_billing_usage_records_sent" ON "billing"."backend_billing_usage_records" USING btree ("entity_id","feature","at") WHERE (billed AND (batch IS NOT NULL));--> statement-breakpoint
CREATE INDEX "backend_billing_usage_records_settled" ON "billing"."backend_billing_usage_records" USING btree ("at") WHERE ((NOT billed) OR (batch IS NOT NULL));