// Run by the proof of seats in a process of its own, so that it can be killed: an application that
// adds and removes members in its own table, says so in the same transaction, and does the
// library's background work.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import Stripe from "stripe";
import {
  type BillingExports,
  createBilling,
  type PostgresConfig,
} from "../../packages/backend-billing/src/postgres/index.js";
import type { Change } from "./plan.js";

export interface Order {
  readonly database: string;
  readonly config: Pick<
    PostgresConfig,
    "secret_key" | "webhook_secret" | "base_url" | "timing" | "stripe_options"
  >;
  /** When it all began, by the clock. */
  readonly began: number;
  readonly changes: readonly Change[];
}

/** What it tells: that it works, what it is at, what it has done, and what failed. */
export type Answer =
  | { readonly at: "work" | "counting" | "counted" | "sending" | "sent" }
  | { readonly done: number }
  | { readonly rolledBack: number }
  | { readonly error: string };

/** Milliseconds at most that a count takes, and that a request to Stripe is on its way, each way. */
const SLOW = { count: 300, way: 250 };
const TICK = { every: 700, budget: 2_000 };

const tell = (answer: Answer) => process.send?.(answer);
const upTo = (most: number) => sleep(Math.random() * most);

async function obey({ database, config, began, changes }: Order): Promise<void> {
  const pool = new pg.Pool({ connectionString: database, max: 10 });
  const { billing, store } = createBilling({
    ...config,
    stripe_options: { ...config.stripe_options, httpClient: slowClient() },
    db: pool,
    seats: async (entityId) => {
      tell({ at: "counting" });
      const counted = await pool.query("SELECT count(*) FROM members WHERE team = $1", [entityId]);
      await upTo(SLOW.count); // what is counted gets old
      tell({ at: "counted" });
      return Number(counted.rows[0].count);
    },
  });
  tell({ at: "work" });
  const work = async () => {
    for (;;) {
      await billing.tick({ budget: TICK.budget });
      await sleep(TICK.every);
    }
  };
  await Promise.all([work(), ...changes.map((change) => make(change))]);

  async function make(change: Change): Promise<void> {
    await sleep(Math.max(0, began + change.after - Date.now()));
    if (change.isRolledBackFirst) {
      await transact(pool, store, change, "ROLLBACK");
      tell({ rolledBack: change.id });
    }
    await transact(pool, store, change, "COMMIT");
    tell({ done: change.id });
  }
}

/** One change in one transaction. What a process has done that died before it could say so is not done twice. */
async function transact(
  pool: pg.Pool,
  store: BillingExports["store"],
  { id, entityId, kind, told, open }: Change,
  end: "COMMIT" | "ROLLBACK",
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { seatsChanged } = store.in(client);
    const first = await client.query("INSERT INTO changes VALUES ($1) ON CONFLICT DO NOTHING", [
      id,
    ]);
    if (first.rowCount === 1) {
      if (told === "before") await seatsChanged({ entityId });
      const left = kind === "leave" ? await client.query(LEAVE, [entityId]) : undefined;
      // Where there is nobody to leave, somebody joins.
      if (!left?.rowCount) await client.query("INSERT INTO members (team) VALUES ($1)", [entityId]);
      if (told === "after") await seatsChanged({ entityId });
      await sleep(open);
    }
    await client.query(end);
  } finally {
    client.release();
  }
}

const LEAVE = `DELETE FROM members WHERE id =
  (SELECT id FROM members WHERE team = $1 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)`;

/** The SDK's own client on a slow network: what it sends, and what it hears, is on its way for a while. */
function slowClient(): Stripe.HttpClient {
  const client = Stripe.createNodeHttpClient();
  const send = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    const [, , path, method] = request;
    if (method !== "POST" || !path.startsWith("/v1/subscriptions/")) return send(...request);
    tell({ at: "sending" });
    try {
      await upTo(SLOW.way);
      const answer = await send(...request);
      await upTo(SLOW.way);
      return answer;
    } finally {
      tell({ at: "sent" });
    }
  };
  return client;
}

process.on("message", (order: Order) => {
  obey(order).catch((error: unknown) => {
    tell({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  });
});
process.on("disconnect", () => process.exit());
