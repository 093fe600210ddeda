/**
 * Tells the changes of rows to the application. A worker locks an object, reads its oldest change after
 * that, and goes by what it reads: so the changes of an object are told in their order, by one worker
 * at a time. What a handler writes is committed together with the mark that it was told.
 */
import { HORIZON } from "../../core/mirror/due.js";
import type { StoredRecord } from "../../core/mirror/store.js";
import {
  type Attempt,
  advanced,
  attempt,
  DELIVERY_TIMING,
  type Delivery,
  type DeliveryTiming,
} from "../../core/reactions/delivery.js";
import { type Connection, type PoolLike, type Queryable, transaction } from "../database.js";
import { putHeld } from "../store/leases.js";
import type { Names } from "../store/names.js";
import { type RawRecord, recordFrom } from "../store/raw.js";

/** What is to be told of a change, to one handler. */
export interface Telling {
  /** Under this name it is remembered as told. */
  readonly name: string;
  /** Everything it writes must go through `tx`, which ends with the call. */
  call(tx: Queryable): Promise<unknown>;
}

export interface DeliverOptions {
  readonly pool: PoolLike;
  readonly names: Names;
  /** The resources that this process has handlers for: others are left to other processes. */
  readonly resources: readonly string[];
  /** What is to be told of a change, in this order. */
  tellings(change: Delivery): Promise<readonly Telling[]>;
  /** Called when a handler has failed, or took too long. */
  failed?(change: Delivery, name: string, error: unknown): void;
  readonly timing?: DeliveryTiming;
}

/** What became of one look for something to tell. */
export type Delivered = "told" | "failed" | "parked" | "nothing";

/** Objects that are looked at before a worker gives up: others may hold the first of them. */
const LOOKED_AT = 50;
/** Milliseconds more than a handler may take, until PostgreSQL ends the transaction of a host that vanished. */
const VANISHED = 5_000;

const VANISHING = "SELECT set_config('idle_in_transaction_session_timeout', $1, true)";

/** The handler has ended its transaction, and with it the lock on the object. */
class Overtaken extends Error {
  constructor() {
    super(
      "The change was told by another worker meanwhile, so what this handler wrote was taken back. A handler must not end the transaction that it is given.",
    );
  }
}

class TooSlow extends Error {
  constructor(limit: number) {
    super(
      `The handler took longer than ${limit / 1000} seconds, and what it wrote was taken back. Do what takes long elsewhere, such as in a job that the handler stores.`,
    );
  }
}

/** Tells one thing that is due, if there is any. Any number of workers may call it at once. */
export async function deliverOne(options: DeliverOptions): Promise<Delivered> {
  for (const ref of await dueObjects(options)) {
    const delivered = await deliverTo(options, ref);
    if (delivered !== "nothing") return delivered;
  }
  return "nothing";
}

const NOW = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** Later than anything is put off: a machine whose clock was wrong wrote it down. */
const BEYOND = `${NOW} + ${2 * HORIZON}`;

/** The objects whose oldest change is due, the longest waiting first. What is parked has no due time. */
async function dueObjects({ pool, names, resources }: DeliverOptions): Promise<readonly string[]> {
  // Each by the index: one condition with OR would have to look through everything that waits.
  const heads = (due: string) => `(SELECT r.ref FROM ${names.records} r
     WHERE r.kind = 'change' AND r.due ${due} AND split_part(r.ref, ' ', 1) = ANY($1)
       AND NOT EXISTS (SELECT FROM ${names.records} e WHERE e.kind = 'change' AND e.ref = r.ref
         AND e.id < r.id AND e.due IS NOT NULL)
     ORDER BY r.due LIMIT ${LOOKED_AT})`;
  const { rows } = await pool.query(`${heads(`<= ${NOW}`)} UNION ALL ${heads(`> ${BEYOND}`)}`, [
    resources,
  ]);
  return (rows as { ref: string }[]).map(({ ref }) => ref);
}

async function deliverTo(options: DeliverOptions, ref: string): Promise<Delivered> {
  const { pool, names, tellings, failed, timing = DELIVERY_TIMING } = options;
  const head = await transaction(pool, (tx) => lockedHead(options, tx, ref));
  if (head === undefined) return "nothing";
  const change = head.data as unknown as Delivery;
  const all = await tellings(change);
  const [next, ...more] = all.filter(({ name }) => !change.done?.includes(name));
  if (next === undefined) return (await putHeld(pool, names, head, null)) ? "told" : "nothing";
  const tried = await countAttempt(options, head);
  if (tried === undefined) return "nothing";
  if (tried.isParked) return "parked";
  const held = { ...head, revision: head.revision + 1 };
  try {
    return await inTime(pool, timing, async (tx) => {
      const still = await lockedHead(options, tx, ref, false);
      if (still?.id !== held.id || still.revision !== held.revision) return "nothing";
      await next.call(tx);
      const left = more.length === 0 ? null : stored(advanced(change, next.name), 0);
      if (!(await putHeld(tx, names, held, left))) throw new Overtaken();
      return "told";
    });
  } catch (error) {
    failed?.(change, next.name, error);
    return "failed";
  }
}

/** An object's oldest change, and the database's time at which it was read. */
type Head = StoredRecord & { readonly now: number };

/** It, once the object is locked for this transaction; undefined if it is not to be told now. */
async function lockedHead(
  { names }: DeliverOptions,
  tx: Queryable,
  ref: string,
  onlyDue = true,
): Promise<Head | undefined> {
  const lock = `SELECT pg_try_advisory_xact_lock(hashtextextended('backend_billing change ' || $1, 0)) AS ok`;
  const [locked] = (await tx.query(lock, [ref])).rows as { ok: boolean }[];
  if (!locked?.ok) return undefined;
  // A statement of its own: it must see what was committed before the lock was free.
  // mutant "changes are told in the order of time": ORDER BY id -> ORDER BY due
  // mutant "what is parked blocks others": AND due IS NOT NULL ORDER -> ORDER
  const { rows } = await tx.query(
    `SELECT kind, id, revision, ref, due, data, ${NOW} AS now, due <= ${NOW} OR due > ${BEYOND} AS is_due
     FROM ${names.records} WHERE kind = 'change' AND ref = $1 AND due IS NOT NULL ORDER BY id LIMIT 1`,
    [ref],
  );
  const [found] = rows as (RawRecord & { is_due: boolean; now: string | number })[];
  if (found === undefined || (onlyDue && !found.is_due)) return undefined;
  const { is_due: _, now, ...record } = found;
  return { ...recordFrom(record), now: Number(now) };
}

/** Counts an attempt, committed by itself; undefined if another worker was faster. */
async function countAttempt(
  { pool, names, timing = DELIVERY_TIMING }: DeliverOptions,
  head: Head,
): Promise<Attempt | undefined> {
  const tried = attempt(head.data as unknown as Delivery, head.now, timing);
  // mutant "a change is acknowledged before its handler": stored(tried.next, tried.due) -> null
  return (await putHeld(pool, names, head, stored(tried.next, tried.due))) ? tried : undefined;
}

const stored = (next: Delivery, due: number | null): Pick<StoredRecord, "due" | "data"> => ({
  due,
  data: { ...next },
});

/**
 * A transaction that ends with a handler's time. Its connection is closed then, and never given to
 * another caller: the handler may still be using it.
 */
async function inTime<T>(
  pool: PoolLike,
  { limit }: DeliveryTiming,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
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
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      release(true);
      reject(new TooSlow(limit));
    }, limit);
  });
  const working = transaction({ query: lent.query, connect: async () => lent }, async (tx) => {
    await tx.query(VANISHING, [String(limit + VANISHED)]);
    return work(tx);
  });
  working.catch(() => {}); // where it is late, its own end is of no interest
  try {
    return await Promise.race([working, late]);
  } finally {
    clearTimeout(timer);
  }
}
