/**
 * The library's share of a pool that the application may use too. A statement that waits for a lock
 * keeps its connection, so without a bound one locked table would take every connection of the pool.
 */
import type { Connection, PoolLike } from "../database.js";

/** The part of a pool's connections that the library takes at most; at least one. */
const SHARE = 0.75;
/** `pg`'s own default. */
const DEFAULT_MAX = 10;

/** What a pool of `pg` says of itself. */
interface PgPool extends PoolLike {
  readonly options?: { readonly max?: number; readonly connectionTimeoutMillis?: number };
}

/** Nothing else has these counts; a stranger with `query` alone may not know named statements. */
export function isPg(pool: PoolLike): pool is PgPool {
  return "totalCount" in pool && "idleCount" in pool && "waitingCount" in pool;
}

const LOCK_TIMEOUT = 10_000;

/**
 * How a transaction of the library's own begins: no lock is waited for longer than that. In one
 * message, so it costs no round trip; other clients than `pg` may not take two statements at once.
 */
export const beginOn = (pool: PoolLike, lockTimeout = LOCK_TIMEOUT): string =>
  isPg(pool) ? `BEGIN; SET LOCAL lock_timeout = ${Math.round(lockTimeout)}` : "BEGIN";

/** How many connections of a pool with so many the library takes at once. */
export function shareOf(max: number): number {
  return Math.max(1, Math.floor(max * SHARE));
}

/** One share for each pool, however many stores are on it. */
const shares = new WeakMap<PoolLike, { readonly pool: PoolLike; readonly slots: Slots }>();

/** The pool with no more than the library's share in use. Other clients than `pg` bound themselves. */
export const sharedPool = (pool: PoolLike): PoolLike => shareIn(pool)?.pool ?? pool;

function shareIn(pool: PoolLike) {
  if (!isPg(pool)) return undefined;
  const known = shares.get(pool);
  if (known !== undefined) return known;
  const { max = DEFAULT_MAX, connectionTimeoutMillis = 0 } = pool.options ?? {};
  const slots = createSlots(shareOf(max), connectionTimeoutMillis);
  const made = { pool: bounded(pool, slots), slots };
  shares.set(pool, made);
  return made;
}

/** Runs what takes a connection of the pool by other means, as a part of the library's share. */
export async function inShare<T>(pool: PoolLike, work: () => Promise<T>): Promise<T> {
  const { slots } = shareIn(pool) ?? {};
  if (slots !== undefined && !slots.take()) await slots.wait();
  try {
    return await work();
  } finally {
    slots?.give();
  }
}

function bounded(pool: PoolLike, slots: Slots): PoolLike {
  return {
    query: async (...args) => {
      if (!slots.take()) await slots.wait();
      try {
        return await pool.query(...args);
      } finally {
        slots.give();
      }
    },
    connect: async () => {
      if (!slots.take()) await slots.wait();
      try {
        return lent(await pool.connect(), slots);
      } catch (error) {
        slots.give();
        throw error;
      }
    },
  };
}

/** A connection that gives its slot back when it is released. */
function lent(connection: Connection, slots: Slots): Connection {
  return {
    query: (...args) => connection.query(...args),
    on: (event, listener) => connection.on?.(event, listener),
    removeListener: (event, listener) => connection.removeListener?.(event, listener),
    release: (destroy) => {
      connection.release(destroy);
      slots.give();
    },
  };
}

interface Slots {
  /** Takes a slot if one is free. */
  take(): boolean;
  /** Waits for a slot, in the order of arrival, no longer than the pool would let wait. */
  wait(): Promise<void>;
  give(): void;
}

function createSlots(count: number, patience: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();
  return {
    take: () => {
      if (free === 0) return false;
      free--;
      return true;
    },
    wait: () =>
      new Promise((resolve, reject) => {
        let timer: NodeJS.Timeout | undefined;
        const enter = () => {
          clearTimeout(timer);
          resolve();
        };
        waiting.add(enter);
        if (patience <= 0) return;
        timer = setTimeout(() => {
          waiting.delete(enter);
          reject(new Error("timeout exceeded when trying to connect")); // in the words of `pg`
        }, patience);
      }),
    give: () => {
      const [next] = waiting;
      if (next === undefined) free++;
      else {
        waiting.delete(next);
        next();
      }
    },
  };
}
