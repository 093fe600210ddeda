/**
 * The reads for an application's own queries and mutations, without `stripe`: a function that imports
 * only this loads in a fraction of the time.
 *
 * @module backend-billing/convex/local
 */

export type { Purchase } from "../core/purchases/purchase.js";
export type { PurchaseBy } from "../core/purchases/reads.js";
export type { PurchaseLine } from "../core/runtime/records/records.js";
export type {
  InGroup,
  SubscribedPage,
  SubscriptionsBy,
} from "../core/subscriptions/reads.js";
export type {
  NextChange,
  NotSubscribed,
  Status,
  Subscribed,
  SubscribedItem,
  SubscriptionState,
} from "../core/subscriptions/state.js";
export type { GrantArgs, ReserveArgs, UseArgs } from "../core/usage/args.js";
export type { Consumed, Reserved, UsageBalance } from "../core/usage/usage.js";
export { decode, encode } from "./calls/encode.js";
export { createLocal, type Local, type LocalOptions } from "./reads/create-local.js";
export {
  can,
  invoicesOf,
  limit,
  paymentMethodsOf,
  planOf,
  priceBy,
  purchaseBy,
  purchasesOf,
  type Reads,
  refundsOf,
  subscriptionOf,
  subscriptionsBy,
  subscriptionsOf,
} from "./reads/local.js";
export {
  activeSubscriptionsOf,
  customerOf,
  plans,
  type ReadContext,
  type WriteContext,
} from "./reads/reads.js";
export type { Documents } from "./tables/tables.js";
export type { Usage } from "./usage/usage.js";
