DROP INDEX "backend_billing_products_byName";--> statement-breakpoint
CREATE INDEX "backend_billing_products_byName" ON "backend_billing_products" USING btree ("left"((stripe ->> 'name'::text), 200));