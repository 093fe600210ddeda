/** The handler of both ways: it writes a row, and misbehaves as told. */
import type pg from "pg";
import type { Queryable } from "../../packages/backend-billing/src/postgres/database.js";
import { behaviourOf } from "./behaviour.js";

export interface Told {
  readonly object: string;
  /** The number of its change. */
  readonly name: string;
}

export type Handle = (listener: string, told: Told, tx: Queryable) => Promise<void>;

/** `aside` is a pool for what is remembered of calls that are taken back. */
export const handlerWith =
  (aside: pg.Pool): Handle =>
  async (listener, { object, name }, tx) => {
    await tx.query("INSERT INTO effects (listener, object, name) VALUES ($1, $2, $3)", [
      listener,
      object,
      Number(name),
    ]);
    if (process.env.CALM !== undefined) return;
    const { does, times } = behaviourOf(object, name, listener);
    if (does === "well") return;
    /** How often this handler was called for this, this time included. */
    const { rows } = await aside.query<{ n: number }>(
      `INSERT INTO calls (listener, object, name, n) VALUES ($1, $2, $3, 1)
       ON CONFLICT (listener, object, name) DO UPDATE SET n = calls.n + 1 RETURNING n`,
      [listener, object, Number(name)],
    );
    if ((rows[0]?.n ?? 1) > times) return;
    if (does === "crash") process.kill(process.pid, "SIGKILL");
    if (does === "hang") await new Promise(() => {});
    throw new Error("It fails.");
  };

/** A pool of a worker. PostgreSQL is restarted now and then. */
export function connect(Pool: typeof pg.Pool, max: number): pg.Pool {
  const pool = new Pool({ connectionString: process.argv[2], max });
  pool.on("error", () => {});
  return pool;
}
