/**
 * Tells the changes of rows to the application. A worker locks an object, reads its oldest change after
 * that, and goes by what it reads: so the changes of an object are told in their order, by one worker
 * at a time. What a handler writes is committed together with the mark that it was told.
 */
import { beyond } from "../../core/mirror/due.js";
import { LISTENING, type StoredListening } from "../../core/mirror/listening.js";
import type { StoredRecord } from "../../core/mirror/store.js";
import {
  type Attempt,
  advanced,
  attempt,
  DELIVERY_TIMING,
  type Delivery,
  type DeliveryTiming,
  deliveryIn,
} from "../../core/reactions/delivery.js";
import type { Telling, Tellings } from "../../core/reactions/telling/context.js";
import type { PoolLike, Queryable } from "../database.js";
import { putHeld, putRecord, requestRecord } from "../store/leases.js";
import type { Names } from "../store/names.js";
import { type RawRecord, recordFrom } from "../store/raw.js";
import type { Lend } from "./lend.js";

export interface DeliverOptions<Tx> {
  readonly pool: PoolLike;
  readonly names: Names;
  /** What this process has handlers for: the rest is left to other processes. */
  readonly occasions: readonly string[];
  /** Runs a handler's work in a transaction, for so many milliseconds. */
  readonly lend: Lend<Tx>;
  /** What is to be told of a change, read in the transaction; `listening` is what any process listens to. */
  tellings(
    change: Delivery,
    tx: Queryable,
    listening: StoredListening | undefined,
  ): Promise<Tellings>;
  /** Calls a handler; undefined if this process has none. Everything it writes must go through `tx`. */
  handler(telling: Telling): ((tx: Tx) => Promise<unknown>) | undefined;
  /** Called with what became of a telling. */
  observed?(outcome: Outcome): void;
  readonly timing?: DeliveryTiming;
}

export interface Outcome {
  readonly outcome: "told" | "failed" | "parked";
  readonly change: Delivery;
  /** What was told, or was to be. */
  readonly name: string;
  /** Milliseconds that a handler took. */
  readonly took?: number;
  readonly error?: unknown;
}

/** What became of one look for something to tell. */
export type Delivered = "told" | "failed" | "parked" | "nothing";

/** Objects that are looked at at once: other workers may hold the first of them. */
const LOOKED_AT = 50;
/** Milliseconds after which another worker may look whether it has the handler that this one lacks. */
const LEFT = 1_000;

/** The handler has ended its transaction, and with it the lock on the object. */
class Overtaken extends Error {
  constructor() {
    super(
      "The change was told by another worker meanwhile, so what this handler wrote was taken back. A handler must not end the transaction that it is given.",
    );
  }
}

/** Something that the telling depends on has changed since it was read: it is worked out again. */
class Moved extends Error {}

/** The time of the statement: with `clock_timestamp()`, which moves on within one, no index can be used. */
const NOW = "floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint";

/** Later than anything is put off: a machine whose clock was wrong wrote it down. */
const BEYOND = `${NOW} + ${beyond("change", 0)}`;

/** The objects whose oldest change is due, the longest waiting first. What is parked has no due time. */
export async function dueObjects({
  pool,
  names,
  occasions,
}: Pick<DeliverOptions<never>, "pool" | "names" | "occasions">): Promise<readonly string[]> {
  // Each by the index: one condition with OR would have to look through everything that waits. So it would
  // without CASE, as PostgreSQL takes it that hardly any row has a resource that is asked for.
  const heads = (due: string) => `(SELECT r.ref FROM ${names.records} r
     WHERE r.kind = 'change' AND r.due ${due}
       AND CASE WHEN split_part(r.ref, ' ', 1) = ANY($1) THEN true END
       AND NOT EXISTS (SELECT FROM ${names.records} e WHERE e.kind = 'change' AND e.ref = r.ref
         AND e.id < r.id AND e.due IS NOT NULL)
     ORDER BY r.due LIMIT ${LOOKED_AT})`;
  const { rows } = await pool.query(`${heads(`<= ${NOW}`)} UNION ALL ${heads(`> ${BEYOND}`)}`, [
    occasions,
  ]);
  return (rows as { ref: string }[]).map(({ ref }) => ref);
}

/** Tells the next thing of an object that is due, if there is any. Any number of workers may call it at once. */
export async function deliverTo<Tx>(options: DeliverOptions<Tx>, ref: string): Promise<Delivered> {
  const { pool, names, lend, handler, observed, timing = DELIVERY_TIMING } = options;
  const head = await headOf(pool, names, ref);
  if (head === undefined || !head.isDue) return "nothing";
  const change = deliveryIn(head);
  const tried = await countAttempt(options, head);
  if (tried === undefined) return "nothing";
  if (tried.isParked) {
    observed?.({ outcome: "parked", change, name: change.resource });
    return "parked";
  }
  const held = { ...head, revision: head.revision + 1 };
  /** Where nothing was tried after all, it is as it was, and due after so many milliseconds. */
  const putBack = (on: Queryable, data: Delivery, after: number) =>
    putHeld(on, names, held, stored(data, head.now + after));
  const began = Date.now();
  let name = "";
  try {
    const delivered = await lend(timing.limit, async (tx, own) => {
      if (!(await lock(tx, ref))) {
        // Another worker tells it, and it was asked for again meanwhile: it is not put off for long.
        await putBack(tx, change, LEFT);
        return "nothing";
      }
      const still = await headOf(tx, names, ref);
      if (still?.id !== held.id || still.revision !== held.revision) return "nothing";
      const tellings = await options.tellings(change, tx, still.listening);
      const left = tellings.all.filter((each) => !change.done?.includes(each.name));
      const next = left.find((each) => handler(each) !== undefined);
      if (next !== undefined) {
        name = next.name;
        await handler(next)?.(own);
      } else if (left.length > 0) {
        await putBack(tx, change, LEFT);
        return "nothing";
      }
      await store(options, tx, held, next && advanced(change, next.name), tellings, next);
      return "told";
    });
    if (delivered === "told" && name !== "") {
      observed?.({ outcome: "told", change, name, took: Date.now() - began });
    }
    return delivered;
  } catch (error) {
    if (error instanceof Moved) {
      await putBack(pool, change, 0);
      return "nothing";
    }
    const { pause, next } = tried;
    await putBack(pool, next, Date.now() - began + pause).catch(() => {}); // it is due later, then
    observed?.({ outcome: "failed", change, name, took: Date.now() - began, error });
    return "failed";
  }
}

/** Stores that something was told, with what follows; after the last the change is gone. */
async function store<Tx>(
  { names }: DeliverOptions<Tx>,
  tx: Queryable,
  held: StoredRecord,
  then: Delivery | undefined,
  { all, writes, requests }: Tellings,
  next: Telling | undefined,
): Promise<void> {
  const isLast = all.every(({ name }) => then?.done?.includes(name) ?? true);
  for (const write of [...(next?.writes ?? []), ...(isLast ? writes : [])]) {
    if (!(await putRecord(tx, names, write))) throw new Moved();
  }
  for (const request of isLast ? requests : []) await requestRecord(tx, names, request);
  const left = isLast || then === undefined ? null : stored(then, 0);
  if (await putHeld(tx, names, held, left)) return;
  // An entity's access is to be looked at again: that look stays, and what was told is in its own record.
  if (deliveryIn(held).resource !== "access") throw new Overtaken();
}

/** Locks an object for this transaction; false if another worker has it. */
async function lock(tx: Queryable, ref: string): Promise<boolean> {
  const text =
    "SELECT pg_try_advisory_xact_lock(hashtextextended('backend_billing change ' || $1, 0)) AS ok";
  const [locked] = (await tx.query(text, [ref])).rows as { ok: boolean }[];
  return locked?.ok === true;
}

/** An object's oldest change, and the database's time at which it was read. */
type Head = StoredRecord & {
  readonly now: number;
  readonly isDue: boolean;
  readonly listening: StoredListening | undefined;
};

/** In a transaction it is a statement after the lock: it must see what was committed before that was free. */
async function headOf(on: Queryable, names: Names, ref: string): Promise<Head | undefined> {
  // mutant "changes are told in the order of time": ORDER BY id -> ORDER BY due
  // mutant "what is parked blocks others": AND due IS NOT NULL ORDER -> ORDER
  const { rows } = await on.query(
    `SELECT kind, id, revision, ref, due, data, ${NOW} AS now, due <= ${NOW} OR due > ${BEYOND} AS is_due,
       (SELECT l.data FROM ${names.records} l WHERE l.kind = '${LISTENING.kind}' AND l.id = '${LISTENING.id}') AS listening
     FROM ${names.records} WHERE kind = 'change' AND ref = $1 AND due IS NOT NULL ORDER BY id LIMIT 1`,
    [ref],
  );
  const [found] = rows as (RawRecord & {
    is_due: boolean;
    now: string | number;
    listening: StoredListening | null;
  })[];
  if (found === undefined) return undefined;
  const { is_due: isDue, now, listening, ...record } = found;
  return { ...recordFrom(record), now: Number(now), isDue, listening: listening ?? undefined };
}

/** Counts an attempt, committed by itself; undefined if another worker was faster. */
async function countAttempt<Tx>(
  { pool, names, timing = DELIVERY_TIMING }: DeliverOptions<Tx>,
  head: Head,
): Promise<Attempt | undefined> {
  const tried = attempt(deliveryIn(head), head.now, timing);
  // mutant "a change is acknowledged before its handler": stored(tried.next, tried.due) -> null
  return (await putHeld(pool, names, head, stored(tried.next, tried.due))) ? tried : undefined;
}

const stored = (next: Delivery, due: number | null): Pick<StoredRecord, "due" | "data"> => ({
  due,
  data: { ...next },
});
