/** The tables in a schema of another name than `public`. */
import { pgSchema } from "drizzle-orm/pg-core";
import { BillingError } from "../core/errors.js";
import { defineTables } from "./define.js";

/**
 * All tables in the schema of that name, and the schema itself as `billingSchema`, so that
 * drizzle-kit creates it. drizzle-kit sees only what a file exports by name, never an exported
 * object, so take the result apart.
 *
 * @example
 * ```ts
 * import { createBillingTables } from "backend-billing/drizzle";
 *
 * export const { billingSchema, billingProducts, billingPrices } = createBillingTables("billing");
 * ```
 */
export function createBillingTables<S extends string>(schemaName: S) {
  // `public` is where Drizzle puts tables that name no schema; it refuses the name itself.
  if (schemaName === "public") {
    throw new BillingError(
      "invalid_argument",
      'For the schema `public` write `export * from "backend-billing/drizzle"` instead.',
    );
  }
  const billingSchema = pgSchema(schemaName);
  return { billingSchema, ...defineTables(billingSchema.table) };
}
