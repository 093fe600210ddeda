/** The parts of a commit's statement that are about the rows of mirrored tables. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import { type EmptyRows, emptyRowsOf, type Link, linkOf } from "../../core/catalogue/row.js";
import { snake } from "../schema/table.js";
import type { Names } from "../store/names.js";
import { documentsOf, rowsOf, textsOf } from "../store/statement.js";
import type { Filling, PartText } from "./part.js";
import { LINKED, type Part } from "./writes.js";

export function rowParts(
  names: Names,
  chosen: readonly ResourceName[],
): ReadonlyMap<Part, PartText> {
  const parts = new Map<Part, PartText>();
  for (const resource of chosen) {
    parts.set(`put_${resource}`, putPart(names, resource, "put"));
    parts.set(`linked_${resource}`, putPart(names, resource, "linked"));
    parts.set(`gone_${resource}`, gonePart(names, resource));
    const { before, change } = copyParts(names, resource);
    parts.set(`before_${resource}`, before);
    parts.set(`change_${resource}`, change);
  }
  for (const rule of emptyRowsOf(chosen)) {
    const { empty, filled } = emptyRowParts(names, rule);
    parts.set(`empty_${rule.resource}`, empty);
    parts.set(`filled_${rule.resource}`, filled);
  }
  const link = linkOf(chosen);
  if (link !== undefined) parts.set(`link_${link.resource}`, linkPart(names, link));
  return parts;
}

/** Rows whose link is set with the rest, or that keep the one they have. */
function putPart(names: Names, resource: ResourceName, which: "put" | "linked"): PartText {
  const entry = resources[resource];
  const id = snake(entry.idField);
  const fields = Object.entries<{ from: string }>(entry.columns)
    .filter(([, { from }]) => from !== "link" || which === "linked")
    .map(([field]) => field);
  const columns = [...fields.map(snake), "stripe", "last_synced_at"];
  return {
    sql: (into, ready, has) => {
      const list = into.list((writes) => writes[which].get(resource));
      const returning = has(`change_${resource}`) ? ` RETURNING ${id} AS id, stripe` : "";
      const values = ["c.id", ...fields.map((field) => `c."${field}"`), "c.content", into.now()];
      return `
  INSERT INTO ${names.table(resource)} (${[id, ...columns].join(", ")})
  SELECT ${values.join(", ")} FROM ${documentsOf(into, "c", fields, list)} WHERE ${ready}
  ON CONFLICT (${id}) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(", ")}${returning}`;
    },
  };
}

/**
 * The contents of rows as they were, and the records that tell of how they change. All parts see the
 * tables as they were when the statement began, and a version that was known then and is still the same
 * has the content that was there then.
 */
function copyParts(names: Names, resource: ResourceName): Record<"before" | "change", PartText> {
  const id = snake(resources[resource].idField);
  return {
    before: {
      counted: true,
      sql: (_, ready) => `
  SELECT w.*, w.data ->> 'id' AS row_id, t.stripe FROM recorded w CROSS JOIN LATERAL (
    SELECT stripe FROM ${names.table(resource)} WHERE ${id} = w.data ->> 'id' LIMIT 1) t
  WHERE w.part = 'change_${resource}' AND ${ready}`,
    },
    change: {
      sql: (_, ready, has) => {
        const put = ([`put_${resource}`, `linked_${resource}`] as const)
          .filter(has)
          .map((part) => `SELECT id, stripe FROM ${part}`);
        return `
  INSERT INTO ${names.records} (kind, id, revision, ref, due, data)
  SELECT b.kind, b.id, b.revision, b.ref, b.due,
    b.data || jsonb_build_object('before', b.stripe, 'after', p.stripe)
  FROM before_${resource} b JOIN (${put.join(" UNION ALL ")}) p ON p.id = b.row_id
  WHERE b.stripe <> p.stripe AND ${ready}`;
      },
    },
  };
}

/** No row of these is written otherwise: a statement changes a row but once. */
function linkPart(names: Names, { resource, field }: Link): PartText {
  const id = snake(resources[resource].idField);
  return {
    sql: (into, ready) => {
      const rows = into.list(({ link }) => link.get(resource));
      return `
  UPDATE ${names.table(resource)} t SET ${snake(field)} = l.value
  FROM ${rowsOf(into, "l", LINKED, rows)} WHERE t.${id} = l.id AND ${ready}`;
    },
  };
}

function gonePart(names: Names, resource: ResourceName): PartText {
  const id = snake(resources[resource].idField);
  return {
    sql: (into, ready) => {
      const gone = textsOf(
        into,
        "gone",
        into.list((writes) => writes.gone.get(resource)),
      );
      return `
  DELETE FROM ${names.table(resource)} WHERE ${id} = ANY(ARRAY(SELECT gone FROM ${gone})) AND ${ready}`;
    },
  };
}

/** Puts rows of nulls, and removes them. */
function emptyRowParts(
  names: Names,
  { resource, ownerField }: EmptyRows,
): Record<"empty" | "filled", PartText> {
  const table = names.table(resource);
  const id = snake(resources[resource].idField);
  const key = snake(ownerField);
  const owners = (into: Filling, which: "empty" | "filled") =>
    textsOf(
      into,
      "owner",
      into.list((writes) => writes[which].get(resource)),
    );
  return {
    empty: {
      sql: (into, ready) => `
  INSERT INTO ${table} (${key}, last_synced_at)
  SELECT owner, ${into.now()} FROM ${owners(into, "empty")} WHERE ${ready}`,
    },
    filled: {
      sql: (into, ready) => `
  DELETE FROM ${table} WHERE ${ready} AND ctid = ANY(ARRAY(
    SELECT e.ctid FROM ${owners(into, "filled")} CROSS JOIN LATERAL (
      SELECT t.ctid FROM ${table} t WHERE t.${key} = owner AND t.${id} IS NULL LIMIT 1) e))`,
    },
  };
}
