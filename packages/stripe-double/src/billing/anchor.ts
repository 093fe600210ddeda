/** Where the cycles of a new subscription begin, as its request asks for it. */
import { refused } from "../api/errors.js";
import { type Cycle, cyclesAfter } from "./period.js";

/** The day of the month on which they begin: `billing_cycle_anchor_config`. */
export interface AnchorConfig {
  readonly day_of_month: number;
  readonly month?: number | undefined;
  readonly hour?: number | undefined;
  readonly minute?: number | undefined;
  readonly second?: number | undefined;
}

/**
 * The next such day, at the time of `now` as far as none is named. A month that is too short is
 * passed over: counted from a month that has the day, its cycle begins on its last day.
 */
export function nextAnchor(now: number, config: AnchorConfig): number {
  const from = new Date(now * 1000);
  const hour = config.hour ?? from.getUTCHours();
  const minute = config.minute ?? from.getUTCMinutes();
  const second = config.second ?? from.getUTCSeconds();
  for (let ahead = 0; ; ahead++) {
    const month = from.getUTCMonth() + ahead;
    const length = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate();
    const named = config.month === undefined || month % 12 === config.month - 1;
    // Of a month that is named the last day must do, even in a year in which it is short.
    const day =
      config.month === undefined ? config.day_of_month : Math.min(config.day_of_month, length);
    const at = Date.UTC(from.getUTCFullYear(), month, day, hour, minute, second) / 1000;
    if (named && day <= length && at > now) return at;
  }
}

/** The anchor of a subscription that is made now, with prices of these cycles. */
export function anchorFor(
  now: number,
  cycles: readonly Cycle[],
  asked: number | undefined,
  config: AnchorConfig | undefined,
): number {
  if (config !== undefined) {
    if (cycles.some(({ interval }) => interval === "day" || interval === "week")) {
      throw refused(
        "`billing_cycle_anchor_config` is only valid with monthly and yearly price intervals.",
        "billing_cycle_anchor_config",
      );
    }
    return nextAnchor(now, config);
  }
  const natural = Math.min(...cycles.map((cycle) => cyclesAfter(now, cycle, 1)));
  if (asked !== undefined && asked > natural) {
    throw refused(
      `\`billing_cycle_anchor\` cannot be later than next natural billing date (${natural}) for plan`,
      "billing_cycle_anchor",
    );
  }
  return asked ?? now;
}

/** The day as the subscription shows it. */
export const shownConfig = (config: AnchorConfig | undefined) =>
  config === undefined
    ? null
    : {
        day_of_month: config.day_of_month,
        hour: config.hour ?? null,
        minute: config.minute ?? null,
        month: config.month ?? null,
        second: config.second ?? null,
      };
