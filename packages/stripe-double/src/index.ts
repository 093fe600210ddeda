/**
 * A double of Stripe for tests: a real HTTP server on loopback that the real `stripe` package
 * talks to, with state, signed webhooks, a clock, hosted pages and faults on demand.
 *
 * @module stripe-double
 */
export type { Population, Seed } from "./bulk.js";
export type { Clock, Duration, Instant } from "./clock.js";
export type { Dashboard } from "./dashboard.js";
export { createStripeDouble } from "./double.js";
export { DoubleError } from "./errors.js";
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
export type { Plain } from "./plain.js";
export { newSeed } from "./random.js";
export type {
  ResetOptions,
  StripeDouble,
  StripeDoubleOptions,
  WebhookEndpoint,
  WebhookOptions,
} from "./stripe-double.js";
export type { Attempt, Deliveries, Delivery, FetchHandler } from "./webhooks.js";
export type { Kind, Objects } from "./world.js";
