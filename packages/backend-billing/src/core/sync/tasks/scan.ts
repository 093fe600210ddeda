/**
 * Finds the rows of the mirror that no list of a verification showed, by sums of ids, and compares
 * them with Stripe by id. It writes nothing to the mirror.
 */
import { bucketOf, differing, NO_BUCKETS, sumBuckets, withIds } from "../drift/buckets.js";
import { reportDrift } from "../drift/drift.js";
import { type Partition, type PendingCompare, UNSCANNED, UNSUMMED } from "../run/partition.js";
import { type Circumstances, listed } from "../run/phases.js";
import type { Run } from "../run/run.js";
import type { Step, Stepped } from "../run/step.js";
import { settlePending } from "./pending.js";

const SCAN = 500;

const again = (id: string): PendingCompare => ({ do: "compare", id });

export const open = (_: Run, at: Circumstances): readonly Partition<"scan">[] =>
  at.chosen.map((resource) => {
    const buckets = sumBuckets(listed(at, resource).map((each) => each.buckets ?? NO_BUCKETS));
    return { ...UNSCANNED, task: "scan", resource, buckets, mirror: UNSUMMED };
  });

export const report = reportDrift;

/**
 * After the lists: sums up the ids of the mirror, then looks at those rows whose sums differ from
 * what the lists showed.
 */
export async function step(step: Step<"scan">): Promise<Stepped<"scan">> {
  const { runtime } = step;
  const { at, isUnfinished } = await settlePending(runtime, step.at);
  if (isUnfinished) return { next: at };
  const { resource, mirror } = at;
  const found = await runtime.store.unconfirmed(resource, ALWAYS, at.cursor ?? "", SCAN);
  const ids = found.map(({ id }) => id);
  const cursor = ids.at(-1) ?? null;
  if (mirror.differing === null) {
    const buckets = withIds(mirror.buckets, ids);
    if (cursor !== null) return { next: { ...at, cursor, mirror: { ...mirror, buckets } } };
    const suspects = differing(at.buckets, buckets);
    return {
      next: {
        ...at,
        cursor: null,
        mirror: { buckets: NO_BUCKETS, differing: suspects },
        state: suspects.length === 0 ? "done" : "running",
      },
    };
  }
  if (cursor === null) return { next: { ...at, state: "done" } };
  const suspects = new Set(mirror.differing);
  const pending = ids.filter((id) => suspects.has(bucketOf(id))).map(again);
  return {
    next: {
      ...at,
      cursor,
      pages: at.pages + 1,
      rows: at.rows + pending.length,
      pending,
    },
  };
}

/** No row was confirmed after this: asks for all of them. */
export const ALWAYS = Number.MAX_SAFE_INTEGER;
