// The same behaviours through other clients.
import { PGlite } from "@electric-sql/pglite";
import postgres from "postgres";
import { fromPglite, fromPostgresJs } from "../../src/postgres/adapters.js";
import type { PoolLike } from "../../src/postgres/database.js";
import { migrate } from "../../src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../src/postgres/store/store.js";
import { describeStore } from "../../support/conformance/store.js";
import { createDatabase } from "../../support/postgres/database.js";

function overPool(pool: PoolLike, close: () => Promise<void>) {
  let schemas = 0;
  return {
    create: async () => {
      const schema = `store_${schemas++}`;
      await migrate(pool, { schema });
      return createPostgresStore({ pool, schema });
    },
    close,
  };
}

describeStore("PostgreSQL through postgres.js", async () => {
  const database = await createDatabase();
  const sql = postgres(database.url, { max: 8, onnotice: () => {} });
  return overPool(fromPostgresJs(sql), async () => {
    await sql.end();
    await database.drop();
  });
});

describeStore("PGlite", async () => {
  const database = await PGlite.create();
  return overPool(fromPglite(database), () => database.close());
});
