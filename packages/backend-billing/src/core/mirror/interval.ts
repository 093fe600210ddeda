/**
 * The interval of Stripe's time, in seconds, in which a snapshot was true. Stripe shows whole
 * seconds and its clocks differ a little, so every interval is widened before it is used.
 */

export interface Interval {
  readonly lo: number;
  readonly hi: number;
}

/** How far Stripe's times may be off, in seconds. */
export interface Tolerances {
  /** How far `created` and `Date` may be off, in seconds. */
  readonly skew: number;
  /** How far a list may lag behind, in seconds. */
  readonly listLag: number;
}

// mutant "intervals not widened": skew: 1 -> skew: 0
// mutant "lists that never lag": listLag: 10 -> listLag: 0
export const TOLERANCES: Tolerances = { skew: 1, listLag: 10 };

/** Nothing is known of when it was true: it overlaps every other interval. */
export const UNBOUNDED: Interval = { lo: 0, hi: Number.MAX_SAFE_INTEGER };

/** The content of an event, true at the second in which Stripe says it was created. */
export function eventInterval(created: number, { skew }: Tolerances = TOLERANCES): Interval {
  return { lo: created - skew, hi: created + skew };
}

/**
 * The content of an answer: true at some moment between the request and the answer's `Date`.
 * Without a readable `Date` nothing is known. A clock that was set back makes no answer younger.
 */
export function answerInterval(
  date: string | undefined,
  elapsedMs: number,
  { skew }: Tolerances = TOLERANCES,
): Interval {
  const seconds = Date.parse(date ?? "") / 1000;
  if (Number.isNaN(seconds)) return UNBOUNDED;
  return { lo: Math.floor(seconds - Math.max(0, elapsedMs) / 1000) - skew, hi: seconds + skew };
}

/** The content of a list page, which may lag behind. */
export function pageInterval(
  date: string | undefined,
  elapsedMs: number,
  tolerances: Tolerances = TOLERANCES,
): Interval {
  const answer = answerInterval(date, elapsedMs, tolerances);
  if (answer === UNBOUNDED) return UNBOUNDED;
  return { lo: answer.lo - tolerances.listLag, hi: answer.hi };
}
