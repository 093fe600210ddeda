/**
 * What the pages of a reconcile repaired. That is known only once a page is committed, so it is
 * kept in a record of its own; a worker that dies in between loses the count, never the repair.
 */
import type { ResourceName } from "../../catalogue/catalogue.js";
import { outcomesOf, type Snapshot, type UnitOutcome } from "../../mirror/store.js";
import { records } from "../../runtime/records/records.js";
import type { Drift, Example } from "../../runtime/reports.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { Step } from "../run/step.js";
import { NO_DRIFT, withExamples } from "./drift.js";

/** Counts what a page wrote into a mirror that should have been complete. */
export async function tallyPage(
  { runtime, runId, run, at }: Step<"list">,
  snapshots: readonly Snapshot[],
  units: readonly UnitOutcome[],
): Promise<void> {
  if (!run.sweeps) return;
  const found = outcomesOf(units).flatMap(({ act, revision }, index): Example[] => {
    const id = snapshots[index]?.id;
    if (act !== "write" || id === undefined) return [];
    return [{ id, kind: revision === 1 ? "missing" : "different" }];
  });
  if (found.length === 0) return;
  const drift = records.drift(runId, at.resource);
  await drift.update(runtime, (known = NO_DRIFT) => withExamples(known, found));
}

export async function driftOf(
  runtime: Runtime,
  runId: string,
  resource: ResourceName,
): Promise<Drift> {
  return (await records.drift(runId, resource).read(runtime)).data ?? NO_DRIFT;
}
