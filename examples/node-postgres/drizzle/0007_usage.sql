CREATE TABLE "billing"."backend_billing_usage_balances" (
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
	CONSTRAINT "backend_billing_usage_balances_pkey" PRIMARY KEY("entity_id","feature")
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_usage_balances" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_usage_grants" (
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
	CONSTRAINT "backend_billing_usage_grants_pkey" PRIMARY KEY("entity_id","feature","key")
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_usage_grants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_usage_holds" (
	"entity_id" text NOT NULL,
	"feature" text NOT NULL,
	"key" text NOT NULL,
	"amount" bigint NOT NULL,
	"over" bigint NOT NULL,
	"parts" jsonb NOT NULL,
	"state" text NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "backend_billing_usage_holds_pkey" PRIMARY KEY("entity_id","feature","key")
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_usage_holds" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "billing"."backend_billing_usage_records" (
	"entity_id" text NOT NULL,
	"feature" text NOT NULL,
	"key" text NOT NULL,
	"amount" bigint NOT NULL,
	"over" bigint NOT NULL,
	"billed" boolean NOT NULL,
	"at" bigint NOT NULL,
	"batch" text,
	CONSTRAINT "backend_billing_usage_records_pkey" PRIMARY KEY("entity_id","feature","key")
);
--> statement-breakpoint
ALTER TABLE "billing"."backend_billing_usage_records" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "backend_billing_usage_grants_open" ON "billing"."backend_billing_usage_grants" USING btree ("entity_id","feature") WHERE (NOT closed);--> statement-breakpoint
CREATE INDEX "backend_billing_usage_holds_held" ON "billing"."backend_billing_usage_holds" USING btree ("entity_id","feature") WHERE (state = 'held'::text);--> statement-breakpoint
CREATE INDEX "backend_billing_usage_records_unsent" ON "billing"."backend_billing_usage_records" USING btree ("entity_id","feature","at") WHERE (billed AND (batch IS NULL));