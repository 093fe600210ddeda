/**
 * How a change is told: what is remembered of it meanwhile, when it is tried again, and when it is set
 * aside. Pure; the moments are the database's, because the processes that try may have other clocks.
 */
import type { StoredChange } from "../mirror/changes.js";

/** A change, and how far it is told. */
export interface Delivery extends StoredChange {
  /** Those that were told of it, by their names. Each is told by itself: one that fails must not repeat others. */
  readonly done?: readonly string[];
  /** What follows from it is stored, though it is not told to the end (telling/became.ts). */
  readonly followed?: boolean;
  /** How often the next was tried, and since when, in milliseconds. */
  readonly attempts?: number;
  readonly since?: number;
  /** When it was last tried. */
  readonly last?: number;
  /** It failed for too long. Later changes of its object go on without it. */
  readonly parked?: boolean;
  /** It was parked, so that later ones may have been told before it. */
  readonly late?: boolean;
}

/** The change that a record holds. */
export const deliveryIn = ({ data }: { readonly data: object }): Delivery => data as Delivery;

/** Milliseconds. */
export interface DeliveryTiming {
  /** For which a handler may take its time. */
  readonly limit: number;
  /** After a first failure, and at most. */
  readonly pause: number;
  readonly longestPause: number;
  /** For which a change is tried, */
  readonly patience: number;
  /** and how often at least: workers may have been away for longer. */
  readonly least: number;
}

export const DELIVERY_TIMING: DeliveryTiming = {
  limit: 30_000,
  pause: 5_000,
  longestPause: 60 * 60_000,
  patience: 3 * 24 * 60 * 60_000,
  least: 10,
};

/** What is stored before a handler is called. One that ends its process is counted, too. */
export type Attempt =
  | {
      readonly isParked: false;
      readonly next: Delivery;
      readonly due: number;
      readonly pause: number;
    }
  | { readonly isParked: true; readonly next: Delivery; readonly due: null };

/** Another role of the database may have written the record. */
const wholeOr = (value: unknown, otherwise: number): number =>
  Number.isSafeInteger(value) ? (value as number) : otherwise;

/** It is due again after the handler's time and a pause, or parked where it was tried for long enough. */
export function attempt(change: Delivery, now: number, timing: DeliveryTiming): Attempt {
  const attempts = wholeOr(change.attempts, 0);
  const [since, last] = [wholeOr(change.since, now), wholeOr(change.last, now)];
  if (last - since > timing.patience && attempts >= timing.least) {
    return { isParked: true, next: { ...change, parked: true }, due: null };
  }
  const pause = Math.min(timing.longestPause, timing.pause * 2 ** Math.min(attempts, 30));
  const next = { ...change, since, attempts: attempts + 1, last: now };
  return { isParked: false, next, due: now + timing.limit + pause, pause };
}

/** The change after one more was told of it. */
export function advanced(change: Delivery, name: string): Delivery {
  const { attempts: _attempts, since: _since, last: _last, ...rest } = change;
  return { ...rest, done: [...(change.done ?? []), name] };
}
