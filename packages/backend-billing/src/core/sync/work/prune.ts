/** Deletes what has expired: old runs with their records, old receipts, old limits, old usage. */

import { sweepClaims } from "../../customers/claim/sweep.js";
import type { StoredRecord } from "../../mirror/store.js";
import { commit } from "../../runtime/commit/commit.js";
import { sayListening } from "../../runtime/commit/listening.js";
import { removal, settingsOf, takeEnded } from "../../runtime/records/record.js";
import type { Runtime } from "../../runtime/runtime.js";
import { foldUsage } from "../../usage/books/fold.js";
import { allPartitions } from "../run/commit.js";
import { runOf } from "../run/run.js";

/** Runs of each kind that are kept, and how many more there may be before these are removed. */
const KEPT = 20;
const SLACK = 20;
/** Runs looked at in one call. */
const LOOK = 200;
const BATCH = 100;
/** Receipts outlive Stripe's events, so that no event is read twice for nothing. */
const RECEIPTS = 35 * 86_400_000;

/** Removes runs that ended and that newer ones of their kind have followed. */
export async function pruneRuns(runtime: Runtime): Promise<void> {
  const newestFirst = new Map<string, StoredRecord[]>();
  for (const record of await runtime.store.records("run", "", LOOK)) {
    const { kind } = runOf(record);
    newestFirst.set(kind, [...(newestFirst.get(kind) ?? []), record]);
  }
  for (const runs of newestFirst.values()) {
    if (runs.length <= KEPT + SLACK) continue;
    for (const record of runs.slice(KEPT)) {
      if (runOf(record).state !== "running") await removeRun(runtime, record);
    }
  }
}

async function removeRun(runtime: Runtime, run: StoredRecord): Promise<void> {
  const [drift, partitions] = await Promise.all([
    settingsOf(runtime, run.id, BATCH),
    allPartitions(runtime, run.id),
  ]);
  const parts = [...partitions, ...drift, run]; // the run itself last
  for (let at = 0; at < parts.length; at += BATCH) {
    const records = parts.slice(at, at + BATCH).map(removal);
    const result = await commit(runtime, { source: "record", records });
    if (!result.committed) return; // another process is pruning it
  }
}

/** Receipts that one transaction forgets, and transactions that one call may take. */
const RECEIPTS_AT_ONCE = 1_000;
const MOST_TIMES = 100;

/** Forgets receipts, settings, parameters and keys of usage whose time is over; answers how many. */
export async function prune(runtime: Runtime): Promise<number> {
  const forgotten = await Promise.all([
    pruneReceipts(runtime),
    pruneEnded(runtime),
    sweepClaims(runtime),
    listenOn(runtime),
    foldUsage(runtime),
  ]);
  return forgotten.reduce((sum, count) => sum + count, 0);
}

/** Says again what the handlers of this process need, so that it is not forgotten. */
async function listenOn(runtime: Runtime): Promise<number> {
  const { needs } = runtime.reactions ?? {};
  if (needs !== undefined) await sayListening(runtime, needs);
  return 0;
}

async function pruneReceipts(runtime: Runtime): Promise<number> {
  const now = runtime.now();
  let receipts = 0;
  for (let times = 0; times < MOST_TIMES; times++) {
    const forgotten = await runtime.store.pruneReceipts(now - RECEIPTS, RECEIPTS_AT_ONCE);
    receipts += forgotten;
    if (forgotten < RECEIPTS_AT_ONCE) break;
  }
  return receipts;
}

async function pruneEnded(runtime: Runtime): Promise<number> {
  const ended = await takeEnded(runtime, BATCH);
  if (ended.length > 0) {
    await commit(runtime, { source: "record", records: ended.map(removal) });
  }
  return ended.length;
}
