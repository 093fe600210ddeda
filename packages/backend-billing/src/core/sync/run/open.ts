/**
 * Opens a run: takes up the one that is open, goes on with one that failed, or begins a new one.
 * Concurrent callers get the same run.
 */

import type { RecordWrite, StoredRecord } from "../../mirror/store.js";
import { commit } from "../../runtime/commit/commit.js";
import { rawTypesSent } from "../../runtime/commit/listening.js";
import { records } from "../../runtime/records/records.js";
import type { RunKind } from "../../runtime/reports.js";
import type { Runtime } from "../../runtime/runtime.js";
import { type CheckedAccount, checkPlace } from "../../stripe/account.js";
import { partitionsOf } from "../tasks/tasks.js";
import { allPartitions } from "./commit.js";
import { logBegun } from "./log.js";
import { groupOf, partitionData, partitionOf } from "./partition.js";
import { OVERLAP, phasesOf } from "./phases.js";
import { pointed, pointers } from "./pointers.js";
import { chosenIn, newRunId, opening, type Run, type RunOptions, runOf, runWrite } from "./run.js";

/** A run that failed longer ago than this begins anew: its events would be gone. */
const RESUMABLE = 20 * 86_400_000;

/** The id of the run of this kind that is open now. `check` decides which keys are refused. */
export async function openRun(
  runtime: Runtime,
  kind: RunKind,
  options: RunOptions = {},
  check: (runtime: Runtime) => Promise<CheckedAccount> = checkPlace,
): Promise<string> {
  const account = await check(runtime);
  for (;;) {
    const known = await pointers(runtime);
    const openId = known.open[kind];
    const record = openId === undefined ? undefined : await runtime.store.record("run", openId);
    if (record !== undefined && runOf(record).state === "running") return record.id;
    if (record !== undefined && isResumable(runOf(record), runtime.now())) {
      if (!(await reopened(runtime, record))) continue;
      logBegun(runtime, record.id, kind);
      return record.id;
    }
    const now = runtime.now();
    const runId = newRunId(now);
    const run = await begun(runtime, kind, options, account, now);
    const partitions = partitionsOf(run, {
      chosen: chosenIn(run, runtime.resources),
      mirrored: runtime.resources,
      taken: await rawTypesSent(runtime),
      skew: runtime.tolerances.skew,
      done: [],
    });
    const opened = opening(runId, run, partitions, now);
    const records = [pointed(known, kind, runId), runWrite(runId, 0, opened.run), ...opened.writes];
    const result = await commit(runtime, { source: "record", records });
    if (!result.committed) continue;
    logBegun(runtime, runId, kind);
    return runId;
  }
}

/** How many partitions of all open runs there are to work at. */
export async function openPartitions(runtime: Runtime): Promise<number> {
  let open = 0;
  for (const runId of Object.values((await pointers(runtime)).open)) {
    const record = await runtime.store.record("run", runId);
    const run = record && runOf(record);
    if (run?.state !== "running") continue;
    open += Object.values(run.open).reduce((sum, count) => sum + count, 0);
  }
  return open;
}

/** The second up to which events were read; undefined before the first run that was done. */
export async function eventsReadTo(runtime: Runtime): Promise<number | undefined> {
  return (await records.watermark("events").read(runtime)).data?.at;
}

async function begun(
  runtime: Runtime,
  kind: RunKind,
  options: RunOptions,
  { created }: CheckedAccount,
  now: number,
): Promise<Run> {
  const read = kind === "catch-up" ? await eventsReadTo(runtime) : undefined;
  const run: Run = {
    kind,
    state: "running",
    phase: "list",
    startedAt: now,
    finishedAt: null,
    open: {},
    made: {},
    from: read === undefined ? null : read - OVERLAP,
    // The events from before are unknown: only lists and retrievals show what happened.
    sweeps: kind === "reconcile" || (kind === "catch-up" && read === undefined),
    options,
    ...(created === undefined ? {} : { accountCreated: created }),
  };
  return { ...run, phase: phasesOf(run)[0] ?? "list" };
}

/**
 * Only a backfill goes on after a failure. A catch-up reads from the watermark anyway, and what a
 * comparison found before is of no use to the next one: the key may have been of another account.
 */
function isResumable({ kind, state, startedAt }: Run, now: number): boolean {
  return state === "failed" && kind === "backfill" && now - startedAt < RESUMABLE;
}

/** Makes what failed due again. */
async function reopened(runtime: Runtime, record: StoredRecord): Promise<boolean> {
  const now = runtime.now();
  const { error: _, ...before } = runOf(record);
  const open: { [group: string]: number } = { ...before.open };
  const writes: RecordWrite[] = [];
  for (const { kind, id, revision, ref, data } of await allPartitions(runtime, record.id)) {
    const failed = partitionOf({ data });
    if (failed.state !== "failed") continue;
    const group = groupOf(failed);
    open[group] = (open[group] ?? 0) + 1;
    const again = partitionData({ ...failed, state: "running", attempts: 0 });
    writes.push({ kind, id, expect: revision, next: { ref, due: now, data: again } });
  }
  const run: Run = { ...before, state: "running", finishedAt: null, open };
  const records = [runWrite(record.id, record.revision, run), ...writes];
  return (await commit(runtime, { source: "record", records })).committed;
}
