// What a schema contains, as PostgreSQL's own catalog has it: two ways to create the same tables are
// compared here and not as text, because the same table can be written in many ways.
import type { Queryable } from "../../packages/backend-billing/src/postgres/database.js";
import { qualified } from "../../packages/backend-billing/src/postgres/schema/ddl.js";
import { migrationsTable } from "../../packages/backend-billing/src/postgres/schema/tables.js";

export type Catalog = Readonly<Record<string, CatalogTable>>;

interface CatalogTable {
  /** Kind, persistence, storage options and row security. */
  readonly table: string;
  readonly columns: readonly string[];
  readonly constraints: readonly string[];
  readonly indexes: readonly string[];
  readonly policies: readonly string[];
}

/** Every relation of a schema but the record of migrations, which drizzle-kit does not have. */
export async function readCatalog(db: Queryable, schema: string): Promise<Catalog> {
  const { rows } = await db.query(
    `SELECT c.relname::text AS name,
       concat_ws(' ', c.relkind, c.relpersistence, c.reloptions, c.relrowsecurity) AS "table",
       ARRAY(
         SELECT concat_ws(' ', a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
             CASE WHEN a.attnotnull THEN 'NOT NULL' END, a.attidentity, a.attgenerated,
             'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), 'COLLATE ' || l.collname)
         FROM pg_attribute a
           LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
           LEFT JOIN pg_collation l ON l.oid = a.attcollation
         WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
         ORDER BY a.attnum
       ) AS columns,
       ARRAY(
         SELECT concat_ws(' ', k.conname, pg_get_constraintdef(k.oid))
         FROM pg_constraint k WHERE k.conrelid = c.oid ORDER BY k.conname
       ) AS constraints,
       ARRAY(
         SELECT pg_get_indexdef(i.indexrelid)
           || CASE WHEN i.indisprimary THEN ' PRIMARY' ELSE '' END
           || CASE WHEN i.indisvalid THEN '' ELSE ' INVALID' END
         FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
         WHERE i.indrelid = c.oid ORDER BY x.relname
       ) AS indexes,
       ARRAY(
         SELECT concat_ws(' ', p.policyname, p.permissive, p.roles, p.cmd, p.qual, p.with_check)
         FROM pg_policies p WHERE p.schemaname = n.nspname AND p.tablename = c.relname
         ORDER BY p.policyname
       ) AS policies
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind <> 'i' AND c.relname <> $2
     ORDER BY c.relname`,
    [schema, migrationsTable],
  );
  const tables = rows as ({ name: string } & CatalogTable)[];
  return Object.fromEntries(tables.map(({ name, ...table }) => [name, table]));
}

/** The ids of the recorded steps, sorted. */
export async function readSteps(db: Queryable, schema: string): Promise<readonly string[]> {
  const { rows } = await db.query(
    `SELECT id FROM ${qualified(schema, migrationsTable)} ORDER BY id`,
  );
  return (rows as { id: string }[]).map((row) => row.id);
}
