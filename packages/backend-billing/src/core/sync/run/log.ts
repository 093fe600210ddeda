/** The log lines and metrics of runs: beginning, pages, end, and what they found. */

import type { RecordWrite } from "../../mirror/store.js";
import { factsOf } from "../../runtime/error-facts.js";
import type { RunKind } from "../../runtime/reports.js";
import type { Runtime } from "../../runtime/runtime.js";
import { driftCount } from "../drift/drift.js";
import { runReport } from "./report.js";
import type { Run } from "./run.js";

export function logBegun({ log, telemetry }: Runtime, run: string, kind: RunKind): void {
  log?.info({ run, kind }, "A run began");
  telemetry?.measure("runs", 1, { kind, state: "running" });
}

/** Logs the end of each run whose end is among the records that a step wrote. */
export async function logEnded(
  runtime: Runtime,
  written: readonly RecordWrite[] | undefined = [],
): Promise<void> {
  if (runtime.log === undefined && runtime.telemetry === undefined) return;
  for (const { kind, id, next } of written) {
    const run = kind === "run" ? (next?.data as unknown as Run | undefined) : undefined;
    if (run === undefined || run.state === "running") continue;
    // A failure to log must not fail what was committed.
    await logEnd(runtime, id, run).catch((error: unknown) =>
      runtime.log?.warn({ run: id, ...factsOf(error) }, "The report of a run could not be read"),
    );
  }
}

async function logEnd(runtime: Runtime, id: string, run: Run): Promise<void> {
  const { log, telemetry } = runtime;
  const { kind, state, startedAt, finishedAt } = run;
  const seconds = ((finishedAt ?? runtime.now()) - startedAt) / 1000;
  telemetry?.measure("runs", 1, { kind, state });
  telemetry?.measure("run.duration", seconds, { kind, state });
  const { resources = {}, setAside } = (await runReport(runtime, id)) ?? {};
  const found = Object.entries(resources);
  let [objects, differing] = [0, 0];
  for (const [resource, { rows, drift }] of found) {
    objects += rows;
    if (drift === undefined) continue;
    differing += driftCount(drift);
    for (const each of ["missing", "different", "ghost"] as const) {
      if (drift[each] > 0)
        telemetry?.measure("drift", drift[each], { kind, resource, drift: each });
    }
  }
  const set_aside = setAside?.count ?? 0;
  const details = { run: id, kind, state, seconds, objects, differing, set_aside };
  if (state === "failed") log?.error(details, "A run failed; `runs()` says why");
  else if (set_aside > 0) log?.error(details, "A run ended, and some objects cannot be stored");
  else if (differing > 0) log?.warn(details, "A run ended, and found what differed from Stripe");
  else log?.info(details, "A run ended");
}
