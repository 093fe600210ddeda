/** Transactions that are lent to handlers, for a time. */
import { type Connection, type PoolLike, type Queryable, transaction } from "../database.js";
import { isNotPrepared, type Prepared, queryableBy } from "../store/prepared.js";

/**
 * Runs work in a transaction for so many milliseconds: `tx` runs statements in it, `own` is what the
 * application is given. Rejects when the time is over; whatever was written is taken back then.
 */
export type Lend<Tx> = <T>(
  limit: number,
  work: (tx: Queryable, own: Tx) => Promise<T>,
) => Promise<T>;

/** A statement could not be prepared, and took its transaction back. From then on it is sent as it is. */
class NotPrepared extends Error {}

/** The same, where the library's own statements are prepared: `tx` runs those, `own` is as it was. */
export const lendPrepared =
  <Tx>(lend: Lend<Tx>, { on }: Prepared): Lend<Tx> =>
  (limit, work) => {
    const working: typeof work = (tx, own) => {
      const run = on(tx);
      const prepared = queryableBy((statement) =>
        run(statement).catch((cause: unknown) => {
          throw isNotPrepared(cause) ? new NotPrepared("", { cause }) : cause;
        }),
      );
      return work(prepared, own);
    };
    return lend(limit, working).catch((error: unknown) => {
      if (error instanceof NotPrepared) return lend(limit, working);
      throw error;
    });
  };

class TooSlow extends Error {
  constructor(limit: number) {
    super(
      `The handler took longer than ${limit / 1000} seconds, and what it wrote was taken back. Do what takes long elsewhere, such as in a job that the handler stores.`,
    );
  }
}

/** Milliseconds more than a handler may take, until PostgreSQL ends the transaction of a host that vanished. */
const VANISHED = 5_000;
const TIMEOUT = "idle_in_transaction_session_timeout";

/**
 * On connections of a pool of `pg`. One whose time is over is closed, and never given to another
 * caller: the handler may still be using it.
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
    const working = transaction(
      { query: lent.query, connect: async () => lent },
      (tx) => work(tx, connection),
      `BEGIN; SET LOCAL ${TIMEOUT} = ${Math.ceil(limit) + VANISHED}`, // in one message
    );
    return within(limit, working, () => release(true));
  };

/** On connections of other clients, which cannot be closed one by one: the transaction is aborted. */
export const lendAborted =
  (pool: PoolLike): Lend<Queryable> =>
  async (limit, work) => {
    let abort = (): void => {};
    const working = transaction(pool, async (tx) => {
      abort = await abortable(tx, limit, pool);
      return work(tx, tx);
    });
    return within(limit, working, () => abort());
  };

/**
 * What aborts a transaction: everything written is taken back, its locks are free, and whatever is still
 * sent in it is refused. PostgreSQL ends it by itself some time after its process should have.
 */
export async function abortable(tx: Queryable, limit: number, pool: PoolLike): Promise<() => void> {
  const { rows } = await tx.query(
    `SELECT pg_backend_pid() AS pid, set_config('${TIMEOUT}', $1, true)`,
    [String(Math.ceil(limit) + VANISHED)],
  );
  return () => abortOn(tx, (rows[0] as { pid: number }).pid, pool);
}

/** Milliseconds after which a statement that is under way is ended. */
const BUSY = 500;

/** Any error aborts a transaction. A statement that is under way is ended for it. */
function abortOn(tx: Queryable, pid: number, pool: PoolLike): void {
  const timer = setTimeout(() => {
    pool.query("SELECT pg_cancel_backend($1)", [pid]).catch(() => {}); // PostgreSQL ends it later
  }, BUSY);
  const ended = () => clearTimeout(timer);
  tx.query("SELECT 1 / 0").then(ended, ended);
}

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
