/** The one statement that writes what a commit has planned, or takes itself back. */
import type { ResourceName } from "../core/catalogue.js";
import { ASK_DELAY, type Version } from "../core/mirror.js";
import type { Planned, VersionWrite } from "../core/plan-commit.js";
import { resources } from "../core/resources.js";
import { linkedResource } from "../core/row.js";
import type { Affected, Judged } from "./plan.js";
import { byKey, compare, entityOf, type Names, type ObjectKey } from "./sql.js";
import {
  documentsOf,
  type Parameters,
  parameters,
  rowsOf,
  type Statement,
  textsOf,
} from "./statement.js";
import { snake } from "./tables.js";

/** What the statement answers as `ok` when everything was written. */
export const WRITTEN = 1;

/**
 * A part of the statement. PostgreSQL would run the parts in an order of its own, and two commits
 * that lock the same things in different orders can block each other for ever; so each waits for
 * those before it. Where rows are counted, nothing that follows happens unless all are there.
 */
interface Part {
  readonly name: string;
  readonly rows?: number;
  /** What must hold for this part to do anything is given to it as `ready`. */
  sql(ready: string): string;
}

/**
 * Writes what was planned, if every object still has the version that was judged and every event is
 * new. If that shows before anything is written, the answer is not {@link WRITTEN}. If it shows
 * later, the statement divides by zero, on purpose: an error is the only way for one statement to
 * take itself back. Undefined if there is nothing to write.
 */
export function writeCommit(
  names: Names,
  chosen: readonly ResourceName[],
  { planned, was }: Judged,
  affected: readonly Affected[],
  now: number,
): Statement | undefined {
  const { versions, unchanged, receipts, wishes } = planned;
  const into = parameters(
    Math.max(versions.length + unchanged.length, receipts.length, wishes.length) <= 1,
  );
  const at = time(into, now);
  const parts = [
    ...versionParts(names, planned, time(into, now + ASK_DELAY)),
    ...receiptPart(names, into, planned, at),
    ...wishPart(names, into, planned),
    ...chosen.flatMap((resource) => {
      const writes = planned.versions.filter((each) => each.resource === resource);
      return resourceParts(names, into, chosen, resource, writes, at);
    }),
    ...affected.flatMap((each) => emptyRowParts(names, into, each, at)),
  ];
  if (parts.length === 0) return undefined;
  let ready = "true";
  let untouched = "false"; // holds if it is known that nothing was written
  const texts = parts.map(({ name, rows, sql }) => {
    const text = `${name} AS (${sql(ready)})`;
    if (rows === undefined) return text;
    const none = `NOT EXISTS (SELECT FROM ${name})`;
    if (ready === "true") untouched = none;
    // Counting takes PostgreSQL longer than to see that there is one.
    ready = into.single
      ? `NOT ${none}`
      : `(SELECT count(*) FROM ${name}) = ${into.add(rows)}::bigint`;
    return text;
  });
  return {
    text: `WITH ${[...judgedRows(into, planned, was), ...texts].join(", ")}
SELECT 1 / CASE WHEN ${ready} THEN ${WRITTEN} WHEN ${untouched} THEN -1 ELSE 0 END AS ok`,
    values: into.values,
  };
}

/** A moment, as a parameter that is added when it is first named: PostgreSQL refuses unused ones. */
function time(into: Parameters, moment: number): () => string {
  let named: string | undefined;
  return () => {
    named ??= `${into.add(moment)}::bigint`;
    return named;
  };
}

const COLUMNS = {
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

type JudgedRow = { readonly [K in keyof typeof COLUMNS]: string | number | boolean | null };

/** Everything that was judged, each with the part of the statement that it concerns. */
function judgedRows(into: Parameters, planned: Planned, version: Judged["was"]): string[] {
  const { versions, unchanged } = planned;
  const row = (
    part: string,
    { resource, id }: ObjectKey,
    next?: Version,
  ): JudgedRow & ObjectKey => {
    const before = version(resource, id);
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
  };
  // Sorted, so that all commits lock in the same order.
  const rows = [
    ...versions.map((each) => row(each.from === 0 ? "made" : "changed", each, each.next)),
    ...unchanged.map((each) => row("agreed", each)),
  ].sort(byKey);
  return rows.length === 0 ? [] : [`judged AS (SELECT * FROM ${rowsOf(into, "j", COLUMNS, rows)})`];
}

function versionParts(names: Names, { versions, unchanged }: Planned, ask: () => string): Part[] {
  const made = versions.filter(({ from }) => from === 0).length;
  const changed = versions.length - made;
  // PostgreSQL takes the condition on `part` to leave one row, and so finds each version by its key.
  const parts: Part[] = [
    {
      name: "changed",
      rows: changed,
      sql: (ready) => `
  UPDATE ${names.versions} v
  SET revision = j.revision, state = j.state, lo = j.lo, hi = j.hi, first = j.first,
      ask_at = CASE WHEN j.stale THEN coalesce(v.ask_at, ${ask()}) END
  FROM judged j WHERE j.part = 'changed' AND v.resource = j.resource AND v.id = j.id AND v.revision = j.was
    AND v.state = j.was_state AND v.lo = j.was_lo AND v.hi = j.was_hi AND ${ready}
  RETURNING 1`,
    },
    {
      name: "made",
      rows: made,
      sql: (ready) => `
  INSERT INTO ${names.versions} (resource, id, revision, state, lo, hi, first, ask_at)
  SELECT resource, id, revision, state, lo, hi, first, CASE WHEN stale THEN ${ask()} END
  FROM judged WHERE part = 'made' AND ${ready} ON CONFLICT DO NOTHING RETURNING 1`,
    },
    {
      name: "agreed",
      rows: unchanged.length,
      sql: (ready) => `
  SELECT 1 FROM judged j WHERE j.part = 'agreed' AND ${ready} AND j.was = coalesce((
    SELECT v.revision FROM ${names.versions} v WHERE v.resource = j.resource AND v.id = j.id LIMIT 1), 0)`,
    },
  ];
  return parts.filter(({ rows = 0 }) => rows > 0);
}

function receiptPart(
  names: Names,
  into: Parameters,
  { receipts }: Planned,
  at: () => string,
): Part[] {
  if (receipts.length === 0) return [];
  const rows = receipts
    .map(({ eventId, objectId, type, created }) => ({
      event_id: eventId,
      type,
      created,
      object_id: objectId,
    }))
    .sort((a, b) => compare(a.event_id, b.event_id));
  const columns = { event_id: "text", type: "text", created: "bigint", object_id: "text" } as const;
  return [
    {
      name: "received",
      rows: rows.length,
      sql: (ready) => `
  INSERT INTO ${names.receipts} (event_id, type, created, object_id, received_at)
  SELECT event_id, type, created, object_id, ${at()} FROM ${rowsOf(into, "r", columns, rows)}
  WHERE ${ready} ON CONFLICT DO NOTHING RETURNING 1`,
    },
  ];
}

function wishPart(names: Names, into: Parameters, { wishes }: Planned): Part[] {
  if (wishes.length === 0) return [];
  const columns = { kind: "text", id: "text", due: "bigint", data: "jsonb" } as const;
  const rows = [...wishes].sort((a, b) => compare(a.kind, b.kind) || compare(a.id, b.id));
  return [
    {
      name: "wished",
      sql: (ready) => `
  INSERT INTO ${names.records} AS r (kind, id, revision, ref, due, data)
  SELECT kind, id, 1, NULL, due, data FROM ${rowsOf(into, "w", columns, rows)} WHERE ${ready}
  ON CONFLICT (kind, id) DO UPDATE SET revision = r.revision + 1, due = least(r.due, excluded.due)`,
    },
  ];
}

/** The parts that write and remove the rows of one resource. */
function resourceParts(
  names: Names,
  into: Parameters,
  chosen: readonly ResourceName[],
  resource: ResourceName,
  writes: readonly VersionWrite[],
  at: () => string,
): Part[] {
  const table = names.table(resource);
  const entry = resources[resource];
  const id = snake(entry.idField);
  const puts = writes
    .flatMap(({ id: object, content }) => (content ? [{ id: object, content }] : []))
    .sort((a, b) => compare(a.id, b.id));
  const gone = writes.flatMap(({ id: object, content }) => (content === null ? [object] : []));
  const parts: Part[] = [];
  if (puts.length > 0) {
    const linked = linkedResource(chosen) === resource;
    const columns = Object.entries<{ from: string }>(entry.columns)
      .filter(([, { from }]) => from !== "link" || linked)
      .map(([field, { from }]) => ({ name: snake(field), from }));
    const values = columns.map(({ from }) =>
      from === "link" ? entityOf(names, "c.id") : `c.content #>> '{${from.replaceAll(".", ",")}}'`,
    );
    const updates = ["stripe", "last_synced_at"]
      .concat(columns.filter(({ from }) => from !== "link").map(({ name }) => name))
      .map((name) => `${name} = excluded.${name}`);
    parts.push({
      name: `put_${resource}`,
      sql: (ready) => `
  INSERT INTO ${table} (${[id, ...columns.map(({ name }) => name), "stripe", "last_synced_at"].join(", ")})
  SELECT ${["c.id", ...values, "c.content", at()].join(", ")} FROM ${documentsOf(into, "c", puts)} WHERE ${ready}
  ON CONFLICT (${id}) DO UPDATE SET ${updates.join(", ")}`,
    });
  }
  if (gone.length > 0) {
    parts.push({
      name: `gone_${resource}`,
      sql: (ready) => `
  DELETE FROM ${table} WHERE ${id} = ANY(ARRAY(SELECT gone FROM ${textsOf(into, "gone", gone)})) AND ${ready}`,
    });
  }
  return parts;
}

/**
 * The parts that put and remove rows of nulls. The owners are locked, and no part of a statement
 * sees what another does: nothing here depends on the rows that are written beside it.
 */
function emptyRowParts(
  names: Names,
  into: Parameters,
  { rule, appearing, filled }: Affected,
  at: () => string,
): Part[] {
  const table = names.table(rule.resource);
  const id = snake(resources[rule.resource].idField);
  const key = snake(rule.ownerField);
  const parts: Part[] = [];
  if (appearing.length > 0) {
    parts.push({
      name: `empty_${rule.resource}`,
      sql: (ready) => `
  INSERT INTO ${table} (${key}, last_synced_at) SELECT owner, ${at()} FROM ${textsOf(into, "owner", appearing)}
  WHERE ${ready} AND (SELECT true FROM ${table} t WHERE t.${key} = owner LIMIT 1) IS NULL
  ON CONFLICT (${key}) WHERE ${id} IS NULL DO NOTHING`,
    });
  }
  if (filled.length > 0) {
    parts.push({
      name: `filled_${rule.resource}`,
      sql: (ready) => `
  DELETE FROM ${table} WHERE ${ready} AND ctid = ANY(ARRAY(
    SELECT e.ctid FROM ${textsOf(into, "owner", filled)} CROSS JOIN LATERAL (
      SELECT t.ctid FROM ${table} t WHERE t.${key} = owner AND t.${id} IS NULL LIMIT 1) e))`,
    });
  }
  return parts;
}
