// Usage on its way to a meter, on PostgreSQL.
import type pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { describeMeters } from "../../../../../support/meters/cases.js";
import type { Keep } from "../../../../../support/meters/keep.js";
import { keepsOn } from "../../../../../support/meters/postgres.js";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../../support/postgres/database.js";

let database: TestDatabase;
let pool: pg.Pool;
let open: () => Promise<Keep>;
beforeAll(async () => {
  database = await createDatabase();
  pool = createPool(database.url, { max: 20 });
  open = await keepsOn(pool, "shop");
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describeMeters(() => open());
