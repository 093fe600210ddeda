// A process that tells changes until it is killed. Its handlers write a row, and misbehave as told.
import pg from "pg";
import { DELIVERY_TIMING } from "../../packages/backend-billing/src/core/reactions/delivery.js";
import { deliverOne } from "../../packages/backend-billing/src/postgres/reactions/deliver.js";
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

const options = {
  pool,
  names: namesIn("billing"),
  resources: ["products"],
  tellings: async (change: { key: string; id: string; after: object | null }) => {
    const { name } = change.after as { name: string };
    return LISTENERS.map((listener) => ({
      name: listener,
      call: async (tx: { query(text: string, values: unknown[]): Promise<unknown> }) => {
        const { does, times } = behaviourOf(change.id, name, listener);
        await tx.query("INSERT INTO effects (listener, object, name) VALUES ($1, $2, $3)", [
          listener,
          change.id,
          Number(name),
        ]);
        if (does === "well" || (await calls(change.key, listener)) > times) return;
        if (does === "crash") process.kill(process.pid, "SIGKILL");
        if (does === "hang") await new Promise(() => {});
        throw new Error("It fails.");
      },
    }));
  },
  timing,
};

async function lane(): Promise<void> {
  for (;;) {
    const delivered = await deliverOne(options).catch(() => "nothing"); // while PostgreSQL is away
    if (delivered === "nothing") await new Promise((resolve) => setTimeout(resolve, IDLE));
  }
}
await Promise.all(Array.from({ length: LANES }, lane));
