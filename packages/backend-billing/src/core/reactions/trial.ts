/** When the end of a trial is announced. Pure, and without a clock. */
import type { Seen } from "./standing.js";

/** Milliseconds before its end at which a trial is announced to end. */
export const TRIAL_NOTICE = 3 * 86_400_000;

/** The time in which `trial.ending` is to be told, in milliseconds. */
export interface TrialNotice {
  readonly dueAt: number;
  /** The trial is over then, and nothing is left to announce. */
  readonly until: number;
}

/**
 * When `trial.ending` is due by the row of a subscription; null if it is not: there is no trial, or
 * one that was never as long as the notice, or it was told in this window. A trial that is made
 * longer has left the window in which it was told, and is announced again. `deliveredAt` is when it
 * was last told, in milliseconds.
 */
export function trialNotice(
  row: object | null,
  deliveredAt: number | null = null,
): TrialNotice | null {
  const { status, trial_start: start, trial_end: end }: Seen = row ?? {};
  if (status !== "trialing" || typeof end !== "number") return null;
  const until = end * 1000;
  const dueAt = until - TRIAL_NOTICE;
  if (typeof start === "number" && dueAt < start * 1000) return null;
  return deliveredAt !== null && deliveredAt >= dueAt ? null : { dueAt, until };
}
