// What a worker looks for is found in indexes, however much waits.
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../../support/postgres/database.js";
import { dueObjects, headOf } from "../../../src/postgres/reactions/head.js";
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

const names = namesIn("billing");
const plans: string[] = [];
const explaining = {
  query: async (text: string, values: readonly unknown[] = []) => {
    const client = await pool.connect();
    const given = values.map((value) =>
      pg.escapeLiteral(Array.isArray(value) ? `{${value.join()}}` : String(value)),
    );
    try {
      const { rows } = await client.query(`EXPLAIN ${text}`, [...values]);
      // Prepared, as it is sent: planned once for all values, when the connection has run it a few times.
      await client.query(`PREPARE prepared AS ${text}; SET plan_cache_mode = force_generic_plan`);
      const prepared = await client.query(`EXPLAIN EXECUTE prepared (${given.join(", ")})`);
      plans.push(...[...rows, ...prepared.rows].map((row) => row["QUERY PLAN"]));
    } finally {
      client.release(true);
    }
    return pool.query(text, [...values]);
  },
};
beforeEach(() => {
  plans.length = 0;
});

it("fifty of five hundred objects are found without a look at the rest", async () => {
  const found = await dueObjects({ pool: explaining, names, occasions: ["products"] });
  expect(new Set(found).size).toBe(50);
  expect(plans.join()).toContain("backend_billing_records_byDue");
  expect(plans.join()).not.toMatch(/Seq Scan|Sort/);
});

it("the oldest change of an object is found by the object though nothing waited when statistics were made", async () => {
  const insert = `INSERT INTO ${names.records} (kind, id, revision, ref, due, data)
    SELECT 'change', format('products prod_%s 000000000000001', o), 1, 'products prod_' || o, 5, '{}' FROM generate_series(1, 1000) o`;
  await pool.query(`TRUNCATE ${names.records}`);
  await pool.query(insert);
  await pool.query(`DELETE FROM ${names.records}; INSERT INTO ${names.records} (kind, id, revision, data)
    VALUES ('setting', 'any', 1, '{}')`);
  await pool.query("VACUUM ANALYZE");
  await pool.query(insert);
  const head = await headOf(explaining, names, "products prod_7");
  expect(head?.id).toBe("products prod_7 000000000000001");
  expect(plans.join()).toContain("backend_billing_records_byRef");
  expect(plans.join()).not.toMatch(/byDue|Seq Scan|Sort/);
});
