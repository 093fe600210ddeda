/** The records that are sent to Stripe, on Convex: found, and gathered into batches. */
import type { Outbox } from "../../core/runtime/records/batches.js";
import { records } from "../../core/runtime/records/records.js";
import { gathered, type OutboxFound } from "../../core/usage/outbox/batch.js";
import { MINUTE } from "../../core/usage/outbox/minutes.js";
import type { Subscription } from "../../core/usage/outbox/period.js";
import { placeKey } from "../../core/usage/outbox/place.js";
import type { UsagePlace } from "../../core/usage/store.js";
import { encode } from "../calls/encode.js";
import type { OperationOf, ResultOf } from "../calls/operations.js";
import { contentsOf } from "../reads/newest.js";
import { storedCustomer } from "../reads/reads.js";
import { type RecordDocument, recordAt, recordOn } from "../store/records.js";
import { type Db, latestBy, mirrorOf } from "../tables/database.js";

/**
 * Records of one batch: marking one may count as a range, of which a transaction has 4,096. As each batch
 * has a minute to itself, this is also what can be sent of one balance in a minute; takings from it run
 * one after another, and are fewer.
 */
const MOST = 2_000;
/** Subscriptions that are looked at. */
const SUBSCRIPTIONS = 50;
/** Places that are walked in one transaction: five ranges each. */
const STRETCH = 100;
const RECORDS = "backend_billing_usage_records";

/** What is unsent, in the order of its index: place by place, and there by its time. */
const unsentOf = (db: Db, { entityId, feature }: UsagePlace, now: number) =>
  db.query(RECORDS).withIndex("byBatch", (range) =>
    range
      .eq("billed", true)
      .eq("batch", null)
      .eq("entityId", entityId)
      .eq("feature", feature)
      // What is taken meanwhile is later, and no reason to do this again.
      .lte("at", now),
  );

/** The first entity and feature after another one of which something is unsent. */
async function nextPlace(db: Db, { entityId, feature }: UsagePlace): Promise<UsagePlace | null> {
  const same = await db
    .query(RECORDS)
    .withIndex("byBatch", (range) =>
      range.eq("billed", true).eq("batch", null).eq("entityId", entityId).gt("feature", feature),
    )
    .first();
  if (same !== null) return same;
  return db
    .query(RECORDS)
    .withIndex("byBatch", (range) =>
      range.eq("billed", true).eq("batch", null).gt("entityId", entityId),
    )
    .first();
}

const FIRST: UsagePlace = { entityId: "", feature: "" };

/** One stretch of the places of which something can be gathered now. */
export async function unsent(
  db: Db,
  { features, now, after, limit }: OperationOf<"unsent">,
): Promise<ResultOf<"unsent">> {
  const found: { entityId: string; feature: string }[] = [];
  let last: UsagePlace = after ?? FIRST;
  for (let walked = 0; walked < STRETCH && found.length < limit; walked++) {
    const place = await nextPlace(db, last);
    if (place === null) return { found, after: null };
    const { entityId, feature } = place;
    last = { entityId, feature };
    if (features.includes(feature) && (await isReady(db, place, now))) found.push({ ...last });
  }
  return { found, after: { ...last } };
}

async function isReady(db: Db, place: UsagePlace, now: number): Promise<boolean> {
  if ((await storedCustomer(mirrorOf(db), place.entityId)) === null) return false;
  if (await isOpen(db, place)) return false;
  const { nextAt } = outboxIn(await outboxAt(db, place));
  return nextAt <= now || nextAt > now + MINUTE;
}

/** Whether a batch is under way: one that is reported no longer points at its place. */
const isOpen = async (db: Db, place: UsagePlace): Promise<boolean> =>
  (await recordOn(db, "batch", placeKey(place))) !== null;

const outboxAt = (db: Db, place: UsagePlace) => {
  const { kind, id } = records.outbox(placeKey(place));
  return recordAt(db, kind, id);
};

const outboxIn = (stored: RecordDocument | null): Outbox => ({
  nextAt: 0,
  used: {},
  ...(stored?.data as Partial<Outbox> | undefined),
});

/**
 * Whether anything is unsent of an entity with a customer, or may be: what has none is not looked for
 * without end.
 */
export async function isLeft(db: Db, features: readonly string[]): Promise<boolean> {
  if (features.length === 0) return false;
  let last = FIRST;
  for (let walked = 0; walked < STRETCH; walked++) {
    const place = await nextPlace(db, last);
    if (place === null) return false;
    if (features.includes(place.feature)) {
      if ((await storedCustomer(mirrorOf(db), place.entityId)) !== null) return true;
    }
    last = place;
  }
  return true;
}

/** Whether anything of a place is unsent, or on its way. */
export async function isUnsent(db: Db, place: UsagePlace): Promise<boolean> {
  const unsent = await unsentOf(db, place, Number.MAX_SAFE_INTEGER).first();
  return unsent !== null || (await isOpen(db, place));
}

/** Makes a batch of what is unsent, marks its records, and stores it: in one transaction. */
export async function gather(
  db: Db,
  { gathering }: OperationOf<"gather">,
): Promise<ResultOf<"gather">> {
  const { now, id, due, entityId } = gathering;
  const stored = await outboxAt(db, gathering);
  const documents = await unsentOf(db, gathering, now).take(MOST + 1);
  const unsent = documents.slice(0, MOST);
  const next = gathered(
    {
      ...(await billedIn(db, entityId)),
      isOpen: await isOpen(db, gathering),
      outbox: outboxIn(stored),
      unsent,
      hasMore: documents.length > MOST,
    },
    gathering,
  );
  if (next === undefined) return null;
  const { outbox, batch, keys } = next;
  await putOutbox(db, gathering, stored, outbox);
  if (batch === undefined) return null;
  const taken = new Set(keys);
  for (const { _id, key } of unsent) if (taken.has(key)) await db.patch(_id, { batch: id });
  const kind = "batch";
  const made = { kind, revision: 1, ref: placeKey(gathering), due, data: encode(batch) } as const;
  await db.insert("backend_billing_records", { recordId: id, ...made });
  return { id, ...made };
}

async function putOutbox(
  db: Db,
  place: UsagePlace,
  before: RecordDocument | null,
  outbox: Outbox,
): Promise<void> {
  const { kind, id: recordId } = records.outbox(placeKey(place));
  const revision = (before?.revision ?? 0) + 1;
  const fields = { kind, recordId, revision, ref: null, due: null, data: encode(outbox) };
  if (before !== null) await db.patch(before._id, fields);
  else await db.insert("backend_billing_records", fields);
}

async function billedIn(
  db: Db,
  entityId: string,
): Promise<Pick<OutboxFound, "customerId" | "subscriptions">> {
  const mirror = mirrorOf(db);
  const customer = await storedCustomer(mirror, entityId);
  if (customer === null) return { customerId: undefined, subscriptions: [] };
  const { customerId } = customer;
  const found = await latestBy(mirror, "subscriptions", "byCustomerId", customerId, SUBSCRIPTIONS);
  return { customerId: String(customerId), subscriptions: contentsOf<Subscription>(found) };
}
