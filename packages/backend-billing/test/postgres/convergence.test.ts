import { describeConvergence } from "../../../../support/convergence/describe.js";
import { openPostgres } from "../../../../support/convergence/stores/postgres.js";
import { createDatabase, createPool } from "../../../../support/postgres/database.js";

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
  { histories: 150 },
);
