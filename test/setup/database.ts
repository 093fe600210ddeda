// One database for one test file, so that files can run side by side on the one server.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

export interface TestDatabase {
  url: string;
  /** Removes the database, cutting off whoever is still connected to it. */
  drop(): Promise<void>;
}

/**
 * On the server of the run, unless another's is given.
 *
 * @example
 * let database: TestDatabase;
 * beforeAll(async () => {
 *   database = await createDatabase();
 * });
 * afterAll(() => database.drop());
 */
export async function createDatabase(adminUrl = inject("postgresUrl")): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await run(adminUrl, `CREATE DATABASE ${name}`);
  const url = new URL(adminUrl);
  url.pathname = name;
  return {
    url: url.href,
    drop: () => run(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** `drop` may cut off a connection that is just closing; only a pool without a listener minds. */
export function createPool(url: string, options: pg.PoolConfig = {}): pg.Pool {
  return new pg.Pool({ connectionString: url, ...options }).on("error", () => {});
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
