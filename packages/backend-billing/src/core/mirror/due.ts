/**
 * Times that one machine writes down and another one reads: leases, and when something falls due.
 * Clocks differ. A time that is further ahead than anything is ever put off was written by a machine
 * whose clock was wrong, and it is over: what that machine left behind would wait for it otherwise.
 */
import type { RecordKind } from "./store.js";

/**
 * Milliseconds. The longest lease is a minute and the longest pause half an hour; so a clock may
 * be wrong by half an hour before its leases count for nothing, which costs work and loses nothing.
 */
export const HORIZON = 60 * 60 * 1000;

/** Milliseconds for which a process stays awake for what falls due; what is later the scheduled jobs find. */
export const AWAKE = 60_000;

/** The longest that anything may be put off; a random part of as much may be added. */
export const LONGEST_PAUSE = HORIZON / 2;

/** Whether a lease or a pause is still to be waited for. */
export function isAhead(until: number, now: number): boolean {
  return until > now && until <= now + HORIZON;
}

const FAR_AHEAD: ReadonlySet<RecordKind | "ask"> = new Set(["setting", "lapse", "notice"]);

/**
 * The time from which on records of a kind are due again, at a given time. A setting is due when it
 * ends, a lapse when a grace does, and a notice when something is to be announced, which may be far
 * ahead by right. A change waits for an hour at most, and for the time that its handler may take.
 */
export function beyond(kind: RecordKind | "ask", now: number): number {
  if (FAR_AHEAD.has(kind)) return Number.MAX_SAFE_INTEGER;
  return now + (kind === "change" ? 2 * HORIZON : HORIZON);
}

/** Whether something is due; never, where there is no time. */
export function isDue(kind: RecordKind | "ask", due: number | null, now: number): boolean {
  return due !== null && (due <= now || due > beyond(kind, now));
}
