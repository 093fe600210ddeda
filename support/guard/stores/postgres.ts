/** PostgreSQL, for histories of the guard: its tables have copies, to which they can be set back. */
import type { PoolLike } from "../../../packages/backend-billing/src/postgres/database.js";
import { createPostgresStore } from "../../../packages/backend-billing/src/postgres/store/store.js";
import type { Gate } from "../../convergence/run.js";
import { gated } from "../../convergence/stores/postgres.js";
import { emptiedSchema } from "../../postgres/emptied.js";
import type { OpenGuardStore } from "./memory.js";

/** Everything goes through one pool of `pg`; every process takes it for one of its own. */
export async function openPostgres(pool: PoolLike, schema: string): Promise<OpenGuardStore> {
  const empty = await emptiedSchema(pool, schema);
  const { rows } = await pool.query(
    `SELECT format('%I', tablename) AS name FROM pg_tables
     WHERE schemaname = $1 AND tablename <> 'backend_billing_migrations'`,
    [schema],
  );
  const tables = rows.map((row) => (row as { name: string }).name);
  /** In one statement: all of it, or nothing. */
  const forEach = (statement: (table: string) => string) =>
    pool.query(`DO $all$ BEGIN ${tables.map(statement).join(" ")} END $all$`);

  /** Rows of every table, in a schema of its own that is made when it is first needed. */
  async function copyInto(copy: string): Promise<void> {
    await pool.query(`CREATE SCHEMA IF NOT EXISTS ${copy}`);
    await forEach(
      (table) => `CREATE TABLE IF NOT EXISTS ${copy}.${table} (LIKE ${schema}.${table});
        DELETE FROM ${copy}.${table}; INSERT INTO ${copy}.${table} SELECT * FROM ${schema}.${table};`,
    );
  }

  const backTo = (copy: string) =>
    forEach(
      (table) => `DELETE FROM ${schema}.${table};
        INSERT INTO ${schema}.${table} SELECT * FROM ${copy}.${table};`,
    );

  return {
    fresh: async () => {
      await empty();
      let copies = 0;
      return {
        turns: 4, // commits are put together at the end of a turn
        connect: (gate) => createPostgresStore({ schema, pool: poolOfPg(pool, gate) }),
        remember: async () => {
          const copy = `${schema}_copy_${copies++}`;
          await copyInto(copy);
          return async () => {
            await backTo(copy);
          };
        },
      };
    },
  };
}

/** By its counts the library knows a pool of `pg`, on which it prepares its statements. */
const poolOfPg = (pool: PoolLike, gate: Gate): PoolLike => {
  const counts = { totalCount: 1, idleCount: 1, waitingCount: 0 };
  return { ...gated(pool, gate), ...counts };
};
