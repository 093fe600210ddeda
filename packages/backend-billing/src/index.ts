/**
 * The parts of backend-billing that every platform shares: the catalogue of mirrored resources, the
 * types of their rows, errors, and the port that a database is used through.
 *
 * @module backend-billing
 */
export {
  type DefaultResource,
  defaultResources,
  type Effect,
  effectsByEvent,
  enabledEvents,
  type ResourceChoice,
  type ResourceName,
  type Resources,
  type Row,
  resourceNames,
  type StripeObject,
} from "./core/catalogue/catalogue.js";
export type { Plain } from "./core/catalogue/plain.js";
export { resources } from "./core/catalogue/resources.js";
export type { AdoptArgs } from "./core/customers/adopt/judge.js";
export type { SetupArgs } from "./core/customers/setup.js";
export type { Link, Page, Ui } from "./core/links/page.js";
export type {
  CheckoutArgs,
  PayArgs,
  PayParams,
  Priced,
  SaveArgs,
  SaveParams,
  Selling,
  SubscribeParams,
} from "./core/links/params.js";
export type { PortalArgs, PortalParams } from "./core/links/portal.js";
export type { Tolerances } from "./core/mirror/interval.js";
export type {
  Ask,
  Batch,
  Committed,
  Held,
  HeldOptions,
  HeldProduct,
  Lease,
  LocalReads,
  Offer,
  Outcome,
  Plan,
  Purchased,
  PurchaseFacts,
  Receipt,
  RecordData,
  RecordKind,
  RecordRequest,
  RecordWrite,
  Revenue,
  Snapshot,
  Store,
  StoredRecord,
  SubscriptionFacts,
  SubscriptionPage,
  Unit,
  UnitOutcome,
} from "./core/mirror/store.js";
export type { Purchase } from "./core/purchases/purchase.js";
export type { PurchaseBy, PurchaseReads } from "./core/purchases/reads.js";
export type { Change, RawEvent } from "./core/reactions/change.js";
export type { BillingEvent, EventName, Events, Step } from "./core/reactions/event.js";
export type {
  BillingConfig,
  IfSubscribed,
  LogDetails,
  Logger,
  Rates,
  Timing,
} from "./core/runtime/config.js";
export {
  BillingError,
  type BillingErrorCode,
  type BillingErrorStatus,
  billingErrorOf,
} from "./core/runtime/errors.js";
export type { PurchaseLine } from "./core/runtime/records/records.js";
export type {
  Confidence,
  Drift,
  OtherEndpoint,
  PortalReport,
  SetAside,
  SetAsideReport,
  UsageDifference,
  UsageProgress,
  WebhookReport,
} from "./core/runtime/reports.js";
export {
  type Attributes,
  METRICS,
  type MetricAttributes,
  type MetricName,
  type OperationName,
  type Span,
  type Telemetry,
} from "./core/runtime/telemetry/telemetry.js";
export type {
  CancelArgs,
  ChangeArgs,
  Changed,
  OfEntity,
  Preview,
  ResumeArgs,
  When,
} from "./core/subscriptions/change/args.js";
export type { GateReads } from "./core/subscriptions/gates.js";
export type {
  InGroup,
  SubscribedPage,
  SubscriptionReads,
  SubscriptionsBy,
} from "./core/subscriptions/reads.js";
export type {
  NextChange,
  NotSubscribed,
  Status,
  Subscribed,
  SubscribedItem,
  SubscriptionState,
} from "./core/subscriptions/state.js";
export type { GrantArgs, ReserveArgs, UseArgs } from "./core/usage/args.js";
export type {
  Consumed,
  Reserved,
  UsageBalance,
  UsageReads,
  UsageWrites,
} from "./core/usage/usage.js";
