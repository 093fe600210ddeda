// A catalogue with balances, entities with subscriptions of it, and usage on PostgreSQL with a clock of its own.
import type pg from "pg";
import { batch, event } from "../../../../../support/conformance/fixtures.js";
import {
  createDatabase,
  createPool,
  type TestDatabase,
} from "../../../../../support/postgres/database.js";
import { defineCatalogue, usd } from "../../../src/catalogue/index.js";
import { gateReads } from "../../../src/core/subscriptions/gates.js";
import { usageCalls } from "../../../src/core/usage/usage.js";
import { createPostgresStore, migrate } from "../../../src/postgres/index.js";
import { usageIn, usageOn } from "../../../src/postgres/usage/usage.js";

export const catalogue = defineCatalogue({
  app: "acme",
  features: { credits: "credits", calls: { meter: "api_calls" } },
  plans: {
    free: { name: "Free", default: true, features: { credits: { included: 10 } } },
    pro: {
      name: "Pro",
      prices: { monthly: usd("20").monthly(), yearly: usd("200").yearly() },
      features: {
        credits: { included: 100 },
        calls: { included: 1_000, overage: usd("0.01"), cap: 1_500 },
      },
    },
    team: {
      name: "Team",
      prices: { monthly: usd("50").monthly() },
      features: { credits: { included: 500 }, calls: { overage: usd("0.01") } },
    },
  },
});

const DAY = 86_400_000;
/** 15 January 2026, noon. */
export const NOW = Date.UTC(2026, 0, 15, 12);

export interface Subscribed {
  readonly plan: "pro" | "team";
  readonly status?: string;
  readonly from?: number;
  readonly until?: number;
  readonly interval?: "month" | "year";
  readonly cancelAt?: number | null;
}

export async function openUsage() {
  const database: TestDatabase = await createDatabase();
  const pool: pg.Pool = createPool(database.url, { max: 30 });
  await migrate(pool);
  const store = createPostgresStore({ pool });
  const clock = { now: NOW };
  let revision = 0;
  const calls = (usage = usageOn(pool, {})) =>
    usageCalls({
      store: usage,
      catalogue,
      now: () => clock.now,
      gates: gateReads(store, catalogue),
    });
  return {
    pool,
    clock,
    store,
    usage: calls(),
    /** The calls in an open transaction. */
    within: (client: pg.PoolClient) => calls(usageIn(client, {})),
    /** What the mirror has of an entity from now on: one subscription. */
    async subscribe(entityId: string, of: Subscribed): Promise<void> {
      revision += 1_000; // far enough apart that no clock could have mixed them up
      const { plan, status = "active", interval = "month", cancelAt = null } = of;
      const { from = Date.UTC(2026, 0, 10), until = Date.UTC(2026, 1, 10) } = of;
      const customer = `cus_${entityId}`;
      const price = {
        id: `price_${plan}`,
        product: `acme_${plan}`,
        lookup_key: null,
        recurring: { interval, interval_count: 1, usage_type: "licensed" },
      };
      const seconds = { current_period_start: from / 1000, current_period_end: until / 1000 };
      const item = { id: `si_${entityId}`, quantity: 1, price, ...seconds };
      await store.commit({
        ...batch(
          event("customers", customer, 100 + revision),
          event("subscriptions", `sub_${entityId}`, 100 + revision, {
            customer,
            status,
            created: from / 1000,
            schedule: null,
            cancel_at: cancelAt,
            cancel_at_period_end: false,
            billing_cycle_anchor: from / 1000,
            items: { data: [item] },
          }),
        ),
        ...((await store.record("claim", entityId)) === undefined
          ? {
              records: [
                {
                  kind: "claim",
                  id: entityId,
                  expect: 0,
                  next: { ref: customer, due: null, data: {} },
                },
              ],
            }
          : {}),
      });
    },
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

export type Usage = Awaited<ReturnType<typeof openUsage>>;
export const days = (count: number): number => count * DAY;
