/** What schedules open: the run that is wanted, if none is open, and the removal of old ones. */
import type { Timing } from "../../runtime/config.js";
import type { Runtime } from "../../runtime/runtime.js";
import { eventsReadTo, openRun } from "../run/open.js";
import { pointers } from "../run/pointers.js";
import { type Run, runOf } from "../run/run.js";
import { pruneRuns } from "./prune.js";

/** Runs that are looked at: the newest, of which more catch-ups are not kept. */
const LATEST = 100;

/**
 * Answers the id of the run that is open now. Before a first backfill was done that is a backfill,
 * whatever is wanted. Cheap, and safe when many call it at once.
 */
export async function openScheduled(
  runtime: Runtime,
  wanted: "catch-up" | "reconcile",
): Promise<string> {
  const [backfill, readTo] = await Promise.all([
    openBackfill(runtime),
    eventsReadTo(runtime),
    pruneRuns(runtime),
  ]);
  const isFirst = readTo === undefined;
  if (backfill !== undefined && (isFirst || wanted === "reconcile")) return backfill;
  return openRun(runtime, isFirst ? "backfill" : wanted);
}

/**
 * What is to be opened now where no schedule says it. Any run brings the mirror up to date; only a
 * backfill and a reconcile list everything. Pure.
 */
export function wantedNow(
  runs: readonly Pick<Run, "kind" | "state" | "startedAt">[],
  now: number,
  { catchUpEvery, reconcileEvery }: Pick<Timing, "catchUpEvery" | "reconcileEvery">,
): "catch-up" | "reconcile" | undefined {
  const repairs = runs.filter(({ kind }) => kind !== "verify");
  if (repairs.some(({ state }) => state === "running")) return undefined;
  const age = (those: typeof repairs) => now - Math.max(0, ...those.map((run) => run.startedAt));
  if (age(repairs) < catchUpEvery) return undefined;
  return age(repairs.filter(({ kind }) => kind !== "catch-up")) < reconcileEvery
    ? "catch-up"
    : "reconcile";
}

/** Opens what is wanted now, if anything is. */
export async function openWanted(runtime: Runtime): Promise<void> {
  const runs = (await runtime.store.records("run", "", LATEST)).map(runOf);
  const wanted = wantedNow(runs, runtime.now(), runtime.timing);
  if (wanted !== undefined) await openScheduled(runtime, wanted);
}

/** A backfill that is under way. */
async function openBackfill(runtime: Runtime): Promise<string | undefined> {
  const { backfill } = (await pointers(runtime)).open;
  if (backfill === undefined) return undefined;
  const record = await runtime.store.record("run", backfill);
  return record !== undefined && runOf(record).state === "running" ? backfill : undefined;
}
