/**
 * A run and its partitions, as they are stored: what there is to do, how far it is, and what went
 * wrong. Pure; who takes a partition and what a page does to it is elsewhere.
 */

import type { ResourceName } from "../../catalogue/catalogue.js";
import type { FollowUp } from "../../events/receive.js";
import type { RecordWrite, StoredRecord } from "../../mirror/store.js";
import type { Drift, Phase, RunKind, RunState, SetAsideReport } from "../../runtime/reports.js";
import type { Buckets } from "../drift/buckets.js";

export interface RunOptions {
  /** Of `verify`: compare so many rows of each resource instead of all. */
  readonly sample?: number;
  /** Of `reconcile`: how many objects of a resource may turn out to be unknown to Stripe. */
  readonly maxMissing?: number;
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

/** Half-open, in seconds of creation: from <= created < to. Null is no bound. */
export interface Range {
  readonly from: number | null;
  readonly to: number | null;
}

/** What a page left to do before the next one, or the end, may come. */
export type Pending =
  | ({ readonly do: "follow" } & FollowUp)
  | { readonly do: "fetch"; readonly resource: ResourceName; readonly id: string }
  | { readonly do: "compare"; readonly id: string };

export interface Partition {
  readonly task: Phase;
  readonly resource: ResourceName | "events" | "asks";
  /** Which of the resource's listings, or of the groups of event types. */
  readonly list: number;
  readonly range: Range;
  /** The last object that was stored, and when it was created. */
  readonly cursor: string | null;
  readonly createdAt: number | null;
  readonly pages: number;
  readonly rows: number;
  readonly state: RunState;
  /** What went wrong last, and how often in a row. */
  readonly error?: string;
  readonly attempts: number;
  /** Stripe's time at the first page, in seconds. */
  readonly since: number | null;
  /** Nothing is left to be listed; what is pending still is. */
  readonly listed: boolean;
  readonly pending: readonly Pending[];
  readonly drift?: Drift;
  /** Of a sweep: objects that nothing confirmed since are asked for; so many may be unknown. */
  readonly sweep?: { readonly since: number; readonly allowed: number; readonly unknown: number };
  /** Of a verification: what Stripe has and what the mirror has, summed up. */
  readonly buckets?: Buckets;
  readonly mirror?: { readonly buckets: Buckets; readonly differing: readonly number[] | null };
  /** Of a sample: the rows chosen with their lots, and of how many; then all that was compared. */
  readonly sample?: {
    readonly size: number;
    readonly population: number;
    readonly chosen: readonly (readonly [lot: number, id: string])[];
    readonly probes: readonly number[];
  };
}

export const groupOf = ({
  task,
  resource,
  list,
}: Pick<Partition, "task" | "resource" | "list">): string => `${task} ${resource} ${list}`;

const count = (counts: Run["open"], group: string, by: number): Run["open"] => ({
  ...counts,
  [group]: (counts[group] ?? 0) + by,
});

/** A partition that has not begun. */
export function fresh(
  task: Phase,
  resource: Partition["resource"],
  more: Partial<Partition> = {},
): Partition {
  return {
    task,
    resource,
    list: 0,
    range: { from: null, to: null },
    cursor: null,
    createdAt: null,
    pages: 0,
    rows: 0,
    state: "running",
    attempts: 0,
    since: null,
    listed: false,
    pending: [],
    ...more,
  };
}

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
      next: { ref: runId, due: now, data: { ...partition } },
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
export const partitionOf = (record: StoredRecord): Partition => record.data as unknown as Partition;

export function runWrite(id: string, expect: number, run: Run): RecordWrite {
  return { kind: "run", id, expect, next: { ref: null, due: null, data: { ...run } } };
}
