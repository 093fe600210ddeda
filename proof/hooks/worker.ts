// A process that tells changes until it is killed. Its handlers write a row, and misbehave as told.
import pg from "pg";
import {
  DELIVERY_TIMING,
  type Delivery,
} from "../../packages/backend-billing/src/core/reactions/delivery.js";
import type { Queryable } from "../../packages/backend-billing/src/postgres/database.js";
import type { DeliverOptions } from "../../packages/backend-billing/src/postgres/reactions/deliver.js";
import { lendFrom } from "../../packages/backend-billing/src/postgres/reactions/lend.js";
import { deliverDue } from "../../packages/backend-billing/src/postgres/reactions/workers.js";
import { namesIn } from "../../packages/backend-billing/src/postgres/store/names.js";
import { behaviourOf, LISTENERS } from "./behaviour.js";

const LANES = 4;
const IDLE = 20;
const timing = {
  ...DELIVERY_TIMING,
  limit: 1_000,
  pause: 100,
  longestPause: 3_000,
  patience: Number(process.env.PATIENCE),
};
const [url] = process.argv.slice(2);
const connect = (max: number) => {
  const pool = new pg.Pool({ connectionString: url, max });
  pool.on("error", () => {}); // PostgreSQL is restarted now and then
  return pool;
};
const pool = connect(2 * LANES);
const aside = connect(LANES);

/** How often this handler was called for this, this time included. */
async function calls(key: string, listener: string): Promise<number> {
  const { rows } = await aside.query<{ n: number }>(
    `INSERT INTO calls VALUES ($1, $2, 1) ON CONFLICT (key, listener) DO UPDATE SET n = calls.n + 1 RETURNING n`,
    [key, listener],
  );
  return rows[0]?.n ?? 1;
}

const options: DeliverOptions<Queryable> = {
  pool,
  names: namesIn("billing"),
  occasions: ["products"],
  lend: lendFrom(pool),
  tellings: async (change) => ({
    all: LISTENERS.map((name) => ({ name, to: name, payload: change })),
    writes: [],
    requests: [],
  }),
  handler: ({ to: listener, payload }) => {
    const { key, id, after } = payload as Delivery;
    const { name } = after as { name: string };
    return async (tx) => {
      const { does, times } = behaviourOf(id, name, listener);
      await tx.query("INSERT INTO effects (listener, object, name) VALUES ($1, $2, $3)", [
        listener,
        id,
        Number(name),
      ]);
      if (does === "well" || (await calls(key, listener)) > times) return;
      if (does === "crash") process.kill(process.pid, "SIGKILL");
      if (does === "hang") await new Promise(() => {});
      throw new Error("It fails.");
    };
  },
  timing,
};

for (;;) {
  const told = await deliverDue(options, LANES).catch(() => 0); // while PostgreSQL is away
  if (told === 0) await new Promise((resolve) => setTimeout(resolve, IDLE));
}
