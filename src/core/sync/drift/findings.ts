/**
 * What the pages of a reconcile repaired. That is known only once a page is committed, so it is
 * kept in a record of its own; a worker that dies in between loses the count, never the repair.
 */
import type { ResourceName } from "../../catalogue/catalogue.js";
import type { Snapshot, UnitOutcome } from "../../mirror/store.js";
import { commit } from "../../runtime/commit/commit.js";
import type { Runtime } from "../../runtime/runtime.js";
import { outcomesOf, resourceOf, type Step } from "../run/step.js";
import { type Drift, type Example, NO_DRIFT, withExamples } from "./drift.js";

const idOf = (runId: string, resource: ResourceName): string => `drift ${runId} ${resource}`;

/** Counts what a page wrote into a mirror that should have been complete. */
export async function tallyPage(
  { runtime, runId, run, at }: Step,
  snapshots: readonly Snapshot[],
  units: readonly UnitOutcome[],
): Promise<void> {
  if (!run.sweeps) return;
  const found = outcomesOf(units).flatMap(({ act, revision }, index): Example[] => {
    const id = snapshots[index]?.id;
    if (act !== "write" || id === undefined) return [];
    return [{ id, kind: revision === 1 ? "missing" : "different" }];
  });
  if (found.length > 0) await addDrift(runtime, runId, resourceOf(at), found);
}

async function addDrift(
  runtime: Runtime,
  runId: string,
  resource: ResourceName,
  found: readonly Example[],
): Promise<void> {
  const id = idOf(runId, resource);
  for (;;) {
    const record = await runtime.store.record("setting", id);
    const known = (record?.data as unknown as Drift | undefined) ?? NO_DRIFT;
    const next = { ref: runId, due: null, data: { ...withExamples(known, found) } };
    const write = { kind: "setting", id, expect: record?.revision ?? 0, next } as const;
    const result = await commit(runtime, { source: "record", records: [write] });
    if (result.committed) return;
  }
}

export async function driftOf(
  runtime: Runtime,
  runId: string,
  resource: ResourceName,
): Promise<Drift> {
  const record = await runtime.store.record("setting", idOf(runId, resource));
  return (record?.data as unknown as Drift | undefined) ?? NO_DRIFT;
}
