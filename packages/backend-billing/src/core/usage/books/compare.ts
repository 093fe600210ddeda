/** What was sent to a meter beside what Stripe has counted, by days of UTC. Pure. */
import type { SentDay } from "../../runtime/records/books.js";
import { DAY } from "../outbox/minutes.js";

/** Days that are compared: Stripe takes no usage that is older. */
const DAYS = 35;

/** Milliseconds: the first day that is read, and the end of the last one. */
export interface Window {
  readonly from: number;
  readonly until: number;
}

/**
 * The days that are read: those that are compared, and one on either side. The last that is compared
 * ended at least a day ago, because Stripe's sums are behind.
 */
export function windowAt(now: number): Window {
  const today = Math.floor(now / DAY) * DAY;
  return { from: today - (DAYS + 2) * DAY, until: today };
}

/** A day of which Stripe has counted something else than was sent. */
export interface DayDifference {
  /** Milliseconds: its beginning. */
  readonly day: number;
  readonly ours: number;
  readonly stripe: number;
}

/**
 * The days that differ. Where many batches are sent in a day, one may have got a minute of the day
 * before or after, within its period: what two days in a row have together is no difference.
 */
export function differingDays(
  { from, until }: Window,
  sent: readonly SentDay[],
  counted: ReadonlyMap<number, number>,
): readonly DayDifference[] {
  const ours = new Map(sent.map((each) => [each.day, each]));
  const days = Array.from({ length: (until - from) / DAY }, (_, at) => {
    const day = from + at * DAY;
    const units = ours.get(day)?.units ?? 0;
    const stripe = counted.get(day) ?? 0;
    return { day, ours: units, stripe, isOpen: ours.get(day)?.isOpen === true };
  });
  const differing: DayDifference[] = [];
  for (let at = 0; at < days.length; at++) {
    const [one, next] = [days[at], days[at + 1]];
    if (one === undefined || one.ours === one.stripe) continue;
    if (next !== undefined && one.ours + next.ours === one.stripe + next.stripe) {
      at++;
      continue;
    }
    const isCompared = at > 0 && next !== undefined;
    const { isOpen, ...difference } = one;
    if (isCompared && !isOpen && !days[at - 1]?.isOpen && !next.isOpen) differing.push(difference);
  }
  return differing;
}
