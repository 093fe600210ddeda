// One database for one test file, so that files can run side by side on the one server.
import pg from "pg";
import { afterEach, beforeEach, inject } from "vitest";
import { administer, databaseAt, newName } from "./admin.js";

export interface TestDatabase {
  url: string;
  /** Removes the database, cutting off whoever is still connected to it. */
  drop(): Promise<void>;
}

/**
 * On the server of the run, unless another's is given; through PgBouncer where the run has one.
 *
 * @example
 * let database: TestDatabase;
 * beforeAll(async () => {
 *   database = await createDatabase();
 * });
 * afterAll(() => database.drop());
 */
export async function createDatabase(server?: string): Promise<TestDatabase> {
  const adminUrl = server ?? inject("postgresUrl");
  const name = newName("test");
  await administer(adminUrl, `CREATE DATABASE ${name}`);
  return {
    url: databaseAt(server ?? inject("pooledUrl"), name),
    drop: () => administer(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** The same database past PgBouncer, for a test that cannot do with it; a run through it says why. */
export function directly(url: string, reason: string): string {
  if (inject("pooledUrl") === inject("postgresUrl")) return url;
  console.log(`Past PgBouncer: ${reason}`);
  return databaseAt(inject("postgresUrl"), new URL(url).pathname);
}

export interface OwnDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
}

/** To be called once in a test file: each test has an empty database, and a pool of connections to it. */
export function databaseOfEachTest(): OwnDatabase {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeEach(async () => {
    database = await createDatabase();
    pool = createPool(database.url);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });
  return {
    get url() {
      return database.url;
    },
    get pool() {
      return pool;
    },
  };
}

/** `drop` may cut off a connection that is just closing; only a pool without a listener minds. */
export function createPool(url: string, options: pg.PoolConfig = {}): pg.Pool {
  return new pg.Pool({ connectionString: url, ...options }).on("error", () => {});
}
