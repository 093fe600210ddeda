/** A run, as it is stored: its phase, how many partitions are open, and what went wrong. Pure. */

import type { ResourceName } from "../../catalogue/catalogue.js";
import type { RecordWrite, StoredRecord } from "../../mirror/store.js";
import type { Phase, RunKind, RunState, SetAsideReport } from "../../runtime/reports.js";
import { groupOf, type Partition, partitionData } from "./partition.js";

export interface RunOptions {
  /** Of `verify`: compare so many rows of each resource instead of all. */
  readonly sample?: number;
  /** Of `reconcile`: how many objects of a resource may turn out to be unknown to Stripe. */
  readonly maxMissing?: number;
  /** What is listed and compared, where that is not everything. */
  readonly resources?: readonly ResourceName[];
  /** Of these, what Stripe lists for one owner at a time is neither listed nor compared. */
  readonly withoutOwned?: readonly ResourceName[];
  /** Of `verify`: the meters of features whose usage is compared. */
  readonly meters?: { readonly [feature: string]: string };
}

export interface Run {
  readonly kind: RunKind;
  readonly state: RunState;
  readonly phase: Phase;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  /** Partitions that are not finished, by group, and how many there ever were. */
  readonly open: { readonly [group: string]: number };
  readonly made: { readonly [group: string]: number };
  /** Events of this second of Stripe's time and later are read. Null until that is known. */
  readonly from: number | null;
  /** Also asks about what the lists do not show: events alone cannot tell what happened. */
  readonly sweeps: boolean;
  readonly options: RunOptions;
  /** When the account was made, in seconds, if that is known: there is nothing older to list. */
  readonly accountCreated?: number;
  /** The first thing that went wrong for good. */
  readonly error?: string;
  /** What was set aside when the run ended; absent if nothing was. */
  readonly setAside?: SetAsideReport;
}

/** What a run lists, of what is mirrored. */
export const chosenIn = (
  { options: { resources } }: Run,
  mirrored: readonly ResourceName[],
): readonly ResourceName[] =>
  resources === undefined ? mirrored : mirrored.filter((name) => resources.includes(name));

const count = (counts: Run["open"], group: string, by: number): Run["open"] => ({
  ...counts,
  [group]: (counts[group] ?? 0) + by,
});

/** The run with these partitions, and the writes that make them, due now. */
export function opening(
  runId: string,
  run: Run,
  partitions: readonly Partition[],
  now: number,
): { readonly run: Run; readonly writes: readonly RecordWrite[] } {
  const writes: RecordWrite[] = [];
  let next = run;
  for (const partition of partitions) {
    const group = groupOf(partition);
    const number = String(next.made[group] ?? 0).padStart(4, "0");
    writes.push({
      kind: "partition",
      id: `${runId} ${group} ${number}`,
      expect: 0,
      next: { ref: runId, due: now, data: partitionData(partition) },
    });
    next = { ...next, open: count(next.open, group, 1), made: count(next.made, group, 1) };
  }
  return { run: next, writes };
}

/** The run after one of its partitions came to its end, well or not. */
export function closing(run: Run, partition: Partition): Run {
  const next = { ...run, open: count(run.open, groupOf(partition), -1) };
  if (partition.state !== "failed" || run.error !== undefined) return next;
  return {
    ...next,
    error:
      partition.error ??
      "The partition failed without an error message. Start the run again; if it fails again, report it with the id of the run.",
  };
}

export const isOver = (run: Run): boolean => Object.values(run.open).every((left) => left === 0);

/** Newer runs come first in the order of their ids, so that the latest are the first page. */
export function newRunId(now: number): string {
  const order = String(9_999_999_999_999 - now).padStart(13, "0");
  return `run_${order}_${crypto.randomUUID().slice(0, 8)}`;
}

export const runOf = (record: StoredRecord): Run => record.data as unknown as Run;

export function runWrite(id: string, expect: number, run: Run): RecordWrite {
  return { kind: "run", id, expect, next: { ref: null, due: null, data: { ...run } } };
}
