import { describe, it } from "vitest";
import { postgresSubject } from "../../../../support/conformance/postgres.js";
import { describeStore } from "../../../../support/conformance/store.js";
import { createDatabase, createPool } from "../../../../support/postgres/database.js";
import { olderBinaries, startPostgres } from "../../../../support/postgres/server.js";

describeStore("PostgreSQL", async () => {
  const database = await createDatabase();
  const pool = createPool(database.url);
  return postgresSubject(pool, async () => {
    await pool.end();
    await database.drop();
  });
});

if (olderBinaries === undefined) {
  describe("store: PostgreSQL 15", () => {
    it.skip("skipped: Debian's PostgreSQL 15 is not installed here", () => {});
  });
} else {
  const binaries = olderBinaries;
  describeStore("PostgreSQL 15", async () => {
    const server = await startPostgres({ binaries, settings: { fsync: "off" } });
    const pool = createPool(server.url);
    return postgresSubject(pool, async () => {
      await pool.end();
      await server.stop();
    });
  });
}
