// A task's fields are only where they exist, and every task is in the table.
import type { Partition } from "../../src/core/sync/run/partition.js";
import type { Tasks } from "../../src/core/sync/tasks/tasks.js";

export function fields(list: Partition<"list">, settle: Partition<"settle">, any: Partition) {
  // @ts-expect-error only lists have a range
  settle.range;
  // @ts-expect-error only a sweep counts what Stripe does not know
  list.sweep;
  // @ts-expect-error not every task has a cursor
  any.cursor;
  // @ts-expect-error events belong to no mirrored resource
  any satisfies { readonly resource: Partition<"list">["resource"] };
  if (any.task === "sample") any.sample satisfies { readonly size: number };
  // @ts-expect-error a sweep knows since when
  return { ...settle, task: "sweep", resource: "customers" } satisfies Partition;
}

declare const others: Omit<Tasks, "scan">;
// @ts-expect-error a task is missing
others satisfies Tasks;
// @ts-expect-error the module of another task
({ ...others, scan: others.sweep }) satisfies Tasks;
