/**
 * Seats follow the members: the job that takes up the records of the kind `seats`. One worker at a
 * time counts an entity's seats and sends them, and the next one may only after a pause, so that
 * changes of ten seconds are one update. A change that comes while a worker is at it raises the
 * record's revision; then the record stays and the seats are counted once more.
 */
import { AWAKE, isAhead } from "../../mirror/due.js";
import type { Lease, RecordData, RecordWrite, StoredRecord } from "../../mirror/store.js";
import { commit } from "../../runtime/commit/commit.js";
import { countedBy, seatsRequest } from "../../runtime/commit/seats.js";
import { factsOf } from "../../runtime/error-facts.js";
import { type Read, removal } from "../../runtime/records/record.js";
import { records, type SeatsTurn } from "../../runtime/records/records.js";
import type { CountSeats, Runtime } from "../../runtime/runtime.js";
import { checkPlace } from "../../stripe/account.js";
import { countSeats } from "./count.js";
import { sendSeats, turnUntil } from "./send.js";
import { pauseAfter, seatedAmong, triesOf } from "./terms.js";

/** How often a customer is looked at that belongs to no entity yet: for some ten minutes. */
const LOOKS = 6;

/** How records are taken whose seats are to be counted. */
export const seatsLease = ({ now, timing }: Runtime, limit = 20): Lease => ({
  now: now(),
  lease: timing.seatsLease,
  limit,
});

/** Lets quantities follow the counts that are due; answers how many were looked at. */
export async function followSeats(runtime: Runtime): Promise<number> {
  const { seats } = runtime;
  if (seats === undefined) return 0;
  const due = await runtime.store.takeRecords("seats", seatsLease(runtime));
  for (const record of due) {
    try {
      await followOne(runtime, record, seats);
    } catch (error) {
      runtime.log?.warn(factsOf(error), "Seats could not be counted or sent; trying again");
      await tryAgain(runtime, record);
    }
  }
  return due.length;
}

async function followOne(runtime: Runtime, record: StoredRecord, seats: CountSeats): Promise<void> {
  const entityId = await entityOf(runtime, record);
  if (entityId === undefined) return;
  const turns = records.seats(entityId);
  const [facts, before] = await Promise.all([
    runtime.store.subscribed(entityId),
    turns.read(runtime),
  ]);
  const seated = seatedAmong(facts).map(({ id }) => id);
  if (seated.length === 0) return remove(runtime, record);
  const now = runtime.now();
  const { until: over = 0, isOpen = false } = before.data ?? {};
  if (isAhead(over, now)) return putOff(runtime, record, over);
  await checkPlace(runtime);
  const until = now + runtime.timing.seatsLease;
  const mine: SeatsTurn = { until, isOpen: true };
  if (!(await turns.put(runtime, before, mine))) return putOff(runtime, record, nextTurn(runtime));
  const held = { revision: before.revision + 1, data: mine };
  const turn = turnUntil(runtime, until, () => countSeats(seats, entityId));
  let isFollowed = false;
  try {
    isFollowed = await sendSeats(runtime, seated, turn);
  } finally {
    // What failed may reach Stripe all the same, and late: the turn stays open.
    if (!isFollowed) {
      // mutant "a late effect of a failure stays": turn.isSent || isOpen -> isOpen
      await turns.put(runtime, held, { until: nextTurn(runtime), isOpen: turn.isSent || isOpen });
    }
  }
  if (!isFollowed) return tryAgain(runtime, record);
  const next = turn.isSent ? nextTurn(runtime) : runtime.now();
  await finish(runtime, record, { entityId, held, next, isLookedAtAgain: isOpen });
}

// mutant "seats are sent without a pause": now() + timing.seatsDelay -> now()
const nextTurn = ({ now, timing }: Runtime): number => now() + timing.seatsDelay;

interface Followed {
  readonly entityId: string;
  readonly held: Read<SeatsTurn>;
  /** Milliseconds: when the next turn may begin. */
  readonly next: number;
  /** An earlier turn did not end: what it sent may reach Stripe after this one. */
  readonly isLookedAtAgain: boolean;
}

/** Ends a worker's turn and removes its record, unless a change came meanwhile: that is counted next. */
async function finish(
  runtime: Runtime,
  record: StoredRecord,
  { entityId, held, next, isLookedAtAgain }: Followed,
): Promise<void> {
  const turns = records.seats(entityId);
  const { seatsLease: pause } = runtime.timing;
  // mutant "a change during a count is lost": removal(record) -> removal((await runtime.store.record(record.kind, record.id)) ?? record)
  const done = isLookedAtAgain ? dueAt(record, runtime.now() + pause, {}) : removal(record);
  const ended = turns.write(held, { until: next, isOpen: false });
  if ((await commit(runtime, { source: "record", records: [done, ended] })).committed) return;
  if (await turns.put(runtime, held, { until: next, isOpen: isLookedAtAgain })) return;
  // Another worker had its turn meanwhile: which quantity came last is not known.
  const requests = [seatsRequest(entityId, nextTurn(runtime))];
  await commit(runtime, { source: "call", units: [{ requests }] });
}

/** Whose seats are counted; undefined if that is not known, and then the record is dealt with. */
async function entityOf(runtime: Runtime, record: StoredRecord): Promise<string | undefined> {
  const counted = countedBy(record.id);
  if ("entityId" in counted) return counted.entityId;
  const { store, resources } = runtime;
  const row = await store.row("subscriptions", counted.subscriptionId);
  const isKnown = row !== undefined && resources.includes("customers");
  const customer = isKnown ? await store.row("customers", row.customerId) : undefined;
  if (typeof customer?.entityId === "string") return customer.entityId;
  // The customer may be linked to its entity a little later.
  if (isKnown && triesOf(record) < LOOKS) await tryAgain(runtime, record);
  else await remove(runtime, record);
  return undefined;
}

async function remove(runtime: Runtime, record: StoredRecord): Promise<void> {
  await commit(runtime, { source: "record", records: [removal(record)] });
}

function tryAgain(runtime: Runtime, record: StoredRecord): Promise<void> {
  const tries = triesOf(record);
  const until = runtime.now() + pauseAfter(tries, runtime.timing.seatsDelay);
  return putOff(runtime, record, until, { tries: tries + 1 });
}

/** Has a record taken up later, unless a change came meanwhile: then it is due soon anyway. */
async function putOff(
  runtime: Runtime,
  record: StoredRecord,
  due: number,
  data = record.data,
): Promise<void> {
  await commit(runtime, { source: "record", records: [dueAt(record, due, data)] });
  const delay = due - runtime.now();
  if (delay <= AWAKE) runtime.wake(Math.max(0, delay));
}

const dueAt = (
  { kind, id, revision, ref }: StoredRecord,
  due: number,
  data: RecordData,
): RecordWrite => ({ kind, id, expect: revision, next: { ref, due, data } });
