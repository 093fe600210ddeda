// What is to be sent, compared or put into sums is found by indexes, however much there is.
import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../../support/postgres/database.js";
import { migrate } from "../../../src/postgres/index.js";
import { booksOn } from "../../../src/postgres/usage/books.js";
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
  await pool.query(`INSERT INTO billing.backend_billing_usage_balances
    SELECT 'org_' || n, 'calls', 0, 0, 0, 0, 0, 0, '', n > 300, 0, '' ${series(5_000)}`);
  await pool.query(`INSERT INTO billing.backend_billing_usage_grants
    SELECT 'org_' || n, 'calls', 'g', 'plan', 1, 1, 0, 0, 1, n, true, false ${series(5_000)}`);
  await pool.query(`INSERT INTO billing.backend_billing_usage_holds
    SELECT 'org_' || n, 'calls', 'h', 1, 0, '[]', 'held', n ${series(5_000)}`);
  await pool.query("ANALYZE");
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

type Asked = [text: string, values: unknown[] | undefined];

/** The pool, and the statements on usage that it was given. */
function watched(): { readonly on: pg.Pool; readonly asked: Asked[] } {
  const asked: Asked[] = [];
  const on = Object.create(pool, {
    query: {
      value: (text: string, values?: unknown[]) => {
        if (text.includes("usage_")) asked.push([text, values]);
        return pool.query(text, values);
      },
    },
  }) as pg.Pool;
  return { on, asked };
}

/** Lines of the plans that read whole tables. */
async function scans(asked: readonly Asked[]): Promise<string[]> {
  const plans = await Promise.all(
    asked.map(([text, values]) =>
      pool.query<{ "QUERY PLAN": string }>(`EXPLAIN (COSTS OFF) ${text}`, values),
    ),
  );
  const lines = plans.flatMap(({ rows }) => rows.map((row) => row["QUERY PLAN"]));
  return lines.filter((line) => line.includes("Seq Scan"));
}

it("what is to be sent, by indexes alone", async () => {
  const { on, asked } = watched();
  const { unsent } = outboxOn(on, {});
  // The 20 of which something is unsent, without 10 that have a batch under way, and org_0.
  const open = await unsent(["calls"], 1_000, 100, null);
  expect(open.map(({ entityId }) => entityId).sort()).toEqual(
    [100, 110, 120, 130, 140, 150, 160, 170, 180, 190].map((n) => `org_${n}`),
  );
  expect(await unsent(["calls"], 1_000, 3, null)).toEqual(open.slice(0, 3));
  expect(await unsent(["calls"], 1_000, 3, open[2] ?? null)).toEqual(open.slice(3, 6));
  expect(await unsent(["calls"], 1_000, 3, open[9] ?? null)).toEqual([]);
  expect(await unsent(["others"], 1_000, 100, null)).toEqual([]);
  expect(await unsent(["calls"], 99, 100, null)).toEqual([]); // a batch was made a moment ago
  expect(asked.length).toBeGreaterThan(3);
  expect(await scans(asked)).toEqual([]);
});

it("what was sent and what is old, by indexes alone", async () => {
  const { on, asked } = watched();
  const { billed, sent, fold } = booksOn(on, {});
  const places = await billed(["calls"], 19_000, { entityId: "org_1809", feature: "calls" }, 3);
  expect(places.map(({ entityId }) => entityId)).toEqual(["org_181", "org_1810", "org_1811"]);
  const place = { entityId: "org_7", feature: "calls" };
  expect(await sent(place, 0, 2_000)).toEqual([{ day: 0, units: 10, isOpen: false }]);
  expect(await sent({ ...place, entityId: "org_10" }, 0, 2_000)).toMatchObject([{ isOpen: true }]);
  expect(await fold(0, 100)).toBe(0);
  expect(asked).toHaveLength(6);
  expect(await scans(asked)).toEqual([]);
});
