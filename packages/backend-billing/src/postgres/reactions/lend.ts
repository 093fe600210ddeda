/** Transactions that are lent to handlers, for a time. */
import { type Connection, type PoolLike, type Queryable, transaction } from "../database.js";

/**
 * Runs work in a transaction for so many milliseconds: `tx` runs statements in it, `own` is what the
 * application is given. Rejects when the time is over; whatever was written is taken back then.
 */
export type Lend<Tx> = <T>(
  limit: number,
  work: (tx: Queryable, own: Tx) => Promise<T>,
) => Promise<T>;

class TooSlow extends Error {
  constructor(limit: number) {
    super(
      `The handler took longer than ${limit / 1000} seconds, and what it wrote was taken back. Do what takes long elsewhere, such as in a job that the handler stores.`,
    );
  }
}

/** Milliseconds more than a handler may take, until PostgreSQL ends the transaction of a host that vanished. */
const VANISHED = 5_000;

/** Has PostgreSQL end the transaction some time after its own process should have. */
export const endVanished = (tx: Queryable, limit: number): Promise<unknown> =>
  tx.query("SELECT set_config('idle_in_transaction_session_timeout', $1, true)", [
    String(limit + VANISHED),
  ]);

/**
 * On connections of a pool. One whose time is over is closed, and never given to another caller: the
 * handler may still be using it.
 */
export const lendFrom =
  (pool: PoolLike): Lend<Queryable> =>
  async (limit, work) => {
    const connection = await pool.connect();
    let isLent = true;
    const release = (destroy?: boolean): void => {
      if (!isLent) return;
      isLent = false;
      connection.release(destroy);
    };
    const lent: Connection = {
      query: (text, values) => connection.query(text, values),
      on: (event, listener) => connection.on?.(event, listener),
      removeListener: (event, listener) => connection.removeListener?.(event, listener),
      release,
    };
    const working = transaction({ query: lent.query, connect: async () => lent }, async (tx) => {
      await endVanished(tx, limit);
      return work(tx, connection);
    });
    return within(limit, working, () => release(true));
  };

/** The work's answer, unless its time is over before. */
export async function within<T>(limit: number, working: Promise<T>, end: () => void): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      end();
      reject(new TooSlow(limit));
    }, limit);
  });
  working.catch(() => {}); // where it is late, its own end is of no interest
  try {
    return await Promise.race([working, late]);
  } finally {
    clearTimeout(timer);
  }
}
