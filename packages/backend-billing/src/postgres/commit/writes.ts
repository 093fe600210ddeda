/** What a commit writes, as the lists that its statement is filled with. */
import { columnsOf, type ResourceName, resourceNames } from "../../core/catalogue/catalogue.js";
import type { Decided } from "../../core/mirror/plan.js";
import type { PutRow, PutVersion, Write } from "../../core/mirror/writes.js";
import type { Document } from "../store/statement.js";
import { byKey, compare, type ObjectKey } from "./sql.js";

/** A part of the statement, by its name in SQL. */
export type Part =
  | VersionPart
  | "listening"
  | "received"
  | RecordPart
  | CopyPart
  | `${"put" | "linked" | "gone" | "empty" | "filled" | "link"}_${ResourceName}`;

/** The parts that are about versions: those that are changed, made, and left as they are. */
export const VERSION_PARTS = ["changed", "made", "agreed"] as const;
export type VersionPart = (typeof VERSION_PARTS)[number];

/** The parts that are about records. */
export const RECORD_PARTS = ["record_changed", "record_made", "record_gone"] as const;
export type RecordPart = (typeof RECORD_PARTS)[number];

/** The parts that read what was in rows, and that tell of it with what is put there. */
export type CopyPart = `${"before" | "change"}_${ResourceName}`;

export interface Writes {
  readonly now: number;
  /** The revision of the record that says what the application listens to. */
  readonly listening: number | undefined;
  /** Everything that was judged, each with the part that it concerns. */
  readonly judged: readonly JudgedRow[];
  readonly received: readonly ReceivedRow[];
  /** Every record that is written, each with the part that it concerns. */
  readonly recorded: readonly RecordedRow[];
  /** Rows that keep their link, or have none; and rows whose link is set. */
  readonly put: Lists<Document>;
  readonly linked: Lists<Document>;
  readonly gone: Lists<string>;
  /** Owners that get a row of nulls, and those that lose theirs. */
  readonly empty: Lists<string>;
  readonly filled: Lists<string>;
  readonly link: Lists<LinkedRow>;
  /** How many elements each part has. Those that have none are not here. */
  readonly sizes: ReadonlyMap<Part, number>;
}

type Lists<T> = ReadonlyMap<ResourceName, readonly T[]>;
type Cell = string | number | boolean | object | null;

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
  keeps_ask: "boolean",
  ask_at: "bigint",
} as const;

type JudgedRow = { readonly [K in keyof typeof JUDGED]: Cell };

export const RECEIVED = {
  event_id: "text",
  type: "text",
  created: "bigint",
  object_id: "text",
  received_at: "bigint",
} as const;

type ReceivedRow = { readonly [K in keyof typeof RECEIVED]: Cell };

export const RECORDED = {
  part: "text",
  kind: "text",
  id: "text",
  was: "bigint",
  revision: "bigint",
  ref: "text",
  due: "bigint",
  data: "jsonb",
} as const;

type RecordedRow = { readonly [K in keyof typeof RECORDED]: Cell };

export const LINKED = { id: "text", value: "text" } as const;

type LinkedRow = { readonly [K in keyof typeof LINKED]: string | null };

/** The writes of which an application may be told, or that tell it of an event. */
const TELLING: ReadonlySet<Write["write"]> = new Set(["putRow", "deleteRow", "linkRow"]);
const isTelling = (write: Write): boolean =>
  TELLING.has(write.write) || (write.write === "putRecord" && write.kind === "change");

/** Every list is sorted, so that all commits lock in the same order. */
export function writesOf(
  { writes, unchanged }: Decided,
  now: number,
  listening: number | undefined,
): Writes {
  const judged: (JudgedRow & ObjectKey)[] = unchanged.map(({ resource, id, revision }) =>
    judgedRow("agreed", { resource, id }, revision),
  );
  const received: ReceivedRow[] = [];
  const recorded: (RecordedRow & { kind: string; id: string })[] = [];
  const put = new Map<ResourceName, Document[]>();
  const linked = new Map<ResourceName, Document[]>();
  const gone = new Map<ResourceName, string[]>();
  const empty = new Map<ResourceName, string[]>();
  const filled = new Map<ResourceName, string[]>();
  const link = new Map<ResourceName, (LinkedRow & { id: string })[]>();
  for (const write of writes) {
    switch (write.write) {
      case "putVersion":
        judged.push(versionRow(write));
        break;
      case "putReceipt": {
        const { eventId, objectId, type, created } = write.receipt;
        const { receivedAt } = write;
        received.push({
          event_id: eventId,
          type,
          created,
          object_id: objectId,
          received_at: receivedAt,
        });
        break;
      }
      case "putRecord":
      case "deleteRecord":
        recorded.push(recordRow(write));
        break;
      case "putRow":
        if (write.id === null) listIn(empty, write.resource).push(write.owner.id);
        else
          listIn(setsLink(write) ? linked : put, write.resource).push(documentOf(write, write.id));
        break;
      case "deleteRow":
        if (write.id === null) listIn(filled, write.resource).push(write.owner.id);
        else listIn(gone, write.resource).push(write.id);
        break;
      case "linkRow":
        listIn(link, write.resource).push({ id: write.id, value: write.value });
    }
  }
  judged.sort(byKey);
  received.sort((a, b) => compare(String(a.event_id), String(b.event_id)));
  recorded.sort((a, b) => compare(a.kind, b.kind) || compare(a.id, b.id));
  for (const lists of [put, linked, link]) {
    for (const list of lists.values()) list.sort((a, b) => compare(a.id, b.id));
  }
  const lists = { put, linked, gone, empty, filled, link };
  const tells = writes.some(isTelling);
  return {
    now,
    listening,
    judged,
    received,
    recorded,
    ...lists,
    sizes: sizesOf(judged, tells && listening !== undefined, received, recorded, lists),
  };
}

/** Which parts a statement for these has, in their order, and whether each is about one thing. */
export function partsOf({ judged, recorded, sizes }: Writes): {
  readonly parts: readonly Part[];
  readonly single: boolean;
} {
  const single =
    judged.length <= 1 && recorded.length <= 1 && [...sizes.values()].every((size) => size === 1);
  return { parts: [...sizes.keys()], single };
}

function sizesOf(
  judged: readonly JudgedRow[],
  isGuarded: boolean,
  received: readonly ReceivedRow[],
  recorded: readonly RecordedRow[],
  lists: Pick<Writes, "put" | "linked" | "gone" | "empty" | "filled" | "link">,
): ReadonlyMap<Part, number> {
  const sizes = new Map<Part, number>();
  const count = (part: Part, size: number) => {
    if (size > 0) sizes.set(part, size);
  };
  for (const part of VERSION_PARTS) {
    count(part, judged.filter((row) => row.part === part).length);
  }
  count("listening", isGuarded ? 1 : 0);
  count("received", received.length);
  for (const part of RECORD_PARTS) {
    count(part, recorded.filter((row) => row.part === part).length);
  }
  for (const resource of resourceNames) {
    const changes = recorded.filter((row) => row.part === `change_${resource}`).length;
    count(`before_${resource}`, changes);
    for (const part of ["put", "linked", "gone", "empty", "filled", "link"] as const) {
      count(`${part}_${resource}`, lists[part].get(resource)?.length ?? 0);
    }
    count(`change_${resource}`, changes);
  }
  return sizes;
}

function versionRow({ resource, id, from, next, askAt }: PutVersion): JudgedRow & ObjectKey {
  return {
    ...judgedRow(from === null ? "made" : "changed", { resource, id }, from?.revision ?? 0),
    was_state: from?.state ?? null,
    was_lo: from?.lo ?? null,
    was_hi: from?.hi ?? null,
    revision: next.revision,
    state: next.state,
    lo: next.lo,
    hi: next.hi,
    first: next.first,
    keeps_ask: askAt === "keep",
    ask_at: askAt === "keep" ? null : askAt,
  };
}

function judgedRow(
  part: VersionPart,
  { resource, id }: ObjectKey,
  was: number,
): JudgedRow & ObjectKey {
  return {
    part,
    resource,
    id,
    was,
    was_state: null,
    was_lo: null,
    was_hi: null,
    revision: null,
    state: null,
    lo: null,
    hi: null,
    first: null,
    keeps_ask: null,
    ask_at: null,
  };
}

type WrittenRecord = Extract<Write, { write: "putRecord" | "deleteRecord" }>;

function recordRow(write: WrittenRecord): RecordedRow & { kind: string; id: string } {
  const { kind, id, from: was } = write;
  if (write.write === "deleteRecord") {
    const gone = { revision: null, ref: null, due: null, data: null };
    return { part: "record_gone", kind, id, was, ...gone };
  }
  const { revision, ref, due, data } = write.record;
  const plain: RecordPart = was === 0 ? "record_made" : "record_changed";
  const part = write.copies === undefined ? plain : (`change_${write.copies}` as const);
  return { part, kind, id, was, revision, ref, due, data };
}

const setsLink = ({ resource, fields }: PutRow): boolean =>
  columnsOf(resource).some(({ field, from }) => from === "link" && field in fields);

function documentOf({ resource, fields }: PutRow, id: string): Document {
  const columns: Record<string, string | null> = {};
  for (const { field } of columnsOf(resource))
    columns[field] = (fields[field] ?? null) as string | null;
  return { id, content: fields.stripe as object, columns };
}

function listIn<T>(lists: Map<ResourceName, T[]>, resource: ResourceName): T[] {
  const known = lists.get(resource);
  if (known !== undefined) return known;
  const made: T[] = [];
  lists.set(resource, made);
  return made;
}
