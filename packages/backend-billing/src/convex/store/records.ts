/** Records in the database: small documents with a revision and a time at which they are due. */
import { beyond } from "../../core/mirror/due.js";
import { grantedOver } from "../../core/mirror/plan-records.js";
import type { RecordKind, RecordRequest } from "../../core/mirror/store.js";
import type { PutRecord } from "../../core/mirror/writes.js";
import { oneAtATime } from "../../core/runtime/one-at-a-time.js";
import type { OperationOf, WireRecord } from "../calls/operations.js";
import { type Db, takeInTurn } from "../tables/database.js";

const all = (db: Db) => db.query("backend_billing_records");

export const recordAt = (db: Db, kind: string, id: string) =>
  all(db)
    .withIndex("byRecordId", (range) => range.eq("kind", kind).eq("recordId", id))
    .first();

export type RecordDocument = NonNullable<Awaited<ReturnType<typeof recordAt>>>;

export function wireRecord(document: RecordDocument): WireRecord {
  const { _id, _creationTime, kind, recordId, ...record } = document;
  return { kind: kind as RecordKind, id: recordId, ...record };
}

/** A record of a kind that points at something, if there is one. */
export const recordOn = (db: Db, kind: string, ref: string) =>
  all(db)
    .withIndex("byRef", (range) => range.eq("kind", kind).eq("ref", ref))
    .first();

export async function recordsOf(
  db: Db,
  { kind, ref, after, limit }: OperationOf<"recordsOf">,
): Promise<WireRecord[]> {
  const found = await all(db)
    .withIndex("byRef", (range) => range.eq("kind", kind).eq("ref", ref).gt("recordId", after))
    .take(limit);
  return found.map(wireRecord);
}

export async function records(
  db: Db,
  { kind, after, limit }: OperationOf<"records">,
): Promise<WireRecord[]> {
  const found = await all(db)
    .withIndex("byRecordId", (range) => range.eq("kind", kind).gt("recordId", after))
    .take(limit);
  return found.map(wireRecord);
}

/** Requests a record in a mutation of the application; answers what was written. */
export const requestRecord = (db: Db, request: RecordRequest): Promise<PutRecord> =>
  oneAtATime(db, async () => {
    const { kind, id } = request;
    const before = await recordAt(db, kind, id);
    const write = grantedOver(request, before);
    if (before !== null) await db.patch(before._id, write.record);
    else await db.insert("backend_billing_records", { kind, recordId: id, ...write.record });
    return write;
  });

/** Takes records that are due, oldest first, by pushing them forward. */
export async function takeRecords(
  db: Db,
  { kind, now, lease, limit }: OperationOf<"takeRecords">,
): Promise<WireRecord[]> {
  const due = await dueRecords(db, kind, now, limit);
  return Promise.all(
    due.map(async (each) => {
      const taken = { revision: each.revision + 1, due: now + lease };
      await db.patch(each._id, taken);
      return wireRecord({ ...each, ...taken });
    }),
  );
}

/**
 * What is due up to a time, and what a wrong clock put off too far. Numbers only: a record that is
 * never due has null, which stands before all numbers.
 */
export const dueRecords = (db: Db, kind: RecordKind, until: number, limit: number) =>
  takeInTurn(limit, [
    all(db).withIndex("byDue", (range) =>
      range.eq("kind", kind).gt("due", Number.NEGATIVE_INFINITY).lte("due", until),
    ),
    all(db).withIndex("byDue", (range) => range.eq("kind", kind).gt("due", beyond(kind, until))),
  ]);
