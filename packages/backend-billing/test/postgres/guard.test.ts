import { describeGuard } from "../../../../support/guard/describe.js";
import { openPostgres } from "../../../../support/guard/stores/postgres.js";
import { createDatabase, createPool } from "../../../../support/postgres/database.js";

describeGuard(
  "postgres",
  async () => {
    const database = await createDatabase();
    const pool = createPool(database.url);
    const store = await openPostgres(pool, "guard");
    return {
      ...store,
      close: async () => {
        await pool.end();
        await database.drop();
      },
    };
  },
  { few: 5, many: 12 },
);
