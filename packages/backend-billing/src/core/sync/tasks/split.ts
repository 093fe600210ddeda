/**
 * Where to split a listing that proves long, so that several workers can share it. How an account's
 * objects are spread over time is not known beforehand; a listing that is not at its end after a
 * page gives parts of its remaining time away, and so does each part again. Pure.
 */
import type { Range } from "../run/partition.js";
import type { Run } from "../run/run.js";

/** The second before which no Stripe object was created. */
const STRIPE_BEGAN = Date.UTC(2010, 0, 1) / 1000;
/** What will probably take fewer pages than this is not worth sharing. */
const FEW_PAGES = 4;
/** Parts are made about this long, in pages, or longer: the last page of each is not full. */
const PART_PAGES = 8;
/**
 * Where the page just read lets one expect more than this, the account has rather grown of late: the
 * parts are not made equal then but each half as long as the one before it in time, so that few of
 * them are empty.
 */
const MANY_PAGES = 1000;
/** Listings of one list at once. As many as it takes to read as fast as Stripe allows. */
const MOST_OPEN = 16;
/** More than there are workers, so that a worker that has finished one finds another. */
const OPEN_PER_WORKER = 1.5;
/** Listings of one list over a whole run. */
const MOST_EVER = 512;

/** How many listings of one list a run may have more than it has, for a process's workers. */
export function roomIn(run: Pick<Run, "open" | "made">, group: string, workers: number): number {
  const most = Math.max(MOST_OPEN, Math.ceil(workers * OPEN_PER_WORKER));
  const [open = 0, made = 0] = [run.open[group], run.made[group]];
  return Math.max(0, Math.min(most - open, MOST_EVER - made));
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
 * goes on: the latest first. What was created before each becomes another partition.
 */
export function splitPoints(listing: Listing, room: number): readonly number[] {
  const { range, newest, oldest, accountCreated = STRIPE_BEGAN } = listing;
  const from = range.from ?? Math.min(accountCreated, oldest);
  const left = oldest - from;
  const pages = left / Math.max(1, newest - oldest);
  if (pages < FEW_PAGES) return [];
  const parts = Math.min(room, Math.max(1, Math.floor(pages / PART_PAGES) - 1));
  const shares = Array.from({ length: parts }, (_, part) =>
    pages > MANY_PAGES ? 1 / 2 ** (parts - part) : (part + 1) / (parts + 1),
  );
  const points = shares.map((share) => oldest - Math.floor(left * share));
  return [...new Set(points)].filter((point) => point > from);
}
