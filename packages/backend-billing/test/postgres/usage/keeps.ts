/** A database of its own for the tests of a file, in which usage on its way to a meter is kept. */
import type pg from "pg";
import { afterAll, beforeAll } from "vitest";
import type { Keep } from "../../../../../support/meters/keep.js";
import { keepsOn } from "../../../../../support/meters/postgres.js";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../../support/postgres/database.js";

export interface Keeps {
  /** Empties the schema, and answers what is kept there. */
  open(): Promise<Keep>;
  readonly pool: pg.Pool;
}

export function keepsIn(schema: string): Keeps {
  let database: TestDatabase;
  let pool: pg.Pool;
  let open: () => Promise<Keep>;
  beforeAll(async () => {
    database = await createDatabase();
    pool = createPool(database.url, { max: 20 });
    open = await keepsOn(pool, schema);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  return {
    open: () => open(),
    get pool() {
      return pool;
    },
  };
}
