/**
 * backend-billing on Convex: both variants of the public surface, the tables to spread into a
 * schema, and the reads for an application's own queries.
 *
 * @module backend-billing/convex
 */
export {
  type BillingClient,
  type BillingExports,
  type Client,
  createBilling,
  createStripe,
  type StripeClient,
  type StripeExports,
} from "./billing.js";
export { decode, encode } from "./calls/encode.js";
export type { ConvexConfig } from "./config.js";
export type { CronOptions } from "./crons.js";
export { type BillingErrorData, billingErrorOf } from "./errors.js";
export { activeSubscriptionsOf, customerOf, plans, type ReadContext } from "./reads.js";
export type { ActionContext } from "./runtime.js";
export {
  type BillingTables,
  billingTables,
  createTables,
  type Documents,
} from "./tables/tables.js";
