/**
 * The parts of backend-billing that every platform shares: the catalogue of mirrored resources, the
 * types of their rows, errors, and the port that a database is used through.
 *
 * @module backend-billing
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
export type { BillingConfig, LogDetails, Logger, Timing } from "./core/config.js";
export type { SetupArgs } from "./core/customers.js";
export { BillingError, type BillingErrorCode } from "./core/errors.js";
export type { Tolerances } from "./core/interval.js";
export type {
  CheckoutArgs,
  Link,
  PayParams,
  PortalArgs,
  PortalParams,
  SubscribeParams,
} from "./core/links.js";
export type { Plain } from "./core/plain.js";
export { resources } from "./core/resources.js";
export type { SetAside, SetAsideReport } from "./core/set-aside.js";
export type {
  Ask,
  Batch,
  Committed,
  Lease,
  Offer,
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
export type { Confidence } from "./core/sync/confidence.js";
export type { Drift } from "./core/sync/drift.js";
export type { OtherEndpoint, WebhookReport } from "./core/sync/endpoint.js";
export type { Rates } from "./core/sync/pace.js";
export type { PortalReport } from "./core/sync/portal.js";
export {
  type Attributes,
  METRICS,
  type MetricAttributes,
  type MetricName,
  type OperationName,
  type Span,
  type Telemetry,
} from "./core/telemetry.js";
