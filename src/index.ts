/**
 * The parts of backend-billing that every platform shares: the catalogue of mirrored resources, the
 * types of their rows, errors, and the port that a database is used through.
 *
 * @module
 */
export {
  type Effect,
  effectsByEvent,
  enabledEvents,
  type ResourceName,
  type Resources,
  type Row,
  resourceNames,
  type StripeObject,
} from "./core/catalogue.js";
export { BillingError, type BillingErrorCode } from "./core/errors.js";
export type { Plain } from "./core/plain.js";
export { resources } from "./core/resources.js";
export type {
  Ask,
  Batch,
  Committed,
  Lease,
  Outcome,
  Plan,
  Receipt,
  RecordData,
  RecordKind,
  RecordWish,
  RecordWrite,
  Snapshot,
  Store,
  StoredRecord,
  Unit,
  UnitOutcome,
} from "./core/store.js";
