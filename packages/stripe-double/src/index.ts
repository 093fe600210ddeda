/**
 * A double of Stripe for tests: a real HTTP server on loopback that the real `stripe` package
 * talks to, with state, signed webhooks, a clock, hosted pages and faults on demand.
 *
 * @module stripe-double
 */

export { DoubleError } from "./api/errors.js";
export type { Dashboard } from "./dashboard.js";
export { createStripeDouble } from "./double.js";
export type {
  ActiveFault,
  DeliveryFault,
  Fault,
  FaultName,
  Faults,
  RequestFault,
} from "./faults.js";
export type { Access } from "./http/keys.js";
export { type LimitReason, type RateLimits, STRIPE_LIMITS } from "./http/limits.js";
export type { LoggedRequest, RequestLog } from "./http/log.js";
export type { UnmodelledRequest } from "./http/unmodelled.js";
export type {
  ResetOptions,
  StripeDouble,
  StripeDoubleOptions,
  WebhookEndpoint,
  WebhookOptions,
} from "./stripe-double.js";
export type { Attempt, Deliveries, Delivery, FetchHandler } from "./webhooks/webhooks.js";
export type { Population, Seed } from "./world/bulk.js";
export type { Clock, Duration, Instant } from "./world/clock.js";
export type { Plain } from "./world/plain.js";
export { newSeed } from "./world/random.js";
export type { Kind, Objects } from "./world/world.js";
