// The same behaviours through other clients.
import { PGlite } from "@electric-sql/pglite";
import postgres from "postgres";
import { postgresSubject } from "../../../../support/conformance/postgres.js";
import { describeStore } from "../../../../support/conformance/store.js";
import { createDatabase } from "../../../../support/postgres/database.js";
import { fromPglite, fromPostgresJs } from "../../src/postgres/adapters.js";

describeStore("PostgreSQL through postgres.js", async () => {
  const database = await createDatabase();
  const sql = postgres(database.url, { max: 8, onnotice: () => {} });
  return postgresSubject(fromPostgresJs(sql), async () => {
    await sql.end();
    await database.drop();
  });
});

describeStore("PGlite", async () => {
  const database = await PGlite.create();
  return postgresSubject(fromPglite(database), () => database.close());
});
