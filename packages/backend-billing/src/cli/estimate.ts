/**
 * How much is left of a run's listing. Stripe does not say how many objects there are, so this is
 * a guess by what the last run found or, the first time, by how much of the account's time has been
 * read. Where neither tells, there is no guess. Pure.
 */
import type { ResourceName } from "../core/catalogue/catalogue.js";
import type { RunReport } from "../core/runtime/reports.js";
import type { Partition } from "../core/sync/run/partition.js";

/** Parts of the time that say too little, or that say it was all although it was not. */
const TOO_LITTLE = 0.02;
const TOO_MUCH = 0.98;

export interface Situation {
  readonly partitions: readonly Partition[];
  readonly resources: readonly ResourceName[];
  /** The last run that listed everything and was done. */
  readonly previous: RunReport | undefined;
  /** Seconds. */
  readonly now: number;
}

/** The number of objects that the lists still have to show; undefined if that is unknown. */
export function rowsLeft(at: Situation): number | undefined {
  const lists = at.partitions.filter((each) => each.task === "list");
  let left = 0;
  for (const resource of at.resources) {
    const own = lists.filter((each) => each.resource === resource);
    const rows = own.reduce((sum, each) => sum + each.rows, 0);
    if (own.length > 0 && own.every(({ state }) => state !== "running")) continue;
    const before = at.previous?.resources[resource]?.rows ?? 0;
    const total = before > rows ? before : totalByTime(own, rows, lists, at.now);
    // A list that has not begun is left out where nothing is known of it.
    if (total === undefined && own.length > 0) return undefined;
    left += Math.max(0, (total ?? 0) - rows);
  }
  return left;
}

/** All rows of a list, if they lie as densely in the time that is still to be read. */
function totalByTime(
  own: readonly Partition<"list">[],
  rows: number,
  lists: readonly Partition<"list">[],
  now: number,
): number | undefined {
  const start = beginning(own) ?? beginning(lists);
  if (start === undefined) return undefined;
  let [all, read] = [0, 0];
  for (const { range, createdAt, state, rows: found } of own) {
    if (state === "done" && found === 0) continue; // a time in which nothing was made
    const top = Math.min(range.to ?? now, now);
    const bottom = Math.max(range.from ?? start, start);
    const reached = state === "done" ? bottom : (createdAt ?? top); // lists go from new to old
    all += Math.max(0, top - bottom);
    read += Math.max(0, top - Math.max(bottom, reached));
  }
  const part = read / all;
  return part > TOO_LITTLE && part < TOO_MUCH ? rows / part : undefined;
}

/** Where the oldest list that was read to its very end came to; before that there was nothing. */
function beginning(lists: readonly Partition<"list">[]): number | undefined {
  const oldest = lists.flatMap(({ state, range, createdAt }) => {
    const end = createdAt ?? range.to;
    return state === "done" && range.from === null && end !== null ? [end] : [];
  });
  return oldest.length === 0 ? undefined : Math.min(...oldest);
}
