/**
 * The reads for an application's own queries and mutations, without `stripe`: a function that imports
 * only this loads in a fraction of the time.
 *
 * @module backend-billing/convex/local
 */
export { decode, encode } from "./calls/encode.js";
export { activeSubscriptionsOf, customerOf, plans, type ReadContext } from "./reads.js";
export type { Documents } from "./tables/tables.js";
