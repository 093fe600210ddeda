/** What schedules open: the run that is wanted, if none is open, and the removal of old ones. */
import { listsPerOwner, type ResourceName } from "../../catalogue/catalogue.js";
import { resources } from "../../catalogue/resources.js";
import type { StoredRecord } from "../../mirror/store.js";
import type { Timing } from "../../runtime/config.js";
import { records } from "../../runtime/records/records.js";
import type { Runtime } from "../../runtime/runtime.js";
import { openRun } from "../run/open.js";
import { pointers } from "../run/pointers.js";
import { type Run, type RunOptions, runOf } from "../run/run.js";
import { watermarks } from "../run/watermarks.js";
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
  const [backfill, marks] = await Promise.all([
    openBackfill(runtime),
    watermarks(runtime),
    pruneRuns(runtime),
  ]);
  const unlisted = neverListed(runtime, marks);
  const isFirst = records.watermark("events").among(marks).data === undefined;
  const isUnderWay = backfill?.state === "running";
  if (isUnderWay && (isFirst || wanted === "reconcile")) return backfill.id;
  // What is mirrored since the last one, such as what a new version adds. Beside the catch-up: one
  // that fails, for want of a permission, must not hold that up, and is left to the next reconcile.
  if (!isFirst && unlisted.length > 0 && wanted === "catch-up" && backfill === undefined) {
    await openRun(runtime, "backfill", { resources: unlisted });
  }
  if (isFirst || wanted === "catch-up") return openRun(runtime, isFirst ? "backfill" : wanted);
  return openRun(runtime, wanted, nightly(runtime.resources, unlisted));
}

/**
 * What a scheduled reconcile compares. What Stripe shows only for one owner at a time would take a
 * request for each, every night: where all its changes have events it is left out, once it was listed.
 * `reconcile`, called by hand, compares it too. Pure.
 */
export function nightly(
  mirrored: readonly ResourceName[],
  unlisted: readonly ResourceName[],
): Required<Pick<RunOptions, "resources" | "withoutOwned">> {
  const isLeftOut = (name: ResourceName) =>
    listsPerOwner(name)?.eventful === true && !unlisted.includes(name);
  // mutant "what no owner has is left out by night": resources[name].lists.length > 0 -> false
  const compared = mirrored.filter((name) => !isLeftOut(name) || resources[name].lists.length > 0);
  return { resources: compared, withoutOwned: compared.filter(isLeftOut) };
}

/** The mirrored resources that were never listed to their end. */
const neverListed = (
  { resources }: Runtime,
  marks: readonly StoredRecord[],
): readonly ResourceName[] =>
  resources.filter((name) => records.watermark(name).among(marks).data === undefined);

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
  // One from further ahead was opened by a machine whose clock was wrong.
  const starts = (those: typeof repairs) =>
    those.map((run) => run.startedAt).filter((at) => at <= now + catchUpEvery);
  const age = (those: typeof repairs) => now - Math.max(0, ...starts(those));
  if (age(repairs) < catchUpEvery) return undefined;
  return age(repairs.filter(({ kind }) => kind !== "catch-up")) < reconcileEvery
    ? "catch-up"
    : "reconcile";
}

/** Opens what is wanted now, if anything is. */
export async function openWanted(runtime: Runtime): Promise<void> {
  const all = (await runtime.store.records("run", "", LATEST)).map(runOf);
  // Another role of the database may have written one.
  const runs = all.filter((run) => Number.isSafeInteger(run.startedAt));
  const wanted = wantedNow(runs, runtime.now(), runtime.timing);
  if (wanted !== undefined) await openScheduled(runtime, wanted);
}

/** The backfill that is under way, or the last one if it failed. */
async function openBackfill(runtime: Runtime): Promise<(Run & { id: string }) | undefined> {
  const { backfill } = (await pointers(runtime)).open;
  const record = backfill === undefined ? undefined : await runtime.store.record("run", backfill);
  return record && { ...runOf(record), id: record.id };
}
