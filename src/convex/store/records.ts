/** Records in the database: small documents with a revision and a time at which they are due. */
import { beyond } from "../../core/mirror/due.js";
import type { RecordKind, RecordWish, StoredRecord } from "../../core/mirror/store.js";
import type { OperationOf, RecordWriteWire, WireRecord } from "../calls/operations.js";
import type { Db } from "./database.js";

export function recordAt(db: Db, kind: string, id: string) {
  return db
    .query("backend_billing_records")
    .withIndex("byRecordId", (range) => range.eq("kind", kind).eq("recordId", id))
    .first();
}

type RecordDocument = NonNullable<Awaited<ReturnType<typeof recordAt>>>;

export function wireRecord({
  kind,
  recordId,
  revision,
  ref,
  due,
  data,
}: RecordDocument): WireRecord {
  return { kind: kind as RecordKind, id: recordId, revision, ref, due, data };
}

/** The claim that holds a customer, if there is one. */
export function claimOn(db: Db, customer: string) {
  return db
    .query("backend_billing_records")
    .withIndex("byRef", (range) => range.eq("kind", "claim").eq("ref", customer))
    .first();
}

/** A write that would not be at the revision it expects, or would claim a customer twice. */
export async function conflictOf(
  db: Db,
  writes: readonly RecordWriteWire[],
): Promise<RecordWriteWire | undefined> {
  const refs = new Set<string>();
  for (const write of writes) {
    const { kind, id, expect, next } = write;
    const stored = await recordAt(db, kind, id);
    if ((stored?.revision ?? 0) !== expect) return write;
    if (kind !== "claim" || next === null || next.ref === null) continue;
    const holder = await claimOn(db, next.ref);
    if ((holder !== null && holder.recordId !== id) || refs.has(next.ref)) return write;
    refs.add(next.ref);
  }
  return undefined;
}

/** Writes a record whose revision was checked; answers what it was before. */
export async function writeRecord(
  db: Db,
  { kind, id, expect, next }: RecordWriteWire,
): Promise<Pick<StoredRecord, "ref"> | null> {
  const before = await recordAt(db, kind, id);
  if (next === null) {
    if (before !== null) await db.delete(before._id);
  } else {
    const fields = { ...next, revision: expect + 1 };
    if (before === null) await insert(db, kind, id, fields);
    else await db.patch(before._id, fields);
  }
  return before;
}

function insert(
  db: Db,
  kind: RecordKind,
  recordId: string,
  fields: Pick<RecordDocument, "revision" | "ref" | "due" | "data">,
) {
  return db.insert("backend_billing_records", { kind, recordId, ...fields });
}

/** Grants a wish; answers whether the record now falls due earlier than it did. */
export async function grantWish(db: Db, { kind, id, due, data }: RecordWish): Promise<boolean> {
  const before = await recordAt(db, kind, id);
  if (before === null) {
    await insert(db, kind, id, { revision: 1, ref: null, due, data });
    return true;
  }
  const earlier = before.due === null || due < before.due;
  await db.patch(before._id, {
    revision: before.revision + 1,
    due: earlier ? due : before.due,
    data,
  });
  return earlier;
}

export async function recordsOf(
  db: Db,
  { kind, ref, after, limit }: OperationOf<"recordsOf">,
): Promise<WireRecord[]> {
  const found = await db
    .query("backend_billing_records")
    .withIndex("byRef", (range) => range.eq("kind", kind).eq("ref", ref).gt("recordId", after))
    .take(limit);
  return found.map(wireRecord);
}

export async function records(
  db: Db,
  { kind, after, limit }: OperationOf<"records">,
): Promise<WireRecord[]> {
  const found = await db
    .query("backend_billing_records")
    .withIndex("byRecordId", (range) => range.eq("kind", kind).gt("recordId", after))
    .take(limit);
  return found.map(wireRecord);
}

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
export async function dueRecords(db: Db, kind: RecordKind, until: number, limit: number) {
  const due = await db
    .query("backend_billing_records")
    .withIndex("byDue", (range) =>
      range.eq("kind", kind).gt("due", Number.NEGATIVE_INFINITY).lte("due", until),
    )
    .take(limit);
  if (due.length === limit) return due;
  const astray = await db
    .query("backend_billing_records")
    .withIndex("byDue", (range) => range.eq("kind", kind).gt("due", beyond(kind, until)))
    .take(limit - due.length);
  return [...due, ...astray];
}
