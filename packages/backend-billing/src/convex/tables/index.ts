/**
 * The tables to spread into an application's schema, without `stripe`.
 *
 * @module backend-billing/convex/tables
 */
export { type BillingTables, billingTables, createTables } from "./tables.js";
