/** Sets the tables of an application back to an earlier time, as a restore or a failover does. */
import type { App } from "./kit.js";

/** Remembers the tables as they are now; answers what brings them back. */
export async function remember({ sql, schema }: App): Promise<() => Promise<void>> {
  const tables = await sql<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`,
  );
  const copies: string[] = [];
  for (const { name } of tables) {
    const [rows] = await sql<{ all: string }>(
      `SELECT coalesce(json_agg(t), '[]')::text AS all FROM ${schema}.${name} t`,
    );
    const copy = (rows?.all ?? "[]").replaceAll("'", "''");
    copies.push(
      `DELETE FROM ${schema}.${name};
       INSERT INTO ${schema}.${name}
       SELECT * FROM json_populate_recordset(NULL::${schema}.${name}, '${copy}')`,
    );
  }
  return async () => {
    await sql(`BEGIN; ${copies.join(";\n")}; COMMIT`);
  };
}
