import { describe, it } from "vitest";
import type { PoolLike } from "../../src/postgres/database.js";
import { migrate } from "../../src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../src/postgres/store/store.js";
import { describeStore } from "../../support/conformance/store.js";
import { createDatabase, createPool } from "../../support/postgres/database.js";
import { olderBinaries, startPostgres } from "../../support/postgres/server.js";

function overPool(pool: PoolLike, close: () => Promise<void>) {
  let schemas = 0;
  return {
    // A schema of its own for each behaviour; its name needs quoting, to be sure that it is quoted.
    create: async () => {
      const schema = `Store "${schemas++}"`;
      await migrate(pool, { schema });
      return createPostgresStore({ pool, schema });
    },
    close,
  };
}

describeStore("PostgreSQL", async () => {
  const database = await createDatabase();
  const pool = createPool(database.url);
  return overPool(pool, async () => {
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
    return overPool(pool, async () => {
      await pool.end();
      await server.stop();
    });
  });
}
