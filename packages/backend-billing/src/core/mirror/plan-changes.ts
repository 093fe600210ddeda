/**
 * The changes that a batch tells the application of. Each is a record that is written with the row:
 * it is told if, and only if, the row was stored, from wherever that was learnt. Pure.
 */
import type { ResourceName } from "../catalogue/catalogue.js";
import { same } from "./content/same.js";
import type { Known } from "./facts.js";
import type { Batch, RecordData } from "./store.js";
import { type Judged, keyOf, type PutRecord } from "./writes.js";

/** How a row changed. The record points at the object, and stands in the order of its revisions. */
export interface StoredChange {
  /** No other change has it, even after the database was set back to an earlier point. */
  readonly key: string;
  readonly resource: ResourceName;
  readonly id: string;
  /** Null where there was no row, or is none any more. */
  readonly before: object | null;
  readonly after: object | null;
  /** Milliseconds. */
  readonly at: number;
}

/** Digits of a revision, so that their texts stand in the order of the numbers. */
const DIGITS = 15;

export function planChanges(
  objects: readonly Judged[],
  { now, draw = "" }: Batch,
  facts: Known,
): readonly PutRecord[] {
  const writes: PutRecord[] = [];
  for (const object of objects) {
    const { resource, id, content: after, version } = object;
    if (after === undefined || version === null || !facts.listened(resource)) continue;
    const before = contentBefore(object, facts);
    if (before === undefined || isNone(before, after)) continue;
    // mutant "what the first listing finds is told": before === null && isFound(object, facts) -> false
    if (before === null && isFound(object, facts)) continue;
    const key = `${draw}.${id}.${version.revision}`;
    const change: StoredChange = { key, resource, id, before, after, at: now };
    writes.push({
      write: "putRecord",
      kind: "change",
      id: `${keyOf(resource, id)} ${String(version.revision).padStart(DIGITS, "0")}`,
      from: 0,
      rescheduled: true,
      record: {
        revision: 1,
        ref: keyOf(resource, id),
        due: now,
        data: { ...change } as RecordData,
      },
    });
  }
  return writes;
}

/** What the row had; undefined if that was not read yet. */
const contentBefore = (
  { resource, id, before }: Judged,
  facts: Known,
): object | null | undefined => (before?.state === "live" ? facts.content(resource, id) : null);

/** Nothing was there and nothing is, or the same. */
const isNone = (before: object | null, after: object | null): boolean =>
  before === null || after === null ? before === after : same(before, after);

/**
 * Whether the object may be older than the library's knowledge of its resource, which was never
 * listed to its end: what is found then is what there is, and no news.
 */
function isFound({ resource, isBorn }: Judged, facts: Known): boolean {
  if (isBorn || facts.listened(resource) === "everything") return false;
  return facts.watermark(resource) == null; // not read yet, or none
}
