/**
 * The tables on PostgreSQL, as data, derived from the resource table. Migrations print them as SQL
 * and the Drizzle schema is generated from them, so the two cannot differ.
 */
import { columnsOf, defaultResources, type ResourceName } from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import { column, snake, type Table, type TableIndex } from "./table.js";
import { usageTables } from "./usage-tables.js";

/**
 * `stripe.recurring.interval` as SQL: `((stripe -> 'recurring'::text) ->> 'interval'::text)`; of the
 * table that is named, where the statement has several.
 */
export function pathExpression(path: string, table?: string): string {
  const [column = "stripe", ...keys] = path.split(".");
  const root = table === undefined ? column : `${table}.${column}`;
  return keys.reduce((inner, key, index) => {
    const arrow = index === keys.length - 1 ? "->>" : "->";
    return `(${inner} ${arrow} '${key}'::text)`;
  }, root);
}

/** Characters of a long text that are indexed: at most 800 bytes. */
const INDEXED = 200;

/** What an index covers: a column, a path inside `stripe`, or the beginning of a long text there. */
function indexed(field: string, longTexts: readonly string[]): TableIndex["on"] {
  if (!field.startsWith("stripe.")) return [snake(field)];
  const path = pathExpression(field);
  return { expression: longTexts.includes(field) ? `"left"(${path}, ${INDEXED})` : path };
}

/** The table of one mirrored resource. */
export function resourceTable(name: ResourceName): Table {
  const entry = resources[name];
  const mayBeEmpty = "emptyRowPer" in entry;
  const columns = columnsOf(name).map(({ field, nullable }) => column(field, "text", { nullable }));
  const indexes = Object.entries<string>(entry.indexes).map(
    ([index, field]): TableIndex => ({
      name: `${entry.table}_${index}`,
      on: indexed(field, "longTexts" in entry ? entry.longTexts : []),
      unique: field === entry.idField,
    }),
  );
  return {
    name: entry.table,
    columns: [
      column("_id", "uuid", { name: "_id", default: "gen_random_uuid()" }),
      column(entry.idField, "text", { nullable: mayBeEmpty }),
      ...columns,
      column("stripe", "jsonb", { nullable: mayBeEmpty }),
      column("last_synced_at", "bigint"),
    ],
    primaryKey: ["_id"],
    indexes: [...indexes, ...emptyRowIndex(name)],
  };
}

/** At most one row of nulls stands for an owner that has nothing. */
function emptyRowIndex(name: ResourceName): TableIndex[] {
  const entry = resources[name];
  if (!("emptyRowPer" in entry)) return [];
  const owner = resources[entry.emptyRowPer];
  return [
    {
      name: `${entry.table}_oneEmptyRow`,
      on: [snake(owner.idField)],
      unique: true,
      where: `(${snake(entry.idField)} IS NULL)`,
    },
  ];
}

/** What the mirror keeps beside the rows. The comments name who writes and who reads each. */
export const internalTables: readonly Table[] = [
  {
    // Written by every commit; read by the judgement, the ask worker and the sweep.
    name: "backend_billing_versions",
    columns: [
      column("resource", "text"),
      column("id", "text"),
      column("revision", "bigint"),
      column("state", "text"),
      column("lo", "bigint"),
      column("hi", "bigint"),
      column("first", "boolean"),
      column("askAt", "bigint", { nullable: true }), // null: there is nothing to ask
    ],
    primaryKey: ["resource", "id"],
    indexes: [
      {
        name: "backend_billing_versions_byAskAt",
        on: ["ask_at"],
        unique: false,
        where: "(ask_at IS NOT NULL)",
      },
    ],
  },
  {
    // Written by commits of events; read by the next delivery of the same event.
    name: "backend_billing_receipts",
    columns: [
      column("eventId", "text"),
      column("type", "text"),
      column("created", "bigint"),
      column("objectId", "text", { nullable: true }),
      column("receivedAt", "bigint"),
    ],
    primaryKey: ["event_id"],
    indexes: [
      { name: "backend_billing_receipts_byReceivedAt", on: ["received_at"], unique: false },
    ],
  },
  {
    // Written and read by claims, sync runs, refreshes and settings, each under its own kind.
    name: "backend_billing_records",
    columns: [
      column("kind", "text"),
      column("id", "text"),
      column("revision", "bigint"),
      column("ref", "text", { nullable: true }),
      column("due", "bigint", { nullable: true }),
      column("data", "jsonb"),
    ],
    primaryKey: ["kind", "id"],
    indexes: [
      {
        name: "backend_billing_records_byDue",
        on: ["kind", "due"],
        unique: false,
        where: "(due IS NOT NULL)",
      },
      {
        name: "backend_billing_records_byRef",
        on: ["kind", "ref", "id"],
        unique: false,
        where: "(ref IS NOT NULL)",
      },
      {
        // One customer belongs to one entity.
        name: "backend_billing_records_oneClaimPerCustomer",
        on: ["ref"],
        unique: true,
        where: "((kind = 'claim'::text) AND (ref IS NOT NULL))",
      },
    ],
  },
];

/** Written by each applied step of `migrate`, and read by the next `migrate`. Not with drizzle-kit. */
export const migrationsTable = "backend_billing_migrations";

/** Every table for the chosen resources. */
export function tablesFor(chosen: readonly ResourceName[] = defaultResources): readonly Table[] {
  return [...internalTables, ...usageTables, ...chosen.map(resourceTable)];
}
