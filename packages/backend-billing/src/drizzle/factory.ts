/** The tables in a schema of another name than the default. */
import { pgSchema, pgTable } from "drizzle-orm/pg-core";
import { defineTables } from "./define.js";

/** What the tables need to know beside their place. */
export interface BillingTablesOptions {
  /**
   * The roles that the application connects as, where it does not own the tables. They get a policy
   * that shows them every row; their grants are yours to make, as drizzle-kit makes none.
   */
  readonly roles?: readonly string[];
}

const inPublic = (roles: readonly string[]) => defineTables(pgTable, roles);

const inSchema = <S extends string>(name: S, roles: readonly string[]) => {
  const billingSchema = pgSchema(name);
  return { billingSchema, ...defineTables(billingSchema.table, roles) };
};

/** All tables in a schema of some name, and the schema itself. */
type TablesIn<S extends string> = ReturnType<typeof inSchema<S>>;

/**
 * All tables in the schema of that name, and the schema itself as `billingSchema`, so that
 * drizzle-kit creates it. For `public` there is no `billingSchema`: every database has that one.
 * drizzle-kit sees only what a file exports by name, never an exported object, so take the result
 * apart: leave out no table but those of resources that you do not mirror.
 *
 * @example
 * ```ts
 * import { createBillingTables } from "backend-billing/drizzle";
 *
 * export const { billingSchema, billingProducts, billingPrices } = createBillingTables("payments");
 * ```
 */
export function createBillingTables(
  schemaName: "public",
  options?: BillingTablesOptions,
): ReturnType<typeof inPublic>;
export function createBillingTables<S extends string>(
  schemaName: S,
  options?: BillingTablesOptions,
): TablesIn<S>;
export function createBillingTables(
  schemaName: string,
  { roles = [] }: BillingTablesOptions = {},
): ReturnType<typeof inPublic> | TablesIn<string> {
  // Drizzle refuses `public` as the name of a schema; tables that name none are there.
  return schemaName === "public" ? inPublic(roles) : inSchema(schemaName, roles);
}
