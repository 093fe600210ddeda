/**
 * A partition is one task of a run on one list or resource, as it is stored: how far it is, and what
 * went wrong. Every task has fields of its own. Pure; what a step does to a partition is in `tasks`.
 */
import type { ResourceName } from "../../catalogue/catalogue.js";
import type { FollowUp } from "../../events/receive.js";
import type { StoredRecord } from "../../mirror/store.js";
import type { BilledPlace, BookPlace } from "../../runtime/records/books.js";
import type { Drift, Phase, RunState, UsageDifference } from "../../runtime/reports.js";
import { type Buckets, NO_BUCKETS } from "../drift/buckets.js";

/** Half-open, in seconds of creation: from <= created < to. Null is no bound. */
export interface Range {
  readonly from: number | null;
  readonly to: number | null;
}

/** What a step left to do before the next one, or the end, may come. */
export type Pending = PendingFollow | PendingFetch | PendingCompare;
export type PendingFollow = { readonly do: "follow" } & FollowUp;
interface PendingFetch {
  readonly do: "fetch";
  readonly resource: ResourceName;
  readonly id: string;
}
export interface PendingCompare {
  readonly do: "compare";
  readonly id: string;
  /** Whose list showed it, where the object does not say. */
  readonly owner?: string;
}

interface Progressing {
  readonly pages: number;
  readonly rows: number;
  readonly state: RunState;
  /** What went wrong last, and how often in a row. */
  readonly error?: string;
  readonly attempts: number;
}

/** A list of Stripe's that is read page by page. */
interface Paging extends Progressing {
  /** Which of the resource's listings, or of the groups of event types. */
  readonly list: number;
  readonly range: Range;
  /** The last object that was stored, and when it was created. */
  readonly cursor: string | null;
  readonly createdAt: number | null;
  /** Stripe's time at the first page, in seconds. */
  readonly since: number | null;
  /** Nothing is left to be listed; what is pending still is. */
  readonly listed: boolean;
}

/** Rows of the mirror that are gone through in the order of their ids. */
interface Scanning extends Progressing {
  readonly resource: ResourceName;
  /** The last id that was looked at. */
  readonly cursor: string | null;
  /** What differed between the mirror and Stripe; absent if nothing did. */
  readonly drift?: Drift;
}

/** Of a sample: the rows chosen with their lots, and of how many; then all that was compared. */
export interface Sample {
  readonly size: number;
  readonly population: number;
  readonly chosen: readonly (readonly [lot: number, id: string])[];
  readonly probes: readonly number[];
}

/** What each task keeps. */
interface Partitions {
  /** Reads a list of objects. */
  readonly list: Paging & {
    readonly task: "list";
    readonly resource: ResourceName;
    readonly pending: readonly Pending[];
    /** Of lists for each object of another resource: the last of those that was asked for. */
    readonly owner?: string;
    /** Of a verification: what the list showed, summed up, and what differed. */
    readonly buckets?: Buckets;
    readonly drift?: Drift;
  };
  /** Reads a list of events. */
  readonly events: Paging & {
    readonly task: "events";
    readonly resource: "events";
    readonly pending: readonly PendingFollow[];
    /** The types to read, of events that handlers take as they come; else the catalogue says it. */
    readonly types?: readonly string[];
  };
  /** Asks for objects that nothing confirmed since a second; so many may be unknown to Stripe. */
  readonly sweep: Scanning & {
    readonly task: "sweep";
    readonly pending: readonly PendingFollow[];
    readonly sweep: {
      readonly since: number;
      readonly allowed: number;
      readonly unknown: number;
      /** What has an owner was not listed, and is not asked for. */
      readonly withoutOwned?: true;
    };
  };
  /** Finds rows that no list showed: what the lists had and what the mirror has, summed up. */
  readonly scan: Scanning & {
    readonly task: "scan";
    readonly pending: readonly PendingCompare[];
    readonly buckets: Buckets;
    readonly mirror: { readonly buckets: Buckets; readonly differing: readonly number[] | null };
  };
  /** Compares rows drawn by lot. */
  readonly sample: Scanning & {
    readonly task: "sample";
    readonly pending: readonly PendingCompare[];
    /** The rows are drawn; what is pending and the probes are left. */
    readonly listed: boolean;
    readonly sample: Sample;
  };
  /** Asks about what is in doubt, of all resources. */
  readonly settle: Progressing & { readonly task: "settle"; readonly resource: "asks" };
  /** Compares what was sent of usage with what Stripe has counted. */
  readonly usage: Progressing & {
    readonly task: "usage";
    readonly resource: "usage";
    /** The last place that was looked at. */
    readonly cursor: BookPlace | null;
    /** Those that differed, to be looked at again. */
    readonly pending: readonly BilledPlace[];
    /** Days that differ, and some of them. */
    readonly differing: number;
    readonly examples: readonly UsageDifference[];
  };
}

export type TaskName = keyof Partitions;
export type Partition<T extends TaskName = TaskName> = Partitions[T];

/** A task that has done nothing yet. */
export const BEGUN = { pages: 0, rows: 0, state: "running", attempts: 0 } as const;
/** A list of which nothing was read. */
export const UNREAD = {
  ...BEGUN,
  list: 0,
  range: { from: null, to: null },
  cursor: null,
  createdAt: null,
  since: null,
  listed: false,
  pending: [],
} as const;
/** Rows of which none was looked at. */
export const UNSCANNED = { ...BEGUN, cursor: null, pending: [] } as const;
/** Of a scan: no row of the mirror was summed up. */
export const UNSUMMED: Partition<"scan">["mirror"] = { buckets: NO_BUCKETS, differing: null };

/** The phase in which a task is done. A verification's scan takes the place of the sweep. */
export const phaseOf = (task: TaskName): Phase => (task === "scan" ? "sweep" : task);

const listOf = (partition: Partition): number => ("list" in partition ? partition.list : 0);

/** Under this name a run counts its partitions. */
export const groupOf = (partition: Partition): string =>
  `${phaseOf(partition.task)} ${partition.resource} ${listOf(partition)}`;

/**
 * What is stored of a partition: a scan under the name of its phase, and each with the number of its
 * list, as every version did, so that versions can work at one run beside each other.
 */
export function partitionData(partition: Partition): StoredRecord["data"] {
  return { ...partition, task: phaseOf(partition.task), list: listOf(partition) };
}

export function partitionOf({ data }: Pick<StoredRecord, "data">): Partition {
  const stored = data as unknown as Partition;
  if (stored.task !== "sweep" || stored.sweep !== undefined) return stored;
  return { mirror: UNSUMMED, ...(data as object), task: "scan" } as Partition<"scan">;
}
