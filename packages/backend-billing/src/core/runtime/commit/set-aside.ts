/**
 * What cannot be stored is set aside: an object whose content the database refuses whenever it is
 * sent gets a record that says so, in the commit that would have stored it, and everything beside it
 * is stored. The record is what an acknowledged event leaves behind; a later snapshot that can be
 * stored overtakes it.
 */

import { hash } from "../../mirror/content/hash.js";
import { wellFormed } from "../../mirror/content/text.js";
import type { Version } from "../../mirror/rule.js";
import type { RecordRequest, Snapshot } from "../../mirror/store.js";
import { BillingError } from "../errors.js";
import type { SetAside } from "../reports.js";

/** What the record of an object that is set aside holds. */
export interface Remembered extends SetAside {
  /** The second of Stripe's time since when the content was true. */
  readonly lo: number;
  /** Whether it was about an object that is gone. */
  readonly gone: boolean;
  /** Whether the tables had a row of the object. */
  readonly known: boolean;
}

/** The longest id that can be stored: 1,500 bytes at most, which every index takes. */
export const LONGEST_ID = 500;

/** The error by which a store says that this very content cannot be stored, ever. */
export function unstorable(reason: string, cause?: unknown): BillingError {
  return new BillingError("unstorable", reason, { cause });
}

export const isUnstorable = (error: unknown): error is BillingError =>
  error instanceof BillingError && error.code === "unstorable";

/** Why an object cannot be stored under its id; undefined if it can. */
export function idProblem(id: string): string | undefined {
  if (id.length > LONGEST_ID) return `Its id is longer than ${LONGEST_ID} characters.`;
  return wellFormed(id) === id ? undefined : "Its id has characters that no table can hold.";
}

/** Asks for the record of an object that is set aside. It replaces an earlier one. */
export function asideRequest(
  { resource, id, lo, kind }: Snapshot,
  facts: Pick<Remembered, "reason" | "at" | "kept" | "known">,
): RecordRequest {
  const gone = kind === "deleted" || kind === "missing";
  const shown = shownId(id);
  const data = { resource, id: shown, ...facts, lo, gone } satisfies Remembered;
  return { kind: "aside", id: `${resource} ${shown}`, due: facts.at, data };
}

/** The id itself, or the beginning of one that cannot be stored and a number that tells it apart. */
function shownId(id: string): string {
  if (idProblem(id) === undefined) return id;
  return `${wellFormed(id.slice(0, 100))}… ${hash(id)}`;
}

/**
 * Whether what is stored came after what was set aside. A row that was there already must be true
 * later than that, because it may be the older one; one that was not there was written since, and
 * only must not be known to be older.
 */
export function isOvertaken(
  { lo, gone, known }: Pick<Remembered, "lo" | "gone" | "known">,
  version: Pick<Version, "state" | "lo" | "hi"> | undefined,
): boolean {
  if (gone) return true;
  if (version === undefined || version.state === "unknown") return false;
  return version.state === "live" && known ? version.lo > lo : version.hi >= lo;
}
