/**
 * A database as the application has it: a pool, or Drizzle's over one, whose driver is looked up and
 * not imported.
 */
import { BillingError } from "../core/runtime/errors.js";
import { fromPglite, fromPostgresJs, type Pglite, type PostgresJs } from "./adapters.js";
import type { PoolLike, Queryable } from "./database.js";
import { endVanished, type Lend, lendFrom, within } from "./reactions/lend.js";
import { queryableOf, type Tx } from "./transaction.js";

/** What is used of a Drizzle database. */
export interface DrizzleDatabase {
  readonly $client: object;
  transaction(run: (tx: never) => Promise<unknown>): Promise<unknown>;
}

/** A pool, or a Drizzle database over `pg`, postgres.js or PGlite. */
export type Database = PoolLike | DrizzleDatabase;

/** The transaction that handlers are given. */
export type TxOf<D> = D extends { transaction(run: (tx: infer T) => Promise<unknown>): unknown }
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
  return isDrizzle(db) ? lendDrizzle(db, pool) : (lendFrom(pool) as Lend<Tx>);
}

/** Drizzle opens and ends the transaction. When the time is over, PostgreSQL ends its session. */
const lendDrizzle =
  (db: DrizzleDatabase, pool: PoolLike): Lend<Tx> =>
  async <T>(limit: number, work: (tx: Queryable, own: Tx) => Promise<T>) => {
    let session: number | undefined;
    const run = async (own: never): Promise<T> => {
      const tx = queryableOf(own);
      await endVanished(tx, limit);
      const { rows } = await tx.query("SELECT pg_backend_pid() AS pid");
      session = (rows[0] as { pid: number }).pid;
      return work(tx, own);
    };
    return within(limit, db.transaction(run) as Promise<T>, () => {
      if (session === undefined) return;
      pool.query("SELECT pg_terminate_backend($1)", [session]).catch(() => {}); // PostgreSQL ends it later
    });
  };
