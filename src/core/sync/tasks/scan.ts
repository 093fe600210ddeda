/**
 * Compares the mirror with Stripe and writes nothing to it. What differs is looked at again a little
 * later, by id: a change may have been on its way. What no list showed is found by sums of ids.
 */
import { snapshotsOfPage } from "../../mirror/snapshot.js";
import { bucketOf, differing, NO_BUCKETS, withIds } from "../drift/buckets.js";
import { unequal } from "../drift/compare.js";
import type { Partition, Pending } from "../run/run.js";
import { type ListedPage, resourceOf, type Step, type Stepped } from "../run/step.js";
import { settlePending } from "./settle.js";

const SCAN = 500;

const again = (id: string): Pending => ({ do: "compare", id });

/** What a page shows against what is stored. */
export async function compareListed(step: Step, page: ListedPage) {
  const { runtime, at } = step;
  const resource = resourceOf(at);
  const snapshots = snapshotsOfPage(runtime, resource, page, page.startedAt);
  const ids = snapshots.map(({ id }) => id);
  const pending = await unequal(runtime, resource, snapshots);
  return {
    pending,
    stepped: pending.length === 0 ? {} : { pause: runtime.timing.verifyDelay },
    more: { buckets: withIds(at.buckets ?? NO_BUCKETS, ids) } satisfies Partial<Partition>,
  };
}

/**
 * After the lists: sums up the ids of the mirror, then looks at those rows whose sums differ from
 * what the lists showed.
 */
export async function scanStep(step: Step): Promise<Stepped> {
  const { runtime } = step;
  const settled = await settlePending(step);
  const { at } = settled;
  if (settled.isUnfinished) return { next: at };
  const resource = resourceOf(at);
  const mirror = at.mirror ?? { buckets: NO_BUCKETS, differing: null };
  const found = await runtime.store.unconfirmed(resource, ALWAYS, at.cursor ?? "", SCAN);
  const ids = found.map(({ id }) => id);
  const cursor = ids.at(-1) ?? null;
  if (mirror.differing === null) {
    const buckets = withIds(mirror.buckets, ids);
    if (cursor !== null) return { next: { ...at, cursor, mirror: { ...mirror, buckets } } };
    const suspects = differing(at.buckets ?? NO_BUCKETS, buckets);
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
