// Many customers can carry one entity's id, and workers that list them move its claim at once. Each
// locks the customers that it moves the claim between; one that comes too late must not wait for the
// lock of yet another customer while it holds the claim: that is a deadlock with its next mover.
import { expect, it } from "vitest";
import { NOW } from "../../../../support/conformance/fixtures.js";
import { databaseOfEachTest } from "../../../../support/postgres/database.js";
import type { Batch } from "../../src/core/mirror/store.js";
import { lockOwnersPlainly } from "../../src/postgres/commit/sql.js";
import { transaction } from "../../src/postgres/database.js";
import { migrate } from "../../src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../src/postgres/store/store.js";

const database = databaseOfEachTest();

const moved = (expect: number, from: string | null, to: string): Batch => ({
  source: "record",
  now: NOW,
  units: [],
  records: [
    {
      kind: "claim",
      id: "user_1",
      expect,
      ...(from === null ? {} : { was: { ref: from, due: null } }),
      next: { ref: to, due: null, data: {} },
    },
  ],
});

it("is refused without a wait for the customer that it points at by now", async () => {
  const { pool } = database;
  await migrate(pool);
  const store = createPostgresStore({ pool, lockTimeout: 500 });
  expect(await store.commit(moved(0, null, "cus_3"))).toMatchObject({ committed: true });
  expect(await store.commit(moved(1, "cus_3", "cus_2"))).toMatchObject({ committed: true });
  await transaction(pool, async (other) => {
    await other.query(lockOwnersPlainly(["cus_2"]));
    const late = await store.commit(moved(1, "cus_3", "cus_1"));
    expect(late).toEqual({ committed: false, conflict: { kind: "claim", id: "user_1" } });
  });
});

it("is moved by sixteen callers at once without a deadlock", async () => {
  const { pool } = database;
  await migrate(pool);
  const store = createPostgresStore({ pool });
  const move = async (to: string): Promise<void> => {
    for (;;) {
      const claim = await store.record("claim", "user_1");
      const { committed } = await store.commit(moved(claim?.revision ?? 0, claim?.ref ?? null, to));
      if (committed) return;
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, nth) => move(`cus_${nth}`)));
  expect((await store.record("claim", "user_1"))?.revision).toBe(16);
  const { rows } = await pool.query<{ deadlocks: string }>(
    "SELECT pg_stat_get_db_deadlocks(oid) AS deadlocks FROM pg_database WHERE datname = current_database()",
  );
  expect(rows).toEqual([{ deadlocks: "0" }]);
});
