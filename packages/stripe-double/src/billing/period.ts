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

/** The end of the cycle that begins at `start`, on the grid of the anchor. */
export function cycleEnd(anchor: number, cycle: Cycle, start: number): number {
  let count = 1;
  while (cyclesAfter(anchor, cycle, count) <= start) count++;
  return cyclesAfter(anchor, cycle, count);
}
