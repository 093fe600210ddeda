/**
 * Where to split a listing that proves long, so that several workers can share it. Nobody knows
 * beforehand how an account's objects are spread over time; a listing that is not at its end after a
 * page gives equal parts of its remaining time away, and so does each part again. Pure.
 */
import type { Range, Run } from "./run.js";

/** Before that there was no Stripe. */
const STRIPE_BEGAN = Date.UTC(2010, 0, 1) / 1000;
/** What will probably take fewer pages than this is not worth sharing. */
const FEW_PAGES = 4;
/** Listings at once: more than there are workers, so that who has finished one finds another. */
const OPEN_PER_WORKER = 1.5;
/** At least so many, because several processes may work at a run. */
const LEAST_OPEN = 8;
/** Listings of one list over a whole run. */
const MOST_EVER = 512;

/** How many listings a run may have more than it has, of one list, for so many workers. */
export function roomIn(run: Pick<Run, "open" | "made">, group: string, workers: number): number {
  const open = Object.values(run.open).reduce((sum, each) => sum + each, 0);
  const most = Math.max(LEAST_OPEN, Math.ceil(workers * OPEN_PER_WORKER));
  return Math.max(0, Math.min(most - open, MOST_EVER - (run.made[group] ?? 0)));
}

export interface Listing {
  readonly range: Range;
  /** When the last page's first and last object were created. */
  readonly newest: number;
  readonly oldest: number;
  /** When the account was made. It only guides the split: the oldest range has no bound. */
  readonly accountCreated?: number | undefined;
}

/**
 * The seconds at which to split what is left into no more than so many parts beside the one that
 * goes on: the latest first. What was created before each goes to somebody else.
 */
export function splitPoints(listing: Listing, room: number): readonly number[] {
  const { range, newest, oldest, accountCreated = STRIPE_BEGAN } = listing;
  const from = range.from ?? Math.min(accountCreated, oldest);
  const left = oldest - from;
  const pages = left / Math.max(1, newest - oldest);
  if (pages < FEW_PAGES) return [];
  const parts = Math.min(room, Math.max(1, Math.floor(pages / FEW_PAGES) - 1));
  const points = Array.from(
    { length: parts },
    (_, part) => oldest - Math.floor((left * (part + 1)) / (parts + 1)),
  );
  return [...new Set(points)].filter((point) => point > from);
}
