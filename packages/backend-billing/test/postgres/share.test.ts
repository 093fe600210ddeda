// A table of the library that is locked must not take the application's connections.
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { batch, event } from "../../../../support/conformance/fixtures.js";
import {
  createDatabase,
  createPool,
  directly,
  type TestDatabase,
} from "../../../../support/postgres/database.js";
import { migrate } from "../../src/postgres/schema/migrations.js";
import { sharedPool, shareOf } from "../../src/postgres/store/share.js";
import { createPostgresStore } from "../../src/postgres/store/store.js";

it.each([
  [1, 1],
  [2, 1],
  [4, 3],
  [10, 7],
  [20, 15],
])("of %s connections the library takes at most %s", (max, share) => {
  expect(shareOf(max)).toBe(share);
});

describe("while one of the tables is locked", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
    const pool = createPool(database.url);
    await migrate(pool);
    await pool.end();
  });
  afterAll(() => database.drop());

  /** A pool that the application shares with the library, and a lock that somebody else holds. */
  async function locked() {
    const url = directly(database.url, "more connections that wait for a lock than PgBouncer has");
    const pool = createPool(url);
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    onTestFinished(async () => {
      await holder.end();
      await pool.end();
    });
    const { rows } = await pool.query<{ name: string }>(
      "SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE tablename = 'backend_billing_customers'",
    );
    await holder.query("BEGIN");
    await holder.query(`LOCK TABLE ${rows[0]?.name} IN ACCESS EXCLUSIVE MODE`);
    return { pool, holder, store: createPostgresStore({ pool }) };
  }

  it("the application's own queries go on, whatever it asks of the library", async () => {
    const { pool, holder, store } = await locked();
    const reads = Array.from({ length: 30 }, (_, n) => store.customerOf(`user_${n}`));
    const commits = Array.from({ length: 30 }, (_, n) =>
      store.commit(batch(event("customers", `cus_${n}`, 100, { metadata: {} }))),
    );
    // Twice as many as there are connections: each must be answered while the lock is held.
    for (let n = 0; n < 20; n++) {
      expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    }
    expect(pool.totalCount - pool.idleCount).toBeLessThanOrEqual(7);
    await holder.query("ROLLBACK");
    expect(await Promise.all(reads)).toHaveLength(30);
    for (const commit of commits) expect(await commit).toMatchObject({ committed: true });
  });

  it("a transaction of the library gives up after a while, and says so", async () => {
    const { pool } = await locked();
    const store = createPostgresStore({ pool, lockTimeout: 200 });
    // A record goes through a transaction, and this one writes the customer's row.
    const next = { ref: "cus_locked", due: null, data: { entityId: "user_locked" } };
    const record = { kind: "claim", id: "user_locked", expect: 0, next } as const;
    const snapshot = event("customers", "cus_locked", 100, { metadata: {} });
    const commit = store.commit({
      source: "event",
      now: 1,
      units: [{ snapshots: [snapshot] }],
      records: [record],
    });
    await expect(commit).rejects.toMatchObject({ code: "55P03" });
  });
});

it("what waits for a connection waits no longer than the pool allows", async () => {
  const database = await createDatabase();
  const pool = createPool(database.url, { max: 1, idleTimeoutMillis: 0 });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  // With its connection made: to make one may take a busy machine longer than is waited here.
  await pool.query("SELECT 1");
  pool.options.connectionTimeoutMillis = 200;
  const shared = sharedPool(pool);
  const first = shared.query("SELECT pg_sleep(1)");
  await expect(shared.query("SELECT 1")).rejects.toThrow("timeout exceeded");
  await first;
  expect((await shared.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
});
