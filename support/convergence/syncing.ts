/** The runs of the core's own sync, each worked at by one process until it is done or it dies. */

import type { RunKind } from "../../packages/backend-billing/src/core/runtime/reports.js";
import type { Runtime } from "../../packages/backend-billing/src/core/runtime/runtime.js";
import { openRun } from "../../packages/backend-billing/src/core/sync/run/open.js";
import { runOf } from "../../packages/backend-billing/src/core/sync/run/run.js";
import { openScheduled } from "../../packages/backend-billing/src/core/sync/work/scheduled.js";
import { workPage } from "../../packages/backend-billing/src/core/sync/work/work.js";

/** Milliseconds between looks when nothing is due. */
const IDLE = 500;

/** Whether the run is done; one that failed is to be opened again. */
export async function workAt(runtime: Runtime, kind: RunKind): Promise<boolean> {
  return (await workOn(runtime, await openRun(runtime, kind))) === kind;
}

/** Whether the comparison that the schedule opens is done; the first that it opens is a backfill. */
export async function workAtScheduled(runtime: Runtime): Promise<boolean> {
  return (await workOn(runtime, await openScheduled(runtime, "reconcile"))) === "reconcile";
}

/** The kind of the run once it is done; undefined if it failed. */
async function workOn(runtime: Runtime, runId: string): Promise<RunKind | undefined> {
  for (;;) {
    const record = await runtime.store.record("run", runId);
    if (record === undefined || runOf(record).state === "failed") return undefined;
    if (runOf(record).state === "done") return runOf(record).kind;
    if (!(await workPage(runtime))) await runtime.sleep(IDLE);
  }
}
