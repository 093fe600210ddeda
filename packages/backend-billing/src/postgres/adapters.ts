/**
 * Other clients in the shape of `pg`'s pool, a few lines each and no driver imported. `pg` itself
 * and whatever offers its interface need none of this.
 */
import type { Connection, PoolLike } from "./database.js";

interface PostgresJsQuery {
  unsafe(text: string, values?: never[]): PromiseLike<readonly object[]>;
}

/** What is used of a `postgres` (postgres.js) client. */
export interface PostgresJs extends PostgresJsQuery {
  reserve(): Promise<PostgresJsQuery & { release(): void }>;
}

/**
 * A postgres.js client as a pool.
 *
 * @example
 * ```ts
 * import { fromPostgresJs } from "backend-billing/postgres";
 * import postgres from "postgres";
 *
 * const pool = fromPostgresJs(postgres("postgres://localhost/app"));
 * ```
 */
export function fromPostgresJs(sql: PostgresJs): PoolLike {
  const query =
    (on: PostgresJsQuery) =>
    async (text: string, values: unknown[] = []) => ({
      rows: [...(await on.unsafe(text, values as never[]))],
    });
  return {
    query: query(sql),
    connect: async () => {
      const reserved = await sql.reserve();
      return { query: query(reserved), release: () => reserved.release() };
    },
  };
}

/** What is used of a PGlite database. */
export interface Pglite {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * A PGlite database as a pool of its one connection: while it is lent, other callers wait.
 *
 * @example
 * ```ts
 * import { PGlite } from "@electric-sql/pglite";
 * import { fromPglite } from "backend-billing/postgres";
 *
 * const pool = fromPglite(new PGlite());
 * ```
 */
export function fromPglite(database: Pglite): PoolLike {
  let last: Promise<void> = Promise.resolve();
  const connect = async (): Promise<Connection> => {
    const before = last;
    let release = () => {};
    last = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    return { query: (text, values) => database.query(text, values), release: () => release() };
  };
  return {
    connect,
    query: async (text, values) => {
      const connection = await connect();
      try {
        return await connection.query(text, values);
      } finally {
        connection.release();
      }
    },
  };
}
