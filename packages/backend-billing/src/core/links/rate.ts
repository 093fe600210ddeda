/** A rate as one number, to be kept in a record: so many at once, and one more every so often. */

export interface Rate {
  readonly burst: number;
  /** Milliseconds until one more is allowed. */
  readonly interval: number;
}

/**
 * Takes one. `until` is what the last call answered: the moment from which the whole burst is
 * allowed again. Answers the new one, or undefined if none is left now.
 */
export function take(
  until: number | undefined,
  now: number,
  { burst, interval }: Rate,
): number | undefined {
  const latest = now + burst * interval;
  // Later than is possible: it was written by a machine whose clock is ahead, and says nothing here.
  const from = until === undefined || until > latest ? now : Math.max(until, now);
  const next = from + interval;
  return next > latest ? undefined : next;
}
