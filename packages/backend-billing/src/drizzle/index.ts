/**
 * The tables for an app's Drizzle schema, the same ones that `migrate` creates. drizzle-kit then
 * owns them: generate, push and migrate with it, and never call `migrate` on that database.
 *
 * @example
 * ```ts
 * // schema.ts of the app
 * export * from "backend-billing/drizzle";
 * ```
 *
 * @module backend-billing/drizzle
 */
export { type BillingTablesOptions, createBillingTables } from "./factory.js";
export type * from "./objects.js";
export * from "./tables.js";
