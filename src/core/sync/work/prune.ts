/** Forgets what nobody needs any more: old runs with all they wrote, old receipts, old limits. */

import { sweepClaims } from "../../customers/claim/sweep.js";
import type { StoredRecord } from "../../mirror/store.js";
import { commit } from "../../runtime/commit/commit.js";
import { removal, settingsOf, takeEnded } from "../../runtime/records/record.js";
import type { Runtime } from "../../runtime/runtime.js";
import { allPartitions } from "../run/commit.js";
import { runOf } from "../run/run.js";

/** Runs of each kind that are kept. */
const KEPT = 20;
/** Runs looked at in one call. */
const LOOK = 200;
const BATCH = 100;
/** Receipts outlive Stripe's events, so that no event is read twice for nothing. */
const RECEIPTS = 35 * 86_400_000;

/** Removes runs that ended and that newer ones of their kind have followed. */
export async function pruneRuns(runtime: Runtime): Promise<void> {
  const seen = new Map<string, number>();
  for (const record of await runtime.store.records("run", "", LOOK)) {
    const { kind, state } = runOf(record);
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    if (count > KEPT && state !== "running") await removeRun(runtime, record);
  }
}

async function removeRun(runtime: Runtime, run: StoredRecord): Promise<void> {
  const drift = await settingsOf(runtime, run.id, BATCH);
  const parts = [...(await allPartitions(runtime, run.id)), ...drift, run]; // the run itself last
  for (let at = 0; at < parts.length; at += BATCH) {
    const records = parts.slice(at, at + BATCH).map(removal);
    const result = await commit(runtime, { source: "record", records });
    if (!result.committed) return; // somebody else is at it
  }
}

/** Receipts that one transaction forgets, and transactions that one call may take. */
const RECEIPTS_AT_ONCE = 1_000;
const MOST_TIMES = 100;

/** Forgets receipts, settings and parameters whose time is over; answers how many. */
export async function prune(runtime: Runtime): Promise<number> {
  const now = runtime.now();
  let receipts = 0;
  for (let times = 0; times < MOST_TIMES; times++) {
    const forgotten = await runtime.store.pruneReceipts(now - RECEIPTS, RECEIPTS_AT_ONCE);
    receipts += forgotten;
    if (forgotten < RECEIPTS_AT_ONCE) break;
  }
  const ended = await takeEnded(runtime, BATCH);
  if (ended.length > 0) {
    await commit(runtime, { source: "record", records: ended.map(removal) });
  }
  return receipts + ended.length + (await sweepClaims(runtime));
}
