// Each index of the specification is used, and the store reads no table from end to end: here on
// twenty thousand rows in each table, and on a million with npm run indexes.
import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../support/postgres/database.js";
import { fillTables, indexesUsed, readsUsed } from "./index-use.js";

const ROWS = Number(process.env.INDEX_ROWS ?? 20_000);
let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = createPool(database.url);
  await fillTables(pool, ROWS);
}, 1_800_000);
afterAll(async () => {
  await pool.end();
  await database.drop();
});

it("the tables are as large as they are said to be", async () => {
  const { rows } = await pool.query(
    "SELECT count(*)::int AS n FROM billing.backend_billing_subscriptions",
  );
  expect(rows[0].n).toBe(ROWS);
  console.log(`${ROWS.toLocaleString("en")} rows in each table`);
});

it("PostgreSQL uses each of the specification's indexes", async () => {
  const uses = await indexesUsed(pool);
  expect(uses.filter(({ name, indexes }) => !indexes.includes(name))).toEqual([]);
  expect(uses.length).toBeGreaterThanOrEqual(16);
});

it("the store's reads by key look things up in indexes alone", async () => {
  const uses = await readsUsed(pool);
  expect(uses.filter(({ scanned }) => scanned.length > 0)).toEqual([]);
});

it("what is known of an entity's subscriptions is one query", async () => {
  const [subscribed] = (await readsUsed(pool)).filter(({ name }) => name === "store.subscribed");
  expect(subscribed).toMatchObject({ statements: 1, scanned: [] });
  expect(subscribed?.indexes).toEqual(
    expect.arrayContaining([
      "backend_billing_customers_byEntityId",
      "backend_billing_subscriptions_byCustomerId",
      "backend_billing_products_byProductId",
      "backend_billing_invoices_bySubscriptionId",
    ]),
  );
});

it("the active subscriptions of an entity are one query", async () => {
  const [active] = (await readsUsed(pool)).filter(({ name }) =>
    name.includes("activeSubscriptions"),
  );
  expect(active).toMatchObject({ statements: 1, scanned: [] });
  expect(active?.indexes).toEqual(
    expect.arrayContaining([
      "backend_billing_customers_byEntityId",
      "backend_billing_subscriptions_byCustomerId",
    ]),
  );
});
