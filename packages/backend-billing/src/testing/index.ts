/**
 * What the tests of an application need: the double of Stripe, which is the package `stripe-double`,
 * with what it can do for an application on this library; and a store in memory.
 *
 * @module backend-billing/testing
 */
export type {
  Access,
  ActiveFault,
  Attempt,
  Clock,
  Dashboard,
  Deliveries,
  Delivery,
  DeliveryFault,
  Duration,
  Fault,
  FaultName,
  Faults,
  FetchHandler,
  Instant,
  Kind,
  LimitReason,
  LoggedRequest,
  Objects,
  Population,
  RateLimits,
  RequestFault,
  RequestLog,
  ResetOptions,
  Seed,
  StripeDoubleOptions,
  WebhookEndpoint,
  WebhookOptions,
} from "stripe-double";
export { DoubleError, STRIPE_LIMITS } from "stripe-double";
export { createMemoryStore } from "../memory/store.js";
export type { SettledConvex } from "./convex.js";
export {
  createStripeDouble,
  type DoubleOptions,
  type PaidCheckout,
  type StripeDouble,
} from "./double.js";
export type { SettledLibrary } from "./settle-library.js";
export { convexVitestConfig } from "./vitest.js";
