/**
 * How fast Stripe may be asked, as a pure function of what all workers reserved so far. Each scope
 * (everything, and each endpoint) is a line of slots; a reservation takes the next free ones. A 429
 * makes the line of its scope slower, and time makes it faster again.
 */

import type { Rates } from "../runtime/config.js";
import type { Line, Pace } from "../runtime/records/records.js";

/** Stripe's limits: in live mode, and in test mode. */
export const STRIPE_RATES = {
  live: { total: 100, perEndpoint: 25 },
  test: { total: 25, perEndpoint: 25 },
} as const satisfies { readonly [mode: string]: Rates };

export const UNPACED: Pace = { total: null, endpoints: {} };

/** What is left unused of the limit: our clock and Stripe's are not one. */
const MARGIN = 0.04;
/** The part of the limit that is given back in a second without a 429. */
const RECOVERY = 0.02;
const CUT = 0.7;
const LOWEST = 0.04;
/** Milliseconds in which all 429s count as one, and for which the line then stands still. */
const SAME_CUT = 1_000;
const STANDSTILL = 300;
/** Milliseconds of slots that may be used at once after a pause. */
const BURST = 400;
/** A slot further away than this is another machine's wrong clock. */
export const HORIZON = 20_000;

const highest = (limit: number): number => limit * (1 - MARGIN);

/** The line as it is now: recovered, and neither long past nor far ahead. */
export function current(line: Line | undefined | null, limit: number, now: number): Line {
  if (line === undefined || line === null) {
    return { rate: highest(limit), at: now, next: now - BURST, cutAt: 0 };
  }
  const recovered = line.rate + (Math.max(0, now - line.at) / 1000) * RECOVERY * limit;
  const next = line.next > now + HORIZON ? now : Math.max(line.next, now - BURST);
  return { rate: Math.min(highest(limit), recovered), at: now, next, cutAt: line.cutAt };
}

export interface Reservation {
  readonly pace: Pace;
  /** When each request may be sent, by endpoint. */
  readonly slots: { readonly [endpoint: string]: readonly number[] };
}

/** Takes the next free slots. A slot in the past may be used at once. */
export function reserve(
  pace: Pace,
  wanted: { readonly [endpoint: string]: number },
  rates: Rates,
  now: number,
): Reservation {
  let total = current(pace.total, rates.total, now);
  const endpoints: { [endpoint: string]: Line } = { ...pace.endpoints };
  const slots: { [endpoint: string]: number[] } = {};
  for (const [endpoint, count] of Object.entries(wanted)) {
    const line = current(pace.endpoints[endpoint], rates.perEndpoint, now);
    const start = Math.max(line.next, total.next);
    const gap = 1000 / Math.min(line.rate, total.rate);
    slots[endpoint] = Array.from({ length: count }, (_, index) => Math.round(start + index * gap));
    endpoints[endpoint] = { ...line, next: start + count * gap };
    // The line of all endpoints moves by what was taken from it, not to the last slot: what lies
    // between this endpoint's slots is free for the others.
    total = { ...total, next: total.next + (count * 1000) / total.rate };
  }
  return { pace: { total, endpoints }, slots };
}

/** What a 429 was about, as Stripe's `Stripe-Rate-Limited-Reason` says. */
export type Scope = "total" | "endpoint" | "none";

/** A lock time-out has no reason, and what is particular to an object is no matter of pace. */
export function scopeOf(reason: string | undefined): Scope {
  if (reason === "global-rate" || reason === "global-concurrency") return "total";
  if (reason === "endpoint-rate" || reason === "endpoint-concurrency") return "endpoint";
  return "none";
}

/** Slower, after a 429. */
export function slowed(
  pace: Pace,
  endpoint: string,
  scope: Scope,
  rates: Rates,
  now: number,
): Pace {
  if (scope === "none") return pace;
  const [line, limit] =
    scope === "total" ? [pace.total, rates.total] : [pace.endpoints[endpoint], rates.perEndpoint];
  const known = current(line, limit, now);
  const again = Math.abs(now - known.cutAt) < SAME_CUT;
  const next: Line = {
    rate: again ? known.rate : Math.max(limit * LOWEST, known.rate * CUT),
    at: now,
    next: Math.max(known.next, now + STANDSTILL),
    cutAt: again ? known.cutAt : now,
  };
  return scope === "total"
    ? { ...pace, total: next }
    : { ...pace, endpoints: { ...pace.endpoints, [endpoint]: next } };
}
