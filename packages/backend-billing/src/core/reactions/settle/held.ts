/** A change that is not told yet, as an operator sees it: without its contents. Pure. */
import type { RecordWrite, StoredRecord } from "../../mirror/store.js";
import { deliveryIn } from "../delivery.js";

/** `failing`: it was tried, or is being tried for the first time. `parked`: it failed for too long. */
export type Standing = "waiting" | "failing" | "parked";

export interface Held {
  readonly key: string;
  /** What it is about: a resource and an id. */
  readonly object: string;
  readonly standing: Standing;
  /** How often the next listener was tried. */
  readonly attempts: number;
  /** Milliseconds, as all times: when the change was stored, first tried, and is tried next. */
  readonly at: number;
  readonly since: number | null;
  readonly due: number | null;
  /** The names under which it was told already. */
  readonly done: readonly string[];
  /** It was parked before. */
  readonly late: boolean;
}

export function heldIn(record: StoredRecord): Held {
  const change = deliveryIn(record);
  const { key, resource, id, attempts = 0, at, since = null, done = [], late = false } = change;
  const object = record.ref ?? `${resource} ${id}`;
  const standing = change.parked ? "parked" : attempts > 0 ? "failing" : "waiting";
  return { key, object, standing, attempts, at, since, due: record.due, done, late };
}

/**
 * The write by which a change is due now. One that was parked is late from then on, and has its full
 * time again. Undefined if it has not failed: its turn comes by itself.
 */
export function retrying(record: StoredRecord, now: number): RecordWrite | undefined {
  const { standing } = heldIn(record);
  if (standing === "waiting") return undefined;
  const { parked: _, attempts, since, last, ...change } = deliveryIn(record);
  const data =
    standing === "parked" ? { ...change, late: true } : { ...change, attempts, since, last };
  const { kind, id, revision: expect, ref, due } = record;
  return { kind, id, expect, was: { ref, due }, next: { ref, due: now, data } };
}
