// Usage on PostgreSQL, with a clock of its own.
import type pg from "pg";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../../support/postgres/database.js";
import { NOW } from "../../../../../support/usage/cases.js";
import type { CreditsSubject } from "../../../../../support/usage/credits.js";
import type { SharesSubject } from "../../../../../support/usage/shares.js";
import { catalogue, subscriber } from "../../../../../support/usage/world.js";
import type { AnyCatalogue } from "../../../src/core/plans/catalogue.js";
import { gateReads } from "../../../src/core/subscriptions/gates.js";
import { usageCalls } from "../../../src/core/usage/usage.js";
import { createPostgresStore, migrate } from "../../../src/postgres/index.js";
import { creditsOn } from "../../../src/postgres/usage/credits.js";
import { sharesOn } from "../../../src/postgres/usage/shares.js";
import { usageIn, usageOn } from "../../../src/postgres/usage/usage.js";

const RECORDS = `SELECT key, amount::float8, over::float8, billed
  FROM billing.backend_billing_usage_records WHERE entity_id = $1 ORDER BY key`;

export async function openUsage() {
  const database: TestDatabase = await createDatabase();
  const pool: pg.Pool = createPool(database.url, { max: 30 });
  await migrate(pool);
  const store = createPostgresStore({ pool });
  const clock = { now: NOW };
  const gates = gateReads(store, catalogue);
  const calls = (usage = usageOn(pool, {}), by: AnyCatalogue = catalogue) =>
    usageCalls({ store: usage, catalogue: by, now: () => clock.now, gates });
  /** By an edited catalogue. */
  const usageBy = (edited: AnyCatalogue) => calls(undefined, edited);
  const credits = creditsOn(pool, {}, catalogue);
  return {
    pool,
    clock,
    usage: calls(),
    usageBy,
    store,
    shares: sharesOn(pool, {}, catalogue),
    settle: (sessionId) => credits.settle(sessionId, clock.now),
    subscribe: subscriber(store),
    records: async (entityId) => (await pool.query(RECORDS, [entityId])).rows,
    async undone(work) {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        await work(calls(usageIn(client, {})));
        await client.query("ROLLBACK");
      } finally {
        client.release();
      }
    },
    async close() {
      await pool.end();
      await database.drop();
    },
  } satisfies CreditsSubject & SharesSubject & { readonly pool: pg.Pool; usageBy: typeof usageBy };
}
