/** Removes the usage of an entity that is erased, a part in each transaction. */
import type { Db } from "../tables/database.js";

/** Documents of each table: a transaction writes 16,000. */
const MOST = 1_000;

/** True if there may be more. */
export async function forgetUsage(db: Db, entityId: string): Promise<boolean> {
  const keyed = [
    "backend_billing_usage_grants",
    "backend_billing_usage_holds",
    "backend_billing_usage_records",
  ] as const;
  const found = [
    await db
      .query("backend_billing_usage_balances")
      .withIndex("byFeature", (range) => range.eq("entityId", entityId))
      .take(MOST),
  ].map((all) => all.map(({ _id }) => _id as string));
  for (const table of keyed) {
    const all = await db
      .query(table as "backend_billing_usage_records")
      .withIndex("byKey", (range) => range.eq("entityId", entityId))
      .take(MOST);
    found.push(all.map(({ _id }) => _id));
  }
  for (const id of found.flat()) await db.delete(id as never);
  return found.some(({ length }) => length === MOST);
}
