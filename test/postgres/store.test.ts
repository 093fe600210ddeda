import { migrate } from "../../src/postgres/migrations.js";
import { createPostgresStore } from "../../src/postgres/store.js";
import { describeStore } from "../conformance/store.js";
import { createDatabase, createPool } from "../setup/database.js";

describeStore("PostgreSQL", async () => {
  const database = await createDatabase();
  const pool = createPool(database.url);
  let schemas = 0;
  return {
    // A schema of its own for each behaviour; its name needs quoting, to be sure that it is quoted.
    create: async () => {
      const schema = `Store "${schemas++}"`;
      await migrate(pool, { schema });
      return createPostgresStore({ pool, schema });
    },
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
});
