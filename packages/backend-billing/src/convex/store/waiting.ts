/** Changes that wait to be told. In a file of its own: a query does not load it. */
import type { Db } from "../tables/database.js";
import type { RecordDocument } from "./records.js";

const all = (db: Db) => db.query("backend_billing_records");

/** The oldest change of an object that waits to be told. What is parked has no due time. */
export async function waitingOf(db: Db, ref: string): Promise<RecordDocument | null> {
  const changes = all(db).withIndex("byRef", (range) => range.eq("kind", "change").eq("ref", ref));
  for await (const change of changes) if (change.due !== null) return change;
  return null;
}

/** The objects that have changes, after one of them. */
export async function objectsAfter(db: Db, after: string, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (let last: string = after; found.length < limit; ) {
    const next = await all(db)
      .withIndex("byRef", (range) => range.eq("kind", "change").gt("ref", last))
      .first();
    if (next === null || next.ref === null) break;
    found.push(next.ref);
    last = next.ref;
  }
  return found;
}
