// What is to be sent is found by indexes, however much was sent before.
import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../../support/postgres/database.js";
import { migrate } from "../../../src/postgres/index.js";
import { outboxOn } from "../../../src/postgres/usage/outbox.js";

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = createPool(database.url, { max: 4 });
  await migrate(pool);
  const series = (count: number) => `FROM generate_series(1, ${count}) AS n`;
  await pool.query(`INSERT INTO billing.backend_billing_usage_records
    SELECT 'org_' || n % 200, 'calls', 'k' || n, 1, 1, true, n, CASE WHEN n % 10 > 0 THEN 'b' END
    ${series(20_000)}`);
  await pool.query(`INSERT INTO billing.backend_billing_customers
      (customer_id, entity_id, stripe, last_synced_at)
    SELECT 'cus_' || n, 'org_' || n, '{}', 1 ${series(5_000)}`);
  await pool.query(`INSERT INTO billing.backend_billing_records
    SELECT 'setting', 'outbox calls org_' || n, 1, NULL, NULL, '{"nextAt": 100, "used": {}}'
    ${series(5_000)}`);
  await pool.query(`INSERT INTO billing.backend_billing_records
    SELECT 'batch', 'b' || n, 1, 'calls org_' || n, CASE WHEN n < 100 THEN 5 END, '{}'
    ${series(5_000)}`);
  await pool.query("ANALYZE");
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

it("by indexes alone", async () => {
  let asked: [text: string, values: unknown[] | undefined] | undefined;
  const watched = Object.create(pool, {
    query: {
      value: (text: string, values?: unknown[]) => {
        if (text.includes("RECURSIVE")) asked = [text, values];
        return pool.query(text, values);
      },
    },
  }) as pg.Pool;
  const { unsent } = outboxOn(watched, {});
  // The 20 of which something is unsent, without 10 that have a batch under way, and org_0.
  const open = await unsent(["calls"], 1_000, 100);
  expect(open.map(({ entityId }) => entityId).sort()).toEqual(
    [100, 110, 120, 130, 140, 150, 160, 170, 180, 190].map((n) => `org_${n}`),
  );
  expect(await unsent(["calls"], 1_000, 3)).toHaveLength(3);
  expect(await unsent(["others"], 1_000, 100)).toEqual([]);
  expect(await unsent(["calls"], 99, 100)).toEqual([]); // a batch was made a moment ago
  const { rows } = await pool.query<{ "QUERY PLAN": string }>(
    `EXPLAIN (COSTS OFF) ${asked?.[0]}`,
    asked?.[1],
  );
  expect(rows.map((row) => row["QUERY PLAN"]).filter((line) => line.includes("Seq Scan"))).toEqual(
    [],
  );
});
