import { createDatabase, createPool } from "../setup/database.js";
import { describeConvergence } from "./describe.js";
import { openPostgres } from "./postgres-store.js";

describeConvergence(
  "postgres",
  async () => {
    const database = await createDatabase();
    const pool = createPool(database.url);
    const store = await openPostgres(pool, "convergence");
    return {
      ...store,
      close: async () => {
        await pool.end();
        await database.drop();
      },
    };
  },
  { histories: 1_000 },
);
