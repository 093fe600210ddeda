/**
 * Tells the changes of rows to the application. A worker locks an object, reads its oldest change after
 * that, and goes by what it reads: so the changes of an object are told in their order, by one worker
 * at a time. What a handler writes is committed together with the mark that it was told.
 */
import type { StoredListening } from "../../core/mirror/listening.js";
import type { StoredRecord } from "../../core/mirror/store.js";
import {
  type Attempt,
  attempt,
  DELIVERY_TIMING,
  type Delivery,
  type DeliveryTiming,
  deliveryIn,
} from "../../core/reactions/delivery.js";
import { afterTelling, type Became, beforeTelling } from "../../core/reactions/telling/became.js";
import type { Telling, Tellings } from "../../core/reactions/telling/context.js";
import type { Queryable } from "../database.js";
import { countHeld, putHeld, putRecord, removeHeld, requestRecord } from "../store/leases.js";
import type { Names } from "../store/names.js";
import { type Head, headOf, lockHead, otherFrom, otherHead } from "./head.js";
import type { Lend } from "./lend.js";

export interface DeliverOptions<Tx> {
  readonly pool: Queryable;
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

/** What became of a telling, and the oldest change of the object after it, where that was read along. */
interface Result {
  readonly delivered: Delivered;
  readonly next?: Head | undefined;
}

/** Tells the next thing of an object that is due, if there is any. Any number of workers may call it at once. */
export async function deliverTo<Tx>(options: DeliverOptions<Tx>, ref: string): Promise<Delivered> {
  const head = await headOf(options.pool, options.names, ref);
  return head === undefined ? "nothing" : (await tellHead(options, head)).delivered;
}

/** Tells of an object until nothing of it is due, something fails, or `isOver`; `each` is told the outcomes. */
export async function deliverAllTo<Tx>(
  options: DeliverOptions<Tx>,
  ref: string,
  isOver: () => boolean,
  each: (delivered: Delivered) => void,
): Promise<void> {
  for (let head = await headOf(options.pool, options.names, ref); head !== undefined; ) {
    const { delivered, next }: Result = await tellHead(options, head);
    each(delivered);
    if (delivered !== "told" || isOver()) return;
    head = next;
  }
}

async function tellHead<Tx>(options: DeliverOptions<Tx>, head: Head): Promise<Result> {
  const { names, pool, lend, handler, observed, timing = DELIVERY_TIMING } = options;
  if (!head.isDue) return NOTHING;
  const change = deliveryIn(head);
  const tried = await countAttempt(options, head);
  if (tried === undefined) return NOTHING;
  if (tried.isParked) {
    observed?.({ outcome: "parked", change, name: change.resource });
    return { delivered: "parked" };
  }
  const held = { ...head, revision: head.revision + 1 };
  /** Where nothing was tried after all, it is as it was, and due after so many milliseconds. */
  const putBack = (on: Queryable, data: Delivery, after: number) =>
    putHeld(on, names, held, stored(data, nowBy(head) + after));
  const began = Date.now();
  let name = "";
  try {
    const result = await lend(timing.limit, async (tx, own): Promise<Result> => {
      const locked = await lockHead(tx, names, head.ref ?? "");
      if (!locked.isFree || locked.id !== held.id) {
        // Another worker tells of the object, or something older has come: it is not put off for long.
        await putBack(tx, change, LEFT);
        return NOTHING;
      }
      if (locked.revision !== held.revision) return NOTHING;
      const tellings = await options.tellings(change, tx, locked.listening);
      const first = beforeTelling(tried.next, tellings);
      if (first !== undefined) {
        return { delivered: "told", next: await store(options, tx, held, first) };
      }
      const left = tellings.all.filter((each) => !change.done?.includes(each.name));
      const next = left.find((each) => handler(each) !== undefined);
      if (next !== undefined) {
        name = next.name;
        await handler(next)?.(own);
      } else if (left.length > 0) {
        await putBack(tx, change, LEFT);
        return NOTHING;
      }
      const became = afterTelling(change, tellings, next);
      return { delivered: "told", next: await store(options, tx, held, became) };
    });
    if (result.delivered === "told" && name !== "") {
      observed?.({ outcome: "told", change, name, took: Date.now() - began });
    }
    return result;
  } catch (error) {
    if (error instanceof Moved) {
      await putBack(pool, change, 0);
      return NOTHING;
    }
    const { pause, next } = tried;
    await putBack(pool, next, pause).catch(() => {}); // it is due later, then
    observed?.({ outcome: "failed", change, name, took: Date.now() - began, error });
    return { delivered: "failed" };
  }
}

const NOTHING: Result = { delivered: "nothing" };

/** The database's time now. */
const nowBy = ({ ahead }: Head): number => Date.now() + ahead;

/**
 * Stores that something was told, with what follows; after the last the change is gone. Answers the
 * oldest change that the object has then.
 */
async function store<Tx>(
  { names }: DeliverOptions<Tx>,
  tx: Queryable,
  held: Head,
  { left, writes, requests }: Became,
): Promise<Head | undefined> {
  for (const write of writes) {
    if (!(await putRecord(tx, names, write))) throw new Moved();
  }
  for (const request of requests) await requestRecord(tx, names, request);
  if (left === null) {
    const { isRemoved, other } = await removeHeld(tx, names, held, otherHead(names, "$4", "$2"));
    if (isRemoved) return otherFrom(other);
  } else {
    const next = stored(left, 0);
    const isPut = await putHeld(tx, names, held, next);
    if (isPut) return { ...held, ...next, revision: held.revision + 1 };
  }
  // An entity's access is to be looked at again: that look stays, and what was told is in its own record.
  if (deliveryIn(held).resource !== "access") throw new Overtaken();
  return headOf(tx, names, held.ref ?? "");
}

/** Counts an attempt, committed by itself; undefined if another worker was faster. The contents stay. */
async function countAttempt<Tx>(
  { pool, names, timing = DELIVERY_TIMING }: DeliverOptions<Tx>,
  head: Head,
): Promise<Attempt | undefined> {
  const tried = attempt(deliveryIn(head), nowBy(head), timing);
  const { before: _before, after: _after, ...next } = tried.next;
  // mutant "a change is acknowledged before its handler": countHeld(pool, names, head, stored(next, tried.due)) -> putHeld(pool, names, head, null)
  const isCounted = await countHeld(pool, names, head, stored(next, tried.due));
  return isCounted ? tried : undefined;
}

const stored = (
  next: Omit<Delivery, "before" | "after">,
  due: number | null,
): Pick<StoredRecord, "due" | "data"> => ({
  due,
  data: { ...next },
});
