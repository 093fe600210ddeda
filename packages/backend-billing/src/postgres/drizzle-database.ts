/**
 * A database as the application has it: a pool, or Drizzle's over one, whose driver is looked up and
 * not imported.
 */
import { BillingError } from "../core/runtime/errors.js";
import { fromPglite, fromPostgresJs, type Pglite, type PostgresJs } from "./adapters.js";
import type { PoolLike, Queryable } from "./database.js";
import { abortable, type Lend, lendAborted, lendFrom, within } from "./reactions/lend.js";
import { inShare, isPg, sharedPool } from "./store/share.js";
import { queryableOf, type Tx } from "./transaction.js";

/** What is used of a Drizzle database. */
export interface DrizzleDatabase {
  /** The client or pool of the driver. */
  readonly $client: object;
  /** Runs something in a transaction. */
  transaction(run: never): Promise<unknown>;
}

/** A pool, or a Drizzle database over `pg`, postgres.js or PGlite. */
export type Database = PoolLike | DrizzleDatabase;

/** The transaction that handlers are given. */
export type TxOf<D> = D extends {
  /** Drizzle's own. */
  transaction(run: (tx: infer T) => Promise<unknown>): unknown;
}
  ? T
  : Queryable;

const isDrizzle = (db: Database): db is DrizzleDatabase => "$client" in db;

export function poolOf(db: Database): PoolLike {
  if (!isDrizzle(db)) return db;
  const client = db.$client;
  const has = (name: string) => typeof (client as Record<string, unknown>)[name] === "function";
  if (has("unsafe") && has("reserve")) return fromPostgresJs(client as PostgresJs);
  if (has("query") && has("connect")) return client as PoolLike;
  if (has("query")) return fromPglite(client as Pglite);
  throw new BillingError(
    "invalid_config",
    "`db` must be a `pg` pool, what `fromPostgresJs` or `fromPglite` makes, or a Drizzle database over one of these.",
  );
}

/** Lends transactions of the kind that the application works with. */
export function lendOf(db: Database, pool: PoolLike): Lend<Tx> {
  return isDrizzle(db)
    ? lendDrizzle(db, pool)
    : ((isPg(pool) ? lendFrom : lendAborted)(sharedPool(pool)) as Lend<Tx>);
}

/**
 * Drizzle opens and ends the transaction. When the time is over it is aborted: what was written is
 * taken back, the lock is free, and whatever the handler still sends is refused.
 */
const lendDrizzle =
  (db: DrizzleDatabase, pool: PoolLike): Lend<Tx> =>
  async <T>(limit: number, work: (tx: Queryable, own: Tx) => Promise<T>) => {
    let abort = (): void => {};
    const run = async (own: Tx): Promise<T> => {
      const tx = queryableOf(own);
      abort = await abortable(tx, limit, pool);
      return work(tx, own);
    };
    const working = inShare(pool, () => db.transaction(run as never) as Promise<T>);
    return within(limit, working, () => abort());
  };
