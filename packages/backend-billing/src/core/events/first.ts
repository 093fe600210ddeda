/**
 * Events come first: to write a page takes the processor and the database for as long as many events do, so
 * while a process takes events, its workers rest after each page for as long as they were writing it.
 */
import { defineLocal } from "../runtime/local.js";
import type { Runtime } from "../runtime/runtime.js";

/** Milliseconds for which an event counts as one of now, and the longest rest. */
const LATELY = 1_000;
const LONGEST = 1_000;

const lastIn = defineLocal("runtime", "when an event came last", () => ({
  at: Number.NEGATIVE_INFINITY,
}));

/** This process takes an event now. */
export function eventCame(runtime: Runtime): void {
  lastIn(runtime).at = runtime.now();
}

/** Rests where events come lately; `took` milliseconds went into the page. */
export async function letEventsPass(runtime: Runtime, took: number): Promise<void> {
  if (took <= 0 || runtime.now() - lastIn(runtime).at > LATELY) return;
  await runtime.sleep(Math.min(took, LONGEST));
}
