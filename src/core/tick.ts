/**
 * Everything that is due, within a budget of time: what a host without workers calls from a schedule
 * of its own. Any number of processes may do so at once, beside workers too: who does what is decided
 * by the leases in the store.
 */
import { workOnce } from "./background.js";
import { type Runtime, workersOf } from "./runtime/runtime.js";
import { prune } from "./sync/work/prune.js";
import { openWanted } from "./sync/work/scheduled.js";
import { workPage } from "./sync/work/work.js";

/** What `tick` takes. */
export interface TickOptions {
  /** Milliseconds after which nothing new is begun; a page under way is finished. Default 10,000. */
  readonly budget?: number;
}

/** What `tick` answers. */
export interface Ticked {
  /** Whether something was still due when the budget was used up. Then call it again. */
  readonly more: boolean;
}

const BUDGET = 10_000;

export async function tick(
  runtime: Runtime,
  { budget = BUDGET }: TickOptions = {},
): Promise<Ticked> {
  const end = runtime.now() + budget;
  const hasTime = () => runtime.now() < end;
  await prune(runtime);
  await openWanted(runtime);
  // In turns: a page leaves questions behind, and their answers may end a run.
  for (;;) {
    const worked = await workOnce(runtime);
    if (!hasTime()) return { more: true };
    const pages = await Promise.all(
      Array.from({ length: workersOf(runtime) }, () => workPage(runtime, hasTime)),
    );
    if (worked === 0 && !pages.includes(true)) return { more: false };
    if (!hasTime()) return { more: true };
  }
}
