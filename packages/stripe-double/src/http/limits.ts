/** Stripe's rate limits: so many requests a second in all, and so many for one endpoint. */
import { ApiError } from "../api/errors.js";

/** Requests a second, in all and of one endpoint. */
export interface RateLimits {
  /** Requests a second in all: 100 in live mode, 25 in a sandbox. */
  readonly global: number;
  /** Requests a second for one method and path: 25. */
  readonly endpoint: number;
  /** Requests a second for search: 20. */
  readonly search: number;
}

/** Stripe's own limits, by mode. */
export const STRIPE_LIMITS = {
  live: { global: 100, endpoint: 25, search: 20 },
  sandbox: { global: 25, endpoint: 25, search: 20 },
} as const satisfies Record<string, RateLimits>;

/** Counts one request, or throws the 429 that it gets. Each owner has limits of its own. */
export type Limiter = (owner: string, signature: string, limits: RateLimits) => void;

export function createLimiter(now: () => number): Limiter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const take = (name: string, rate: number): boolean => {
    const bucket = buckets.get(name) ?? { tokens: rate, at: now() };
    bucket.tokens = Math.min(rate, bucket.tokens + ((now() - bucket.at) / 1000) * rate);
    bucket.at = now();
    buckets.set(name, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };
  return (owner, signature, limits) => {
    const rate = signature.endsWith("/search") ? limits.search : limits.endpoint;
    if (!take(`${owner} ${signature}`, rate)) throw rateLimited("endpoint-rate");
    if (!take(owner, limits.global)) throw rateLimited("global-rate");
  };
}

/** Stripe's reason for a 429, as in its header. */
export type LimitReason =
  | "global-rate"
  | "endpoint-rate"
  | "global-concurrency"
  | "endpoint-concurrency"
  | "resource-specific";

/** A 429; without a reason it is what a lock time-out looks like. */
export function rateLimited(reason?: LimitReason): ApiError {
  return new ApiError(
    429,
    {
      type: "invalid_request_error",
      code: reason === undefined ? "lock_timeout" : "rate_limit",
      message:
        reason === undefined
          ? "This object cannot be accessed right now because another API request or Stripe process is currently accessing it."
          : "Request rate limit exceeded. Learn more about rate limits in Stripe's documentation.",
    },
    {
      validation: true,
      headers: reason === undefined ? {} : { "Stripe-Rate-Limited-Reason": reason },
    },
  );
}
