/** Background work in a process that lives longer than a call. */
import { workOnce } from "../core/background.js";
import { factsOf } from "../core/runtime/error-facts.js";
import type { Runtime } from "../core/runtime/runtime.js";
import type { Life } from "./life.js";

/** How often to look while something is known to fall due, and when there may be more of it. */
const SOON = 1_100;
const AGAIN = 50;
/** For which work is taken at the longest, but erasures. */
const LEASED = 61_000;

/**
 * Works off what is left, soon and until nothing is due. It does not keep the process alive: what
 * a process leaves behind, the scheduled jobs or the next event find in the store.
 */
export function createBackground(runtime: () => Runtime, life: Life): (delay: number) => void {
  let isScheduled = false;
  let until = 0;
  const schedule = (delay: number) => {
    if (isScheduled) return;
    isScheduled = true;
    life.later(delay, run);
  };
  const run = async () => {
    isScheduled = false; // a wake from now on schedules another run
    const began = Date.now();
    try {
      const done = await workOnce(runtime());
      if (done > 0) schedule(AGAIN);
      // One look must begin after everything fell due, however long the one before took.
      else if (began < until) schedule(SOON);
    } catch (error) {
      if (life.isClosing) return; // what is left is done by another instance
      runtime().log?.error(factsOf(error), "Background work failed; it is tried again");
      until = Math.max(until, Date.now() + LEASED); // what it had taken is due again then
      schedule(10 * SOON);
    }
  };
  return (delay) => {
    until = Math.max(until, Date.now() + delay + SOON);
    schedule(Math.min(delay, SOON));
  };
}
