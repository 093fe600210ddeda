/** The one statement that writes what a commit has planned, or takes itself back. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { LISTENING } from "../../core/mirror/listening.js";
import type { Decided } from "../../core/mirror/plan.js";
import { createRecent } from "../../core/runtime/recent.js";
import type { Names } from "../store/names.js";
import {
  fill,
  type Parameters,
  rowsOf,
  type Statement,
  type Template,
  template,
} from "../store/statement.js";
import type { Filling, PartText } from "./part.js";
import { rowParts } from "./row-parts.js";
import {
  JUDGED,
  type Part,
  partsOf,
  RECEIVED,
  RECORD_PARTS,
  RECORDED,
  type RecordPart,
  VERSION_PARTS,
  type VersionPart,
  type Writes,
  writesOf,
} from "./writes.js";

/** What the statement answers as `ok` when everything was written. */
export const WRITTEN = 1;

/**
 * The statement for what was planned at a time, while what the application listens to had this
 * revision; or undefined if there is nothing to write.
 */
export type Writer = (plan: Decided, now: number, listening?: number) => Statement | undefined;

/** Shapes that came lately; at most twice as many. Events have some fifty, and those of pages have no end. */
const LATELY = 100;

/**
 * The statement depends on nothing but which parts it has and whether each is about one thing, so
 * it is put together when a batch of that shape first comes.
 */
export function createWriter(names: Names, chosen: readonly ResourceName[]): Writer {
  const templates = createRecent<Template<Writes>>({
    size: LATELY,
    life: Number.POSITIVE_INFINITY,
  });
  const all = allParts(names, chosen);
  return (plan, now, listening) => {
    const writes = writesOf(plan, now, listening);
    const { parts, single } = partsOf(writes);
    if (parts.length === 0) return undefined;
    const shape = `${single} ${parts.join(" ")}`;
    const made = () => template<Writes>((into) => writeParts(into, all, parts, single));
    const found = templates.get(shape) ?? made();
    templates.set(shape, found, 0); // again each time, so that what is in use stays
    return fill(found, writes);
  };
}

/**
 * Writes what was planned, if every object still has the version that was judged and every event is
 * new. If that shows before anything is written, the answer is not {@link WRITTEN}. If it shows
 * later, the statement fails, because an error is the only way for one statement to take itself
 * back: by a key that is there already, or, on purpose, by a division by zero. (To have PostgreSQL
 * look for the key first, by ON CONFLICT, costs it half as much again as to insert the row.)
 */
function writeParts(
  { add }: Parameters<Writes>,
  all: ReadonlyMap<Part, PartText>,
  parts: readonly Part[],
  single: boolean,
): string {
  const once = (value: (writes: Writes) => unknown) => {
    let named: string | undefined;
    return () => {
      named ??= `${add(value)}::bigint`;
      return named;
    };
  };
  const into: Filling = {
    add,
    now: once(({ now }) => now),
    list: (of) => ({ single, of: (writes) => of(writes) ?? [] }),
  };
  let ready = "true";
  let untouched = "false"; // holds if it is known that nothing was written
  const texts = parts.map((name) => {
    const { counted, sql } = all.get(name) as PartText;
    const text = `${name} AS (${sql(into, ready, (part) => parts.includes(part))})`;
    if (!counted) return text;
    const some = `EXISTS (SELECT FROM ${name})`;
    if (ready === "true") untouched = `NOT ${some}`;
    // Counting takes PostgreSQL longer than to see that there is one.
    const count = ({ sizes }: Writes) => sizes.get(name);
    ready = single ? some : `(SELECT count(*) FROM ${name}) = ${add(count)}::bigint`;
    return text;
  });
  const rows = into.list(({ judged }) => judged);
  const judged = VERSION_PARTS.some((part) => parts.includes(part))
    ? [`judged AS (SELECT * FROM ${rowsOf(into, "j", JUDGED, rows)})`]
    : [];
  const writtenRows = into.list(({ recorded }) => recorded);
  const recorded = parts.some((part) => isAboutRecords(part))
    ? [`recorded AS (SELECT * FROM ${rowsOf(into, "w", RECORDED, writtenRows)})`]
    : [];
  return `WITH ${[...judged, ...recorded, ...texts].join(", ")}
SELECT 1 / CASE WHEN ${ready} THEN ${WRITTEN} WHEN ${untouched} THEN -1 ELSE 0 END AS ok`;
}

const isAboutRecords = (part: Part): boolean =>
  (RECORD_PARTS as readonly Part[]).includes(part) || part.startsWith("change_");

/** Every part that a statement may have. */
function allParts(names: Names, chosen: readonly ResourceName[]): ReadonlyMap<Part, PartText> {
  const parts = new Map<Part, PartText>([
    ...Object.entries(versionParts(names)),
    ["listening", listeningPart(names)],
    ["received", receivedPart(names)],
    ...Object.entries(recordParts(names)),
  ] as [Part, PartText][]);
  for (const [name, part] of rowParts(names, chosen)) parts.set(name, part);
  return parts;
}

function versionParts({ versions }: Names): Record<VersionPart, PartText> {
  // PostgreSQL takes the condition on `part` to leave one row, and so finds each version by its key.
  return {
    changed: {
      counted: true,
      sql: (_, ready) => `
  UPDATE ${versions} v
  SET revision = j.revision, state = j.state, lo = j.lo, hi = j.hi, first = j.first,
      ask_at = CASE WHEN j.keeps_ask THEN v.ask_at ELSE j.ask_at END
  FROM judged j WHERE j.part = 'changed' AND v.resource = j.resource AND v.id = j.id AND v.revision = j.was
    AND v.state = j.was_state AND v.lo = j.was_lo AND v.hi = j.was_hi AND ${ready}
  RETURNING 1`,
    },
    made: {
      counted: true,
      sql: (_, ready) => `
  INSERT INTO ${versions} (resource, id, revision, state, lo, hi, first, ask_at)
  SELECT resource, id, revision, state, lo, hi, first, ask_at
  FROM judged WHERE part = 'made' AND ${ready} RETURNING 1`,
    },
    agreed: {
      counted: true,
      sql: (_, ready) => `
  SELECT 1 FROM judged j WHERE j.part = 'agreed' AND ${ready} AND j.was = coalesce((
    SELECT v.revision FROM ${versions} v WHERE v.resource = j.resource AND v.id = j.id LIMIT 1), 0)`,
    },
  };
}

/** Rows are written only if the application still listens to what it did when that was planned. */
function listeningPart({ records }: Names): PartText {
  return {
    counted: true,
    // mutant "written whatever is listened to": = ${into.add(({ listening }) => listening)}::bigint -> >= 0
    sql: (into, ready) => `
  SELECT 1 WHERE ${ready} AND coalesce((SELECT revision FROM ${records}
    WHERE kind = '${LISTENING.kind}' AND id = '${LISTENING.id}'), 0) = ${into.add(({ listening }) => listening)}::bigint`,
  };
}

function receivedPart({ receipts }: Names): PartText {
  return {
    counted: true,
    sql: (into, ready) => `
  INSERT INTO ${receipts} (event_id, type, created, object_id, received_at)
  SELECT event_id, type, created, object_id, received_at
  FROM ${rowsOf(
    into,
    "r",
    RECEIVED,
    into.list(({ received }) => received),
  )}
  WHERE ${ready} RETURNING 1`,
  };
}

function recordParts({ records }: Names): Record<RecordPart, PartText> {
  // As with versions, PostgreSQL finds each record by its key because of the condition on `part`.
  return {
    record_changed: {
      counted: true,
      sql: (_, ready) => `
  UPDATE ${records} r SET revision = w.revision, ref = w.ref, due = w.due, data = w.data
  FROM recorded w WHERE w.part = 'record_changed' AND r.kind = w.kind AND r.id = w.id AND r.revision = w.was AND ${ready}
  RETURNING 1`,
    },
    record_made: {
      counted: true,
      sql: (_, ready) => `
  INSERT INTO ${records} (kind, id, revision, ref, due, data)
  SELECT kind, id, revision, ref, due, data FROM recorded WHERE part = 'record_made' AND ${ready} RETURNING 1`,
    },
    record_gone: {
      counted: true,
      sql: (_, ready) => `
  DELETE FROM ${records} r USING recorded w
  WHERE w.part = 'record_gone' AND r.kind = w.kind AND r.id = w.id AND r.revision = w.was AND ${ready}
  RETURNING 1`,
    },
  };
}
