// What a worker looks for is found in indexes, however much waits.
import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../../support/postgres/database.js";
import { dueObjects } from "../../../src/postgres/reactions/deliver.js";
import { migrate } from "../../../src/postgres/schema/migrations.js";
import { namesIn } from "../../../src/postgres/store/names.js";

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = createPool(database.url);
  await migrate(pool);
  await pool.query(
    `INSERT INTO billing.backend_billing_records (kind, id, revision, ref, due, data)
     SELECT 'change', format('products prod_%s %s', o, lpad(n::text, 12, '0')), 1, 'products prod_' || o, 0, '{}'
     FROM generate_series(1, 10) n, generate_series(1, 500) o`,
  );
  await pool.query("ANALYZE");
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

it("fifty of five hundred objects are found without a look at the rest", async () => {
  const plans: string[] = [];
  const explaining = {
    query: async (text: string, values?: unknown[]) => {
      const { rows } = await pool.query(`EXPLAIN ${text}`, values);
      plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
      return pool.query(text, values);
    },
    connect: () => pool.connect(),
  };
  const names = namesIn("billing");
  const found = await dueObjects({ pool: explaining, names, occasions: ["products"] });
  expect(new Set(found).size).toBe(50);
  expect(plans.join()).toContain("backend_billing_records_byDue");
  expect(plans.join()).not.toMatch(/Seq Scan|Sort/);
});
