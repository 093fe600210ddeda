/**
 * The record of a run is shared by all who work at it. The workers of one process change it one
 * after the other, and each knows what the last has made of it, so that they do not race against
 * each other; other processes they race as ever.
 */

import type { RecordWrite, StoredRecord } from "../../mirror/store.js";
import type { Runtime } from "../../runtime/runtime.js";

interface Shared {
  /** The run as this process last wrote it. */
  latest?: StoredRecord;
  turn: Promise<unknown>;
}

const processes = new WeakMap<Runtime, Shared>();

function sharedBy(runtime: Runtime): Shared {
  const known = processes.get(runtime);
  if (known !== undefined) return known;
  const made: Shared = { turn: Promise.resolve() };
  processes.set(runtime, made);
  return made;
}

/** The later of a run's record as it was read and as this process last wrote it. */
export function latestOf(runtime: Runtime, read: StoredRecord): StoredRecord {
  const latest = processes.get(runtime)?.latest;
  return latest?.id === read.id && latest.revision > read.revision ? latest : read;
}

/** Work that changes a run's record, when nobody else of this process is at it. */
export function inTurnForRun<T>(runtime: Runtime, work: () => Promise<T>): Promise<T> {
  const shared = sharedBy(runtime);
  const mine = shared.turn.then(work, work);
  shared.turn = mine.catch(() => {}); // whoever began it is told
  return mine;
}

/** A run's record was written over this one. */
export function keepLatest(runtime: Runtime, over: StoredRecord, writes: readonly RecordWrite[]) {
  const write = writes.find(({ kind, id }) => kind === over.kind && id === over.id);
  if (!write?.next) return;
  sharedBy(runtime).latest = { ...over, ...write.next, revision: over.revision + 1 };
}
