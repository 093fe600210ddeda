/** What a run says of itself, readable while it runs. */

import type { ResourceName } from "../../catalogue/catalogue.js";
import type { StoredRecord } from "../../mirror/store.js";
import type { Drift, Progress, RunReport, RunState, UsageProgress } from "../../runtime/reports.js";
import type { Runtime } from "../../runtime/runtime.js";
import { checkLimit } from "../../subscriptions/reads.js";
import { sumDrift } from "../drift/drift.js";
import { driftOf } from "../drift/findings.js";
import { reportOn } from "../tasks/tasks.js";
import { allPartitions } from "./commit.js";
import { type Partition, partitionOf } from "./partition.js";
import { chosenIn, runOf } from "./run.js";

export async function runReport(runtime: Runtime, runId: string): Promise<RunReport | undefined> {
  const record = await runtime.store.record("run", runId);
  return record && reportOf(runtime, record);
}

/** The runs of late, newest first. */
export async function latestRuns(runtime: Runtime, limit = 10): Promise<readonly RunReport[]> {
  checkLimit(limit);
  const records = await runtime.store.records("run", "", limit);
  return Promise.all(records.map((record) => reportOf(runtime, record)));
}

async function reportOf(runtime: Runtime, record: StoredRecord): Promise<RunReport> {
  const run = runOf(record);
  const { kind, state, phase, startedAt, finishedAt, error, sweeps, setAside } = run;
  const partitions = (await allPartitions(runtime, record.id)).map(partitionOf);
  const entries: [ResourceName, Progress][] = [];
  for (const resource of chosenIn(run, runtime.resources)) {
    const own = partitions.filter((each) => each.resource === resource);
    if (own.length === 0 && kind === "catch-up") continue;
    const repaired = sweeps ? [await driftOf(runtime, record.id, resource)] : [];
    const shown = kind === "verify" || sweeps ? repaired : undefined;
    entries.push([resource, progressOf(own, shown)]);
  }
  const events = partitions.filter(({ task }) => task === "events");
  const usage = partitions.find((each) => each.task === "usage");
  const count = (which: RunState) => partitions.filter((each) => each.state === which).length;
  return {
    runId: record.id,
    kind,
    state,
    phase,
    startedAt,
    finishedAt,
    ...(error === undefined ? {} : { error }),
    ...(setAside === undefined ? {} : { setAside }),
    resources: Object.fromEntries(entries),
    ...(events.length === 0 ? {} : { events: progressOf(events, undefined) }),
    ...(usage === undefined ? {} : { usage: usageOf(usage) }),
    partitions: { running: count("running"), done: count("done"), failed: count("failed") },
  };
}

function progressOf(
  partitions: readonly Partition[],
  repaired: readonly Drift[] | undefined,
): Progress {
  const sum = (field: "pages" | "rows") => partitions.reduce((all, each) => all + each[field], 0);
  const error = partitions.find((each) => each.error !== undefined)?.error;
  const reports = partitions.map((each) => reportOn(each.task, each));
  const drift = repaired && sumDrift([...repaired, ...reports.flatMap((each) => each.drift ?? [])]);
  const confidence = reports.find((each) => each.confidence !== undefined)?.confidence;
  return {
    pages: sum("pages"),
    rows: sum("rows"),
    state: worst(partitions.map(({ state }) => state)),
    ...(error === undefined ? {} : { error }),
    ...(drift === undefined ? {} : { drift }),
    ...(confidence === undefined ? {} : { confidence }),
  };
}

const usageOf = (at: Partition<"usage">): UsageProgress => ({
  ...progressOf([at], undefined),
  differing: at.differing,
  examples: at.examples,
});

function worst(states: readonly RunState[]): RunState {
  if (states.includes("failed")) return "failed";
  return states.length > 0 && states.every((state) => state === "done") ? "done" : "running";
}
