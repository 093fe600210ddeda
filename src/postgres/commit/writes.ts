/** What a commit has planned, as the lists that its statement is filled with. */
import { type ResourceName, resourceNames } from "../../core/catalogue/catalogue.js";
import type { VersionWrite } from "../../core/mirror/plan.js";
import type { Version } from "../../core/mirror/rule.js";
import type { RecordWish } from "../../core/mirror/store.js";
import type { Document } from "../store/statement.js";
import type { Affected, Judged } from "./plan.js";
import { byKey, compare, type ObjectKey } from "./sql.js";

/** A part of the statement, by its name in SQL. */
export type Part =
  | VersionPart
  | "received"
  | "wished"
  | `${"put" | "gone" | "empty" | "filled"}_${ResourceName}`;

/** The parts that are about versions: those that are changed, made, and left as they are. */
export type VersionPart = "changed" | "made" | "agreed";

export interface Writes {
  readonly now: number;
  /** Everything that was judged, each with the part that it concerns. */
  readonly judged: readonly JudgedRow[];
  readonly received: readonly ReceivedRow[];
  readonly wished: readonly RecordWish[];
  readonly puts: Lists<Document>;
  readonly gone: Lists<string>;
  /** Owners that get a row of nulls, and those that lose theirs. */
  readonly empty: Lists<string>;
  readonly filled: Lists<string>;
  /** How many elements each part has. Those that have none are not here. */
  readonly sizes: ReadonlyMap<Part, number>;
}

type Lists<T> = ReadonlyMap<ResourceName, readonly T[]>;

export const JUDGED = {
  part: "text",
  resource: "text",
  id: "text",
  was: "bigint",
  was_state: "text",
  was_lo: "bigint",
  was_hi: "bigint",
  revision: "bigint",
  state: "text",
  lo: "bigint",
  hi: "bigint",
  first: "boolean",
  stale: "boolean",
} as const;

type JudgedRow = { readonly [K in keyof typeof JUDGED]: string | number | boolean | null };

export const RECEIVED = {
  event_id: "text",
  type: "text",
  created: "bigint",
  object_id: "text",
} as const;

type ReceivedRow = { readonly [K in keyof typeof RECEIVED]: string | number | null };

export const WISHED = { kind: "text", id: "text", due: "bigint", data: "jsonb" } as const;

/** Every list is sorted, so that all commits lock in the same order. */
export function writesOf(
  { planned, was }: Judged,
  affected: readonly Affected[],
  now: number,
): Writes {
  const { versions, unchanged, receipts, wishes } = planned;
  const judged = [
    ...versions.map((each) =>
      judgedRow(each.from === 0 ? "made" : "changed", each, was, each.next),
    ),
    ...unchanged.map((each) => judgedRow("agreed", each, was)),
  ].sort(byKey);
  const received = receipts
    .map(({ eventId, objectId, type, created }) => ({
      event_id: eventId,
      type,
      created,
      object_id: objectId,
    }))
    .sort((a, b) => compare(a.event_id, b.event_id));
  const wished = [...wishes].sort((a, b) => compare(a.kind, b.kind) || compare(a.id, b.id));
  const sizes = new Map<Part, number>();
  const count = (part: Part, size: number) => {
    if (size > 0) sizes.set(part, size);
  };
  const made = versions.filter(({ from }) => from === 0).length;
  count("changed", versions.length - made);
  count("made", made);
  count("agreed", unchanged.length);
  count("received", received.length);
  count("wished", wished.length);
  const { puts, gone } = contentsOf(versions);
  const empty = new Map(affected.map(({ rule, appearing }) => [rule.resource, appearing]));
  const filled = new Map(affected.map((each) => [each.rule.resource, each.filled]));
  for (const resource of resourceNames) {
    const [put, out] = [puts.get(resource), gone.get(resource)];
    if (put !== undefined) sizes.set(`put_${resource}`, put.length);
    if (out !== undefined) sizes.set(`gone_${resource}`, out.length);
  }
  for (const { rule, appearing, filled: full } of affected) {
    count(`empty_${rule.resource}`, appearing.length);
    count(`filled_${rule.resource}`, full.length);
  }
  return { now, judged, received, wished, puts, gone, empty, filled, sizes };
}

/** Which parts a statement for these has, in their order, and whether each is about one thing. */
export function partsOf({ judged, sizes }: Writes): {
  readonly parts: readonly Part[];
  readonly single: boolean;
} {
  const single = judged.length <= 1 && [...sizes.values()].every((size) => size === 1);
  return { parts: [...sizes.keys()], single };
}

function judgedRow(
  part: VersionPart,
  { resource, id }: ObjectKey,
  was: Judged["was"],
  next?: Version,
): JudgedRow & ObjectKey {
  const before = was(resource, id);
  return {
    part,
    resource,
    id,
    was: before?.revision ?? 0,
    was_state: before?.state ?? null,
    was_lo: before?.lo ?? null,
    was_hi: before?.hi ?? null,
    revision: next?.revision ?? null,
    state: next?.state ?? null,
    lo: next?.lo ?? null,
    hi: next?.hi ?? null,
    first: next?.first ?? null,
    stale: next?.stale ?? null,
  };
}

/** The contents to store and the rows to remove, by resource. */
function contentsOf(versions: readonly VersionWrite[]) {
  const puts = new Map<ResourceName, Document[]>();
  const gone = new Map<ResourceName, string[]>();
  for (const { resource, id, content } of versions) {
    if (content) listIn(puts, resource).push({ id, content });
    else if (content === null) listIn(gone, resource).push(id);
  }
  for (const list of puts.values()) list.sort((a, b) => compare(a.id, b.id));
  return { puts, gone };
}

function listIn<T>(lists: Map<ResourceName, T[]>, resource: ResourceName): T[] {
  const known = lists.get(resource);
  if (known !== undefined) return known;
  const made: T[] = [];
  lists.set(resource, made);
  return made;
}
