/**
 * The record of a run is shared by all workers. Those of one process change it one after the other,
 * each starting from what the last one wrote, so that they never conflict with each other. Other
 * processes are kept apart by compare-and-set.
 */

import type { RecordWrite, StoredRecord } from "../../mirror/store.js";
import { defineLocal } from "../../runtime/local.js";
import { oneAtATime } from "../../runtime/one-at-a-time.js";
import type { Runtime } from "../../runtime/runtime.js";

interface Shared {
  /** The run as this process last wrote it. */
  latest?: StoredRecord;
}

const sharedBy = defineLocal("runtime", "run", (): Shared => ({}));

/** The later of a run's record as it was read and as this process last wrote it. */
export function latestOf(runtime: Runtime, read: StoredRecord): StoredRecord {
  const latest = sharedBy(runtime).latest;
  return latest?.id === read.id && latest.revision > read.revision ? latest : read;
}

/** Runs work that changes a run's record, one at a time in this process. */
export const inTurnForRun = <T>(runtime: Runtime, work: () => Promise<T>): Promise<T> =>
  oneAtATime(sharedBy(runtime), work);

/** A run's record was written over this one. */
export function keepLatest(runtime: Runtime, over: StoredRecord, writes: readonly RecordWrite[]) {
  const write = writes.find(({ kind, id }) => kind === over.kind && id === over.id);
  if (!write?.next) return;
  sharedBy(runtime).latest = { ...over, ...write.next, revision: over.revision + 1 };
}
