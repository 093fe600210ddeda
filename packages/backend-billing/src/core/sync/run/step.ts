/** What one step of a partition works with and answers, and small helpers that all steps share. */
import type { ResourceName } from "../../catalogue/catalogue.js";
import { resources } from "../../catalogue/resources.js";
import type { AnswerHeaders } from "../../mirror/headers.js";
import type { Unit, UnitOutcome } from "../../mirror/store.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { Partition, TaskName } from "./partition.js";
import type { Run } from "./run.js";

export interface Step<T extends TaskName = TaskName> {
  readonly runtime: Runtime;
  readonly runId: string;
  /** As it was when the step began. */
  readonly run: Run;
  /** As this process knows it now. */
  latest(): Run;
  readonly at: Partition<T>;
}

export interface Stepped<T extends TaskName = TaskName> {
  readonly next: Partition<T>;
  /**
   * The partition once its page is stored, before it is split or closed: where another worker goes on
   * if this one dies in between. Absent where the page must be committed together with `next`.
   */
  readonly between?: Partition<T>;
  /** Committed with the partition. */
  readonly units?: readonly Unit[];
  /** Parts of this partition's range that become partitions of their own, the latest first. */
  readonly splits?: readonly Partition<T>[];
  /** Milliseconds until a worker may go on; at once when absent. */
  readonly pause?: number;
  /** The next page is being fetched: this worker keeps the partition and goes on with it. */
  readonly goesOn?: boolean;
  /** The events that were to be read are too old: everything has to be listed. */
  readonly outdated?: true;
  /** Called with the outcomes once the step is committed. */
  after?(outcomes: readonly UnitOutcome[]): Promise<void> | void;
}

export interface Listed {
  readonly id: string;
  readonly created?: number;
  readonly metadata?: { readonly [key: string]: string };
}

export interface ListedPage {
  readonly data: readonly Listed[];
  readonly has_more: boolean;
  readonly lastResponse?: { readonly headers: AnswerHeaders };
  /** Whose list it is a page of, where each owner has one. */
  readonly owner?: string;
  /** When its request was sent, by this machine's clock. */
  readonly startedAt: number;
  /** How long it waited before that for its turn, in milliseconds. */
  readonly waited?: number;
}

/** Runs over items with so many at once; answers in their order. */
export async function each<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  return results;
}

export const isByCreated = (resource: ResourceName | "events"): boolean =>
  resource === "events" || resources[resource].listsByCreated;
