/**
 * backend-billing on Convex: both variants of the public surface, the tables to spread into a
 * schema, and the reads for an application's own queries.
 *
 * @module backend-billing/convex
 */
export { billingErrorOf } from "../core/runtime/errors.js";
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
export type { Reaction, Reactions } from "./reactions/on.js";
export {
  createLocal,
  type Local,
} from "./reads/create-local.js";
export {
  invoicesOf,
  paymentMethodsOf,
  priceBy,
  purchaseBy,
  purchasesOf,
  type Reads,
  refundsOf,
  subscriptionOf,
  subscriptionsBy,
  subscriptionsOf,
} from "./reads/local.js";
export { activeSubscriptionsOf, customerOf, plans, type ReadContext } from "./reads/reads.js";
export type { BillingErrorData } from "./rethrow.js";
export type { ActionContext } from "./runtime.js";
export {
  type BillingTables,
  billingTables,
  createTables,
  type Documents,
} from "./tables/tables.js";
