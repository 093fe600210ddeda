/**
 * Minutes that belong to one batch alone: after a long failure the sum that Stripe has for the minute
 * says whether the batch was counted. Pure.
 */
import type { MinuteRange, Outbox } from "../../runtime/records/batches.js";
import type { Period } from "../periods.js";

export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

type Used = Outbox["used"];

/** Stripe takes no event that is older. */
const DAYS_KEPT = 36;
/** Ranges of a day; beyond that the closest become one, and what lies between counts as used. */
const MOST_RANGES = 4;

/**
 * A free minute for usage of a moment, as the day of the moment has it, or else another day of the same
 * period. Only whole minutes within the period; the next one that is to come if there is no other, of
 * which Stripe takes five. Undefined if there is none.
 */
export function freeMinute(
  used: Used,
  period: Period,
  at: number,
  now: number,
): number | undefined {
  const current = Math.floor(now / MINUTE);
  return freeUpTo(current, used, period, at) ?? freeUpTo(current + 1, used, period, at);
}

function freeUpTo(most: number, used: Used, period: Period, at: number): number | undefined {
  for (const day of daysAround(period, at, most * MINUTE)) {
    const from = Math.ceil(Math.max(period.from, day) / MINUTE);
    const until = Math.floor(Math.min(period.until, day + DAY) / MINUTE);
    const last = Math.min(until - 1, most);
    const wanted = Math.min(Math.max(Math.floor(at / MINUTE), from), last);
    const found = nearest(used[day / DAY] ?? [], { from, last, wanted });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The day of a moment, those that follow, and those before, as far as the period and the time go. */
function* daysAround({ from, until }: Period, at: number, end: number): Generator<number> {
  const own = Math.floor(at / DAY) * DAY;
  for (let day = own; day < until && day <= end; day += DAY) yield day;
  const oldest = Math.max(from, own - DAYS_KEPT * DAY);
  for (let day = own - DAY; day + DAY > oldest; day -= DAY) yield day;
}

/** The first free minute from the wanted one on, or else the last before it. */
function nearest(
  ranges: readonly MinuteRange[],
  { from, last, wanted }: { readonly from: number; readonly last: number; readonly wanted: number },
): number | undefined {
  const around = (minute: number) => ranges.find(([a, z]) => minute >= a && minute <= z);
  const walk = (next: (range: MinuteRange) => number): number => {
    let minute = wanted;
    for (let range = around(minute); range !== undefined; range = around(minute)) {
      minute = next(range);
    }
    return minute;
  };
  const isIn = (minute: number) => minute >= from && minute <= last;
  return [walk(([, z]) => z + 1), walk(([a]) => a - 1)].find(isIn);
}

/** With a minute that is given to a batch, and without days of which Stripe takes nothing any more. */
export function withMinute(used: Used, minute: number, now: number): Used {
  const day = String(Math.floor((minute * MINUTE) / DAY));
  const oldest = Math.floor(now / DAY) - DAYS_KEPT;
  const kept = Object.entries(used).filter(([each]) => Number(each) >= oldest);
  const ranges = [...(used[day] ?? []), [minute, minute] as const].sort(([a], [b]) => a - b);
  return { ...Object.fromEntries(kept), [day]: joined(ranges) };
}

function joined(sorted: readonly MinuteRange[]): readonly MinuteRange[] {
  const gaps = sorted.slice(1).map(([from], at) => from - (sorted[at]?.[1] ?? from));
  const least = Math.min(...gaps);
  if (sorted.length < 2 || (least > 1 && sorted.length <= MOST_RANGES)) return sorted;
  const at = gaps.indexOf(least);
  const [a, b] = [sorted[at], sorted[at + 1]];
  if (a === undefined || b === undefined) return sorted;
  return joined([...sorted.slice(0, at), [a[0], Math.max(a[1], b[1])], ...sorted.slice(at + 2)]);
}
