/** Billing periods, counted from an anchor so that a month that was too short does not drift. */
import type Stripe from "stripe";
import type { Plain } from "../world/plain.js";

type Recurring = NonNullable<Plain<Stripe.Price>["recurring"]>;
export type Cycle = Pick<Recurring, "interval" | "interval_count">;

const DAY = 86_400;

/** The moment `count` cycles after the anchor, in whole seconds, UTC. */
export function cyclesAfter(anchor: number, cycle: Cycle, count: number): number {
  const steps = cycle.interval_count * count;
  if (cycle.interval === "day") return anchor + steps * DAY;
  if (cycle.interval === "week") return anchor + steps * 7 * DAY;
  const from = new Date(anchor * 1000);
  const months = from.getUTCMonth() + (cycle.interval === "year" ? 12 * steps : steps);
  const year = from.getUTCFullYear() + Math.floor(months / 12);
  const month = ((months % 12) + 12) % 12;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(from.getUTCDate(), lastDay);
  const dayStart = Math.floor(Date.UTC(year, month, day) / 1000);
  return dayStart + (anchor % DAY);
}

/** Whether two cycles are equally long. */
export const sameLength = (a: Cycle, b: Cycle): boolean =>
  a.interval === b.interval && a.interval_count === b.interval_count;

/** How many days or months an interval has. */
const DAYS: { readonly [interval: string]: number } = { day: 1, week: 7 };
const MONTHS: { readonly [interval: string]: number } = { month: 1, year: 12 };

/** Whether one subscription can have all of these: each is a multiple of the shortest. */
export function fitTogether(cycles: readonly Cycle[]): boolean {
  return [DAYS, MONTHS].some((units) => {
    const lengths = cycles.map((cycle) => (units[cycle.interval] ?? 0) * cycle.interval_count);
    const shortest = Math.min(...lengths);
    return shortest > 0 && lengths.every((length) => length % shortest === 0);
  });
}

/** The cycle on the grid of the anchor that a moment is in; the grid goes on before the anchor. */
export function cycleAt(
  anchor: number,
  cycle: Cycle,
  moment: number,
): { readonly start: number; readonly end: number } {
  let count = 0;
  while (cyclesAfter(anchor, cycle, count + 1) <= moment) count++;
  while (cyclesAfter(anchor, cycle, count) > moment) count--;
  return { start: cyclesAfter(anchor, cycle, count), end: cyclesAfter(anchor, cycle, count + 1) };
}

/** The end of the cycle that begins at `start`, on the grid of the anchor. */
export const cycleEnd = (anchor: number, cycle: Cycle, start: number): number =>
  cycleAt(anchor, cycle, start).end;
