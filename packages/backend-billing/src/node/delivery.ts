/** Has changes told soon after they are committed, in a process that lives longer than a call. */

import type { Reacting } from "../core/runtime/commit/listening.js";
import type { Logger } from "../core/runtime/config.js";
import { factsOf } from "../core/runtime/error-facts.js";
import type { Life } from "./life.js";

/** Milliseconds between two looks: while there is more to do, and while there is nothing, at most. */
const AGAIN = 50;
const SOON = 1_000;
const SELDOM = 60_000;

/**
 * Looks when rows have changed, and for a while after that more and more seldom: what failed is due
 * again later. It does not keep the process alive: what a process leaves behind, scheduled jobs find.
 */
export function createDelivery(
  deliverUntil: (isOver: () => boolean) => Promise<number>,
  life: Life,
  log: Logger | undefined,
): Pick<Reacting, "changed" | "deliver"> {
  let underWay: Promise<number> | undefined;
  /** When what is under way ends at the latest. */
  let end = Number.POSITIVE_INFINITY;
  let next: { readonly at: number; readonly cancel: () => void } | undefined;
  let isRunning = false;
  let isWanted = false;
  let isFailing = false;
  let pause = SOON;

  /** One at a time: the lanes of a process are its budget of connections. */
  const deliver = (until: number): Promise<number> => {
    end = underWay === undefined ? until : Math.min(end, until);
    underWay ??= deliverUntil(() => life.isClosing || Date.now() >= end).finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
  /** A run that is put off further gives way to an earlier one. */
  const schedule = (delay: number): void => {
    const at = Date.now() + delay;
    if (next !== undefined && next.at <= at) return;
    next?.cancel();
    next = { at, cancel: life.later(delay, run) };
  };
  const run = async (): Promise<void> => {
    next = undefined;
    isRunning = true;
    isWanted = false;
    try {
      const count = await deliver(Number.POSITIVE_INFINITY);
      isFailing = false;
      pause = count > 0 ? SOON : 2 * pause;
      if (isWanted || count > 0) schedule(AGAIN);
      else if (pause < SELDOM) schedule(pause);
    } catch (error) {
      if (life.isClosing) return; // what is left is done by another instance
      log?.error(factsOf(error), "Changes could not be told; trying again");
      isFailing = true;
      schedule(10 * SOON);
    } finally {
      isRunning = false;
    }
  };
  return {
    changed: () => {
      isWanted = true;
      pause = SOON;
      // Under a steady load one run goes on for long: it is not waited for by another for each change.
      // What failed is tried again in its time, also while changes come.
      if (!isRunning && !isFailing) schedule(underWay === undefined ? 0 : AGAIN);
    },
    deliver: (until) => {
      if (isRunning) isWanted = true; // the end of this call may cut it short
      return deliver(until);
    },
  };
}
