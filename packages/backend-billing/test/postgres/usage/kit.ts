// Usage on PostgreSQL, with a clock of its own.
import type pg from "pg";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../../support/postgres/database.js";
import { catalogue, type Subscribed, subscriber } from "../../../../../support/usage/world.js";
import { gateReads } from "../../../src/core/subscriptions/gates.js";
import { usageCalls } from "../../../src/core/usage/usage.js";
import { createPostgresStore, migrate } from "../../../src/postgres/index.js";
import { usageIn, usageOn } from "../../../src/postgres/usage/usage.js";

/** 15 January 2026, noon. */
export const NOW = Date.UTC(2026, 0, 15, 12);
const JANUARY = { from: Date.UTC(2026, 0, 10), until: Date.UTC(2026, 1, 10) };

export async function openUsage() {
  const database: TestDatabase = await createDatabase();
  const pool: pg.Pool = createPool(database.url, { max: 30 });
  await migrate(pool);
  const store = createPostgresStore({ pool });
  const clock = { now: NOW };
  const gates = gateReads(store, catalogue);
  const calls = (usage = usageOn(pool, {})) =>
    usageCalls({ store: usage, catalogue, now: () => clock.now, gates });
  const subscribe = subscriber(store);
  return {
    pool,
    clock,
    usage: calls(),
    /** The calls in an open transaction. */
    within: (client: pg.PoolClient) => calls(usageIn(client, {})),
    /** What the mirror has of an entity from now on: one subscription. */
    subscribe: (entityId: string, of: Partial<Subscribed> & Pick<Subscribed, "plan">) =>
      subscribe(entityId, { ...JANUARY, ...of }),
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

export type Usage = Awaited<ReturnType<typeof openUsage>>;
