/**
 * Compares two sets of ids without holding either: every id falls into one of a fixed number of
 * buckets, which keeps a count and a sum. Where both agree the sets are the same, up to a chance of
 * one in four billion; where they do not, only that bucket's rows have to be looked at. Pure.
 */

import { hash } from "../../mirror/content/hash.js";

/** For each bucket its count and its sum, one after the other. */
export type Buckets = readonly number[];

export const BUCKETS = 1024;
export const NO_BUCKETS: Buckets = [];

export const bucketOf = (id: string): number => hash(id) % BUCKETS;

const filled = (buckets: Buckets): number[] =>
  buckets.length > 0 ? [...buckets] : new Array<number>(2 * BUCKETS).fill(0);

export function withIds(buckets: Buckets, ids: readonly string[]): Buckets {
  if (ids.length === 0) return buckets;
  const next = filled(buckets);
  for (const id of ids) {
    const at = 2 * bucketOf(id);
    next[at] = (next[at] ?? 0) + 1;
    next[at + 1] = ((next[at + 1] ?? 0) + hash(id, 1)) % 0x1_0000_0000;
  }
  return next;
}

export function sumBuckets(all: readonly Buckets[]): Buckets {
  const sum = filled(NO_BUCKETS);
  for (const each of all) {
    each.forEach((value, at) => {
      sum[at] = at % 2 === 0 ? (sum[at] ?? 0) + value : ((sum[at] ?? 0) + value) % 0x1_0000_0000;
    });
  }
  return sum;
}

/** The buckets in which the two sets differ. */
export function differing(a: Buckets, b: Buckets): readonly number[] {
  const [left, right] = [filled(a), filled(b)];
  return Array.from({ length: BUCKETS }, (_, bucket) => bucket).filter(
    (bucket) =>
      left[2 * bucket] !== right[2 * bucket] || left[2 * bucket + 1] !== right[2 * bucket + 1],
  );
}
