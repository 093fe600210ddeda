/**
 * Where to split a listing that proves long, so that several workers can share it. Nobody knows
 * beforehand how an account's objects are spread over time; a listing that is not at its end after a
 * page gives the older half of its remaining time away, and so does each half again. Pure.
 */
import type { Range } from "./run.js";

/** Before that there was no Stripe. It only guides the split: the oldest range has no bound. */
const STRIPE_BEGAN = Date.UTC(2010, 0, 1) / 1000;
/** What will probably take fewer pages than this is not worth sharing. */
const FEW_PAGES = 4;
/** Listings of one list at once, and over a whole run. */
export const MOST_OPEN = 16;
export const MOST_EVER = 512;

export interface Listing {
  readonly range: Range;
  /** When the last page's first and last object were created. */
  readonly newest: number;
  readonly oldest: number;
}

/** The second at which to split what is left: what was created before it goes to somebody else. */
export function splitPoint({ range, newest, oldest }: Listing): number | undefined {
  const from = range.from ?? Math.min(STRIPE_BEGAN, oldest);
  const left = oldest - from;
  const aPage = Math.max(1, newest - oldest);
  if (left / aPage < FEW_PAGES) return undefined;
  return from + Math.ceil(left / 2);
}
