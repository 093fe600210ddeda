/** What a scheduler calls: opens the run that is wanted, if none is open, and tidies up. */
import type { Runtime } from "../../runtime/runtime.js";
import { eventsReadTo, openRun } from "../run/open.js";
import { pointers } from "../run/pointers.js";
import { runOf } from "../run/run.js";
import { pruneRuns } from "./prune.js";

/**
 * Answers the id of the run that is open now. Before a first backfill was done that is a backfill,
 * whatever is wanted. Cheap, and safe when many call it at once.
 */
export async function tick(runtime: Runtime, wanted: "catch-up" | "reconcile"): Promise<string> {
  const backfill = await openBackfill(runtime);
  const isFirst = (await eventsReadTo(runtime)) === undefined;
  if (backfill !== undefined && (isFirst || wanted === "reconcile")) return backfill;
  const runId = await openRun(runtime, isFirst ? "backfill" : wanted);
  await pruneRuns(runtime);
  return runId;
}

/** A backfill that is under way. */
async function openBackfill(runtime: Runtime): Promise<string | undefined> {
  const { backfill } = (await pointers(runtime)).open;
  if (backfill === undefined) return undefined;
  const record = await runtime.store.record("run", backfill);
  return record !== undefined && runOf(record).state === "running" ? backfill : undefined;
}
