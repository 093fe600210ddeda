// Stripe lets a product's name and the ids that their maker chooses be 5,000 characters long, and
// PostgreSQL indexes at most 2,704 bytes of one row. No index may refuse what Stripe accepts.
import type pg from "pg";
import { beforeEach, expect, it } from "vitest";
import { batch, created, event } from "../../../../support/conformance/fixtures.js";
import { longText } from "../../../../support/long-text.js";
import { databaseOfEachTest } from "../../../../support/postgres/database.js";
import { applySteps, migrate } from "../../src/postgres/schema/migrations.js";
import { allSteps } from "../../src/postgres/schema/steps.js";
import { createPostgresStore } from "../../src/postgres/store/store.js";

const own = databaseOfEachTest();
let pool: pg.Pool;
beforeEach(() => {
  pool = own.pool;
});

const name = longText(5000);

it("stores a product whose name is as long as Stripe allows", async () => {
  await migrate(pool);
  const store = createPostgresStore({ pool });
  await store.commit(batch(created("products", "prod_1", 100, { name, active: true })));
  expect((await store.row("products", "prod_1"))?.stripe.name).toBe(name);
});

it("mends the index of a database that has rows already", async () => {
  const first = allSteps.filter(({ id }) => id.startsWith("0001_"));
  await applySteps(pool, "billing", first);
  const store = createPostgresStore({ pool });
  await store.commit(batch(created("products", "prod_1", 100, { name: "short" })));
  const rename = batch(event("products", "prod_1", 200, { name }));
  await expect(store.commit(rename)).rejects.toThrow();
  await migrate(pool);
  await store.commit(rename);
  expect((await store.row("products", "prod_1"))?.stripe.name).toBe(name);
});

it("finds a product by its whole name through the index of its beginning", async () => {
  await migrate(pool);
  const store = createPostgresStore({ pool });
  const twin = `${name.slice(0, 4999)}x`;
  const made = [name, twin].map((each, n) => created("products", `prod_${n}`, 100, { name: each }));
  await store.commit(batch(...made));
  const text = `SELECT product_id FROM billing.backend_billing_products
    WHERE left(stripe ->> 'name', 200) = left($1, 200) AND stripe ->> 'name' = $1`;
  expect((await pool.query(text, [twin])).rows).toEqual([{ product_id: "prod_1" }]);
  const client = await pool.connect();
  await client.query("SET enable_seqscan = off");
  const { rows } = await client.query(`EXPLAIN ${text}`, [twin]);
  client.release(true);
  expect(JSON.stringify(rows)).toContain("backend_billing_products_byName");
});
