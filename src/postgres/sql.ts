/**
 * The statements of the store, as text. They depend on nothing but the schema's name and the
 * chosen resources, hold no session state, and lock rows in the order of their keys. Lists go in
 * as JSON text, because drivers agree on nothing else about arrays.
 */
import type { ResourceName } from "../core/catalogue.js";
import { resources } from "../core/resources.js";
import { type EmptyRows, linkedResource } from "../core/row.js";
import { identifier } from "./database.js";
import { snake } from "./tables.js";

export interface Names {
  readonly versions: string;
  readonly receipts: string;
  readonly records: string;
  table(resource: ResourceName): string;
}

export function namesIn(schema: string): Names {
  const inSchema = (table: string) => `${identifier(schema)}.${identifier(table)}`;
  return {
    versions: inSchema("backend_billing_versions"),
    receipts: inSchema("backend_billing_receipts"),
    records: inSchema("backend_billing_records"),
    table: (resource) => inSchema(resources[resource].table),
  };
}

/** A JSON list of texts, for `= ANY(…)`. */
const texts = (parameter: number): string =>
  `ARRAY(SELECT json_array_elements_text($${parameter}::text::json))`;

/**
 * Makes one part of a statement wait for another. PostgreSQL runs the parts in an order of its own,
 * and two statements that lock the same things in different orders can block each other for ever.
 */
const after = (part: string): string => `(SELECT count(*) FROM ${part}) >= 0`;

/**
 * What is known of some objects and events, in one round trip.
 * $1: list of { resource, id }; $2: list of event ids. With `lock` the versions stay as they are
 * until the transaction ends.
 */
export function readKnown(names: Names, lock: boolean): string {
  return `WITH wanted AS (
  SELECT DISTINCT resource, id FROM json_to_recordset($1::text::json) AS w(resource text, id text)
), found AS (
  SELECT v.resource, v.id, v.revision, v.state, v.lo, v.hi, v.first, v.ask_at IS NOT NULL AS stale
  FROM ${names.versions} v JOIN wanted USING (resource, id)
  ORDER BY v.resource, v.id${lock ? " FOR UPDATE OF v" : ""}
)
SELECT
  (SELECT coalesce(json_agg(found), '[]') FROM found) AS versions,
  (SELECT coalesce(json_agg(event_id), '[]') FROM ${names.receipts} WHERE event_id = ANY(${texts(2)})) AS receipts,
  (SELECT coalesce(json_object_agg(id, data -> 'at'), '{}') FROM ${names.records} WHERE kind = 'watermark') AS watermarks`;
}

/** $1: list of ids. */
export function readContents(names: Names, resource: ResourceName): string {
  const id = snake(resources[resource].idField);
  return `SELECT ${id} AS id, stripe AS content FROM ${names.table(resource)} WHERE ${id} = ANY(${texts(1)})`;
}

/** The parameters of {@link writeCommit}, in order, before those of each resource. */
export const COMMIT_PARAMETERS = 7;

export interface ResourceParameters {
  readonly resource: ResourceName;
  /** The numbers of its parameters: a list of { id, content }, and a list of ids to remove. */
  readonly rows: number;
  readonly gone: number;
}

/**
 * Writes what was planned, if every object is still at the revision that was judged. Otherwise it
 * divides by zero, on purpose: an error is the only way for one statement to take itself back.
 *
 * $1 now, $2 when to ask, $3 versions (a new revision equal to the judged one only guards),
 * $4 receipts, $5 wishes, $6 how many versions and $7 how many receipts there are.
 */
export function writeCommit(
  names: Names,
  chosen: readonly ResourceName[],
  parameters: readonly ResourceParameters[],
): string {
  return `WITH judged AS (
  SELECT * FROM json_to_recordset($3::text::json) AS j(
    resource text, id text, was bigint, revision bigint, state text, lo bigint, hi bigint, first boolean, stale boolean)
), locked AS (
  SELECT v.resource, v.id, v.revision FROM ${names.versions} v JOIN judged USING (resource, id)
  ORDER BY v.resource, v.id FOR UPDATE OF v
), made AS (
  INSERT INTO ${names.versions} AS v (resource, id, revision, state, lo, hi, first, ask_at)
  SELECT resource, id, revision, state, lo, hi, first, CASE WHEN stale THEN $2::bigint END
  FROM judged WHERE was = 0 AND revision > 0 AND ${after("locked")} ORDER BY resource, id
  ON CONFLICT DO NOTHING RETURNING 1
), changed AS (
  UPDATE ${names.versions} v
  SET revision = j.revision, state = j.state, lo = j.lo, hi = j.hi, first = j.first,
      ask_at = CASE WHEN j.stale THEN coalesce(v.ask_at, $2::bigint) END
  FROM judged j JOIN locked l USING (resource, id)
  WHERE v.resource = j.resource AND v.id = j.id AND j.was > 0 AND j.revision > j.was AND l.revision = j.was
  RETURNING 1
), agreed AS (
  SELECT 1 FROM judged j LEFT JOIN locked l USING (resource, id)
  WHERE j.revision = j.was AND coalesce(l.revision, 0) = j.was
), received AS (
  INSERT INTO ${names.receipts} (event_id, type, created, object_id, received_at)
  SELECT event_id, type, created, object_id, $1::bigint
  FROM json_to_recordset($4::text::json) AS r(event_id text, type text, created bigint, object_id text)
  WHERE ${after("made")} ORDER BY event_id ON CONFLICT DO NOTHING RETURNING 1
), wished AS (
  INSERT INTO ${names.records} AS r (kind, id, revision, ref, due, data)
  SELECT kind, id, 1, NULL, due, data
  FROM json_to_recordset($5::text::json) AS w(kind text, id text, due bigint, data jsonb)
  WHERE ${after("received")} ORDER BY kind, id
  ON CONFLICT (kind, id) DO UPDATE SET revision = r.revision + 1, due = least(r.due, excluded.due)
)${parameters.map((each) => writeResource(names, chosen, each)).join("")}
SELECT 1 / CASE WHEN (SELECT count(*) FROM made) + (SELECT count(*) FROM changed) + (SELECT count(*) FROM agreed) = $6::bigint
  AND (SELECT count(*) FROM received) = $7::bigint THEN 1 ELSE 0 END AS ok`;
}

/** The part of the statement that writes and removes the rows of one resource. */
function writeResource(
  names: Names,
  chosen: readonly ResourceName[],
  { resource, rows, gone }: ResourceParameters,
): string {
  const entry = resources[resource];
  const id = snake(entry.idField);
  const columns = Object.entries<{ from: string }>(entry.columns);
  const copied = columns.filter(([, { from }]) => from !== "link");
  const link =
    linkedResource(chosen) === resource ? columns.filter(([, { from }]) => from === "link") : [];
  const owner = `(SELECT r.id FROM ${names.records} r WHERE r.kind = 'claim' AND r.ref = c.id)`;
  const path = (from: string) => `c.content #>> '{${from.replaceAll(".", ",")}}'`;
  const target = [
    id,
    ...copied.map(([field]) => snake(field)),
    ...link.map(([field]) => snake(field)),
  ];
  const values = ["c.id", ...copied.map(([, { from }]) => path(from)), ...link.map(() => owner)];
  const updates = copied.map(([field]) => `, ${snake(field)} = excluded.${snake(field)}`).join("");
  return `, put_${resource} AS (
  INSERT INTO ${names.table(resource)} (${target.join(", ")}, stripe, last_synced_at)
  SELECT ${values.join(", ")}, c.content, $1::bigint
  FROM json_to_recordset($${rows}::text::json) AS c(id text, content jsonb) ORDER BY c.id
  ON CONFLICT (${id}) DO UPDATE SET stripe = excluded.stripe, last_synced_at = excluded.last_synced_at${updates}
), gone_${resource} AS (
  DELETE FROM ${names.table(resource)} WHERE ${id} = ANY(${texts(gone)})
)`;
}

/** Held until the transaction ends: nobody else adds to or takes from what these owners have. $1: list of owners. */
export const LOCK_OWNERS = `SELECT pg_advisory_xact_lock(key) FROM (
  SELECT DISTINCT hashtextextended('backend_billing ' || owner, 0) AS key FROM json_array_elements_text($1::text::json) AS o(owner) ORDER BY key
) AS keys`;

/** The owners of these rows, as stored. $1: list of ids. */
export function readOwners(names: Names, { resource, ownerField }: EmptyRows): string {
  const id = snake(resources[resource].idField);
  return `SELECT ${snake(ownerField)} AS owner FROM ${names.table(resource)} WHERE ${id} = ANY(${texts(1)})`;
}

/** Puts the row of nulls where an owner has nothing and removes it elsewhere. $1: list of owners; $2: now. */
export function settleEmptyRows(names: Names, { resource, owner, ownerField }: EmptyRows): string {
  const table = names.table(resource);
  const owners = names.table(owner);
  const id = snake(resources[resource].idField);
  const key = snake(ownerField);
  return `WITH added AS (
  INSERT INTO ${table} (${key}, last_synced_at)
  SELECT o.${key}, $2::bigint FROM ${owners} o
  WHERE o.${key} = ANY(${texts(1)}) AND NOT EXISTS (SELECT 1 FROM ${table} t WHERE t.${key} = o.${key})
  ON CONFLICT DO NOTHING
)
DELETE FROM ${table} e WHERE e.${key} = ANY(${texts(1)}) AND e.${id} IS NULL AND (
  EXISTS (SELECT 1 FROM ${table} t WHERE t.${key} = e.${key} AND t.${id} IS NOT NULL)
  OR NOT EXISTS (SELECT 1 FROM ${owners} o WHERE o.${key} = e.${key}))`;
}

/**
 * Applies record writes and answers which of them found the revision they expected.
 * $1: list of writes, each with kind, id, expect, and next's fields or `gone`.
 */
export function writeRecords(names: Names): string {
  return `WITH writes AS (
  SELECT * FROM json_to_recordset($1::text::json)
    AS w(kind text, id text, expect bigint, gone boolean, ref text, due bigint, data jsonb)
), locked AS (
  SELECT r.kind, r.id, r.revision FROM ${names.records} r JOIN writes USING (kind, id)
  ORDER BY r.kind, r.id FOR UPDATE OF r
), made AS (
  INSERT INTO ${names.records} (kind, id, revision, ref, due, data)
  SELECT kind, id, 1, ref, due, data FROM writes WHERE expect = 0 AND NOT gone ORDER BY kind, id
  ON CONFLICT (kind, id) DO NOTHING RETURNING kind, id
), changed AS (
  UPDATE ${names.records} r SET revision = r.revision + 1, ref = w.ref, due = w.due, data = w.data
  FROM writes w JOIN locked l USING (kind, id)
  WHERE r.kind = w.kind AND r.id = w.id AND NOT w.gone AND w.expect > 0 AND l.revision = w.expect
  RETURNING r.kind, r.id
), removed AS (
  DELETE FROM ${names.records} r USING writes w JOIN locked l USING (kind, id)
  WHERE r.kind = w.kind AND r.id = w.id AND w.gone AND l.revision = w.expect
  RETURNING r.kind, r.id
)
SELECT kind, id FROM made UNION ALL SELECT kind, id FROM changed UNION ALL SELECT kind, id FROM removed
UNION ALL SELECT w.kind, w.id FROM writes w LEFT JOIN locked l USING (kind, id) WHERE w.gone AND w.expect = 0 AND l.id IS NULL`;
}

/** Sets the link of the rows whose claims changed. $1: list of the objects' ids. */
export function relink(names: Names, resource: ResourceName): string {
  const id = snake(resources[resource].idField);
  const [field = ""] =
    Object.entries<{ from: string }>(resources[resource].columns).find(
      ([, { from }]) => from === "link",
    ) ?? [];
  const link = snake(field);
  const owner = `(SELECT r.id FROM ${names.records} r WHERE r.kind = 'claim' AND r.ref = t.${id})`;
  return `UPDATE ${names.table(resource)} t SET ${link} = ${owner}
  WHERE t.${id} = ANY(${texts(1)}) AND t.${link} IS DISTINCT FROM ${owner}`;
}
