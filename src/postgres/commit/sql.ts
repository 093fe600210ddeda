/**
 * The statements of a commit, as text. They depend on nothing but the schema's name and the
 * chosen resources, hold no session state, and lock rows in the order in which they are given.
 *
 * PostgreSQL does not know how many rows a parameter holds, guesses a hundred, and would rather
 * read a whole table than look up a hundred keys. So lookups stand in lateral subqueries, which
 * leave it no choice: every one of them is a search in an index, however large or small the table.
 */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import type { EmptyRows } from "../../core/catalogue/row.js";
import { snake } from "../schema/tables.js";
import type { Names } from "../store/names.js";
import {
  fill,
  type List,
  type Parameters,
  rowsOf,
  type Statement,
  template,
  textsOf,
} from "../store/statement.js";

/** Which object: its row in the table of versions. */
export interface ObjectKey {
  readonly resource: ResourceName;
  readonly id: string;
}

/** The order in which everybody locks objects. */
export function byKey(a: ObjectKey, b: ObjectKey): number {
  return compare(a.resource, b.resource) || compare(a.id, b.id);
}

export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A statement for this once. */
function statement(write: (into: Parameters<void>) => string): Statement {
  return fill(template(write), undefined);
}

/** A list that is there already. */
function given<T>(elements: readonly T[]): List<void, T> {
  return { single: elements.length === 1, of: () => elements };
}

/**
 * What is known of some objects and events, in one round trip: their versions and receipts, as JSON
 * lists, and the watermarks if one of the objects is not known. With `lock` the versions stay as
 * they are until the transaction ends.
 */
export function readKnown(
  names: Names,
  objects: readonly ObjectKey[],
  events: readonly string[],
  lock: boolean,
): Statement {
  return statement((into) => {
    const wanted = rowsOf(into, "w", { resource: "text", id: "text" }, given(objects));
    const found = `LATERAL (
    SELECT resource, id, revision, state, lo, hi, first, ask_at IS NOT NULL AS stale FROM ${names.versions} v
    WHERE v.resource = w.resource AND v.id = w.id LIMIT 1${lock ? " FOR UPDATE" : ""}) v`;
    const seen = `FROM ${textsOf(into, "event", given(events))} CROSS JOIN LATERAL (
    SELECT event_id FROM ${names.receipts} WHERE event_id = event LIMIT 1) r`;
    const watermarks = `(SELECT json_object_agg(id, data -> 'at') FROM ${names.records} WHERE kind = 'watermark')`;
    if (objects.length === 1 && events.length <= 1) {
      return `SELECT json_build_array(v) AS versions, (SELECT json_build_array(r.event_id) ${seen}) AS receipts,
  CASE WHEN v.id IS NULL THEN ${watermarks} END AS watermarks
FROM ${wanted} LEFT JOIN ${found} ON true`;
    }
    return `WITH found AS MATERIALIZED (SELECT v.* FROM ${wanted} CROSS JOIN ${found})
SELECT (SELECT json_agg(found) FROM found) AS versions, (SELECT json_agg(r.event_id) ${seen}) AS receipts,
  CASE WHEN (SELECT count(*) FROM found) < ${into.add(() => objects.length)}::bigint THEN ${watermarks} END AS watermarks`;
  });
}

/** The stored contents of objects of one resource, with columns `id` and `content`. */
export function readContents(
  names: Names,
  resource: ResourceName,
  ids: readonly string[],
): Statement {
  const column = snake(resources[resource].idField);
  return statement(
    (into) => `SELECT id, t.content FROM ${textsOf(into, "id", given(ids))} CROSS JOIN LATERAL (
  SELECT stripe AS content FROM ${names.table(resource)} WHERE ${column} = id LIMIT 1) t`,
  );
}

/** Held until the transaction ends: nobody else adds to or takes from what these owners have. */
export function lockOwners(owners: readonly string[]): Statement {
  return statement(
    (into) => `SELECT pg_advisory_xact_lock(key) FROM (
  SELECT DISTINCT hashtextextended('backend_billing ' || owner, 0) AS key FROM ${textsOf(into, "owner", given(owners))} ORDER BY key
) AS keys`,
  );
}

/** The owners of these rows, as stored. */
export function readOwners(
  names: Names,
  { resource, ownerField }: EmptyRows,
  ids: readonly string[],
): Statement {
  const column = snake(resources[resource].idField);
  return statement(
    (into) => `SELECT t.owner FROM ${textsOf(into, "id", given(ids))} CROSS JOIN LATERAL (
  SELECT ${snake(ownerField)} AS owner FROM ${names.table(resource)} WHERE ${column} = id LIMIT 1) t`,
  );
}

/** Puts the row of nulls where an owner has nothing and removes it elsewhere. */
export function settleEmptyRows(
  names: Names,
  { resource, owner, ownerField }: EmptyRows,
  owners: readonly string[],
  now: number,
): Statement {
  const table = names.table(resource);
  const id = snake(resources[resource].idField);
  const key = snake(ownerField);
  return statement(
    (into) => `WITH owners AS MATERIALIZED (
  SELECT owner,
    (SELECT true FROM ${names.table(owner)} o WHERE o.${key} = owner LIMIT 1) IS NOT NULL AS is_there,
    (SELECT true FROM ${table} t WHERE t.${key} = owner AND t.${id} IS NOT NULL LIMIT 1) IS NOT NULL AS has_some
  FROM ${textsOf(into, "owner", given(owners))}
), added AS (
  INSERT INTO ${table} (${key}, last_synced_at)
  SELECT owner, ${into.add(() => now)}::bigint FROM owners WHERE is_there AND NOT has_some
  ON CONFLICT (${key}) WHERE ${id} IS NULL DO NOTHING
)
DELETE FROM ${table} USING (
  SELECT e.ctid AS place FROM owners CROSS JOIN LATERAL (
    SELECT t.ctid FROM ${table} t WHERE t.${key} = owner AND t.${id} IS NULL LIMIT 1) e
  WHERE has_some OR NOT is_there
) AS gone WHERE ${table}.ctid = gone.place`,
  );
}

/** A record write, flat: `next`'s fields, or `gone`. */
export interface FlatRecordWrite {
  readonly kind: string;
  readonly id: string;
  readonly expect: number;
  readonly gone: boolean;
  readonly ref: string | null;
  readonly due: number | null;
  readonly data: object | null;
}

/** Applies record writes and answers which of them found the revision they expected. */
export function writeRecords(names: Names, writes: readonly FlatRecordWrite[]): Statement {
  return statement((into) => {
    const columns = {
      kind: "text",
      id: "text",
      expect: "bigint",
      gone: "boolean",
      ref: "text",
      due: "bigint",
      data: "jsonb",
    } as const;
    return `WITH writes AS MATERIALIZED (
  SELECT w.*, l.place, l.revision FROM (
    SELECT * FROM ${rowsOf(into, "w", columns, given(writes))} ORDER BY kind, id
  ) w LEFT JOIN LATERAL (
    SELECT r.ctid AS place, r.revision FROM ${names.records} r
    WHERE r.kind = w.kind AND r.id = w.id LIMIT 1 FOR UPDATE
  ) l ON true
), made AS (
  INSERT INTO ${names.records} (kind, id, revision, ref, due, data)
  SELECT kind, id, 1, ref, due, data FROM writes WHERE expect = 0 AND NOT gone AND revision IS NULL
  ON CONFLICT (kind, id) DO NOTHING RETURNING kind, id
), changed AS (
  UPDATE ${names.records} r SET revision = r.revision + 1, ref = w.ref, due = w.due, data = w.data
  FROM writes w WHERE r.ctid = w.place AND NOT w.gone AND w.expect > 0 AND w.revision = w.expect
  RETURNING r.kind, r.id
), removed AS (
  DELETE FROM ${names.records} r USING writes w
  WHERE r.ctid = w.place AND w.gone AND w.revision = w.expect
  RETURNING r.kind, r.id
)
SELECT kind, id FROM made UNION ALL SELECT kind, id FROM changed UNION ALL SELECT kind, id FROM removed
UNION ALL SELECT kind, id FROM writes WHERE gone AND expect = 0 AND revision IS NULL`;
  });
}

/** The customers that claims point at. */
export function readClaimed(names: Names, claims: readonly string[]): Statement {
  return statement(
    (into) => `SELECT r.ref FROM ${textsOf(into, "claim", given(claims))} CROSS JOIN LATERAL (
  SELECT ref FROM ${names.records} WHERE kind = 'claim' AND id = claim LIMIT 1) r WHERE r.ref IS NOT NULL`,
  );
}

/** The entity that has claimed an object, as an expression. */
export function entityOf(names: Names, object: string): string {
  return `(SELECT r.id FROM ${names.records} r WHERE r.kind = 'claim' AND r.ref = ${object})`;
}

/** Sets the link of the rows whose claims changed. */
export function relink(names: Names, resource: ResourceName, ids: readonly string[]): Statement {
  const table = names.table(resource);
  const id = snake(resources[resource].idField);
  const [field = ""] =
    Object.entries<{ from: string }>(resources[resource].columns).find(
      ([, { from }]) => from === "link",
    ) ?? [];
  const link = snake(field);
  // Not by place: the row may change meanwhile, and must get its link all the same.
  return statement(
    (into) => `UPDATE ${table} t SET ${link} = ${entityOf(names, `t.${id}`)}
  WHERE t.${id} = ANY(ARRAY(SELECT id FROM ${textsOf(into, "id", given(ids))})) AND t.${link} IS DISTINCT FROM ${entityOf(names, `t.${id}`)}`,
  );
}
