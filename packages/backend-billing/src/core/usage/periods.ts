/**
 * The periods of which a plan includes something: pure arithmetic of UTC, by the anchor of a
 * subscription as Stripe counts it. Milliseconds throughout.
 */
/** From a moment, until just before another. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** How often something comes again: by the calendar, or by the clock. */
type Step = { readonly months: number } | { readonly days: number };

const DAY = 24 * 60 * 60 * 1000;

/** As Stripe says it. */
export interface Recurring {
  readonly interval: string;
  readonly interval_count: number;
}

function stepOf({ interval, interval_count: count }: Recurring): Step {
  if (interval === "day") return { days: count };
  if (interval === "week") return { days: 7 * count };
  return { months: interval === "year" ? 12 * count : count };
}

/** So many months after an anchor. Where the month has no such day it is the last one. */
export function monthsAfter(anchor: number, months: number): number {
  const at = new Date(anchor);
  const first = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1);
  const month = new Date(first);
  const last = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate();
  const inDay = anchor - Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
  // mutant "a month without the day goes over": Math.min(at.getUTCDate(), last) -> at.getUTCDate()
  return first + (Math.min(at.getUTCDate(), last) - 1) * DAY + inDay;
}

const stepsAfter = (anchor: number, step: Step, count: number): number =>
  "months" in step ? monthsAfter(anchor, step.months * count) : anchor + step.days * DAY * count;

/** The step from an anchor, before or after it, that a moment lies in. */
function stepAround(anchor: number, step: Step, at: number): Period {
  let count = stepsBetween(anchor, step, at);
  while (stepsAfter(anchor, step, count) > at) count--;
  while (stepsAfter(anchor, step, count + 1) <= at) count++;
  return { from: stepsAfter(anchor, step, count), until: stepsAfter(anchor, step, count + 1) };
}

/** About how many steps lie between: by the calendar it may be one too many. */
function stepsBetween(anchor: number, step: Step, at: number): number {
  if ("days" in step) return Math.floor((at - anchor) / (step.days * DAY));
  const [from, to] = [new Date(anchor), new Date(at)];
  const years = to.getUTCFullYear() - from.getUTCFullYear();
  return Math.floor((12 * years + to.getUTCMonth() - from.getUTCMonth()) / step.months);
}

/** What is known of the period that was billed last. */
export interface Billed {
  readonly anchor: number;
  readonly period: Period;
  readonly recurring: Recurring;
}

/**
 * The billed period of a moment. When one is over the next has begun, whether or not Stripe has said
 * so by then: renewals reach the mirror later than their time.
 */
export function billedPeriod({ anchor, period, recurring }: Billed, now: number): Period {
  if (now < period.until) return period;
  const next = stepAround(anchor, stepOf(recurring), now);
  return { from: Math.max(next.from, period.until), until: next.until };
}

/** The same of any moment, also one before the period that is known. */
export function periodAt(billed: Billed, at: number): Period {
  const { anchor, period, recurring } = billed;
  if (at >= period.from) return billedPeriod(billed, at);
  const before = stepAround(anchor, stepOf(recurring), at);
  return { from: before.from, until: Math.min(before.until, period.from) };
}

/**
 * The period for which a plan includes its share: a month, or what is billed if that is not longer. A
 * trial is billed at its end, where the anchor is, so that the months of a long one end with it.
 */
export function sharePeriod(billed: Billed, now: number): Period {
  const period = billedPeriod(billed, now);
  if (monthsAfter(period.until, -1) <= period.from) return period;
  const month = stepAround(billed.anchor, { months: 1 }, Math.max(now, period.from));
  return { from: Math.max(month.from, period.from), until: Math.min(month.until, period.until) };
}

/** The calendar month of a moment. */
export function calendarMonth(now: number): Period {
  const at = new Date(now);
  const first = (months: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1);
  return { from: first(0), until: first(1) };
}
