/** What is known of objects beside their content: which Stripe must be asked about, what was received. */
import { beyond } from "../../core/mirror/due.js";
import type { Version } from "../../core/mirror/rule.js";
import type { OperationOf, ResultOf } from "../calls/operations.js";
import { type Db, takeInTurn } from "../tables/database.js";

/** How many versions one transaction looks through. */
const STRETCH = 1_000;

const all = (db: Db) => db.query("backend_billing_versions");

export const versionAt = (db: Db, resource: string, id: string) =>
  all(db)
    .withIndex("byObject", (range) => range.eq("resource", resource).eq("objectId", id))
    .first();

export type VersionDocument = NonNullable<Awaited<ReturnType<typeof versionAt>>>;

export function versionOf({ revision, state, lo, hi, stale, first }: Version): Version {
  return { revision, state, lo, hi, stale, first };
}

export const receiptAt = (db: Db, eventId: string) =>
  db
    .query("backend_billing_receipts")
    .withIndex("byEventId", (range) => range.eq("eventId", eventId))
    .first();

export async function takeAsks(
  db: Db,
  { now, lease, limit }: OperationOf<"takeAsks">,
): Promise<ResultOf<"takeAsks">> {
  const due = await dueAsks(db, now, limit);
  return Promise.all(
    due.map(async ({ _id, resource, objectId, revision }) => {
      await db.patch(_id, { askAt: now + lease });
      return { resource, id: objectId, revision };
    }),
  );
}

/**
 * What is due up to a time, and what a wrong clock put off too far. Numbers only: what need not be
 * asked has null, which stands before all numbers.
 */
export const dueAsks = (db: Db, until: number, limit: number) =>
  takeInTurn(limit, [
    all(db).withIndex("byAskAt", (range) =>
      range.gt("askAt", Number.NEGATIVE_INFINITY).lte("askAt", until),
    ),
    all(db).withIndex("byAskAt", (range) => range.gt("askAt", beyond("ask", until))),
  ]);

export async function postponeAsk(
  db: Db,
  { ask, until }: OperationOf<"postponeAsk">,
): Promise<boolean> {
  const stored = await versionAt(db, ask.resource, ask.id);
  if (stored === null || stored.revision !== ask.revision || stored.askAt === null) return false;
  await db.patch(stored._id, { askAt: until });
  return true;
}

/** Looks through one stretch of a resource's versions; a page of them may well hold none. */
export async function unconfirmed(
  db: Db,
  { resource, since, after, limit }: OperationOf<"unconfirmed">,
): Promise<ResultOf<"unconfirmed">> {
  const stretch = await all(db)
    .withIndex("byObject", (range) => range.eq("resource", resource).gt("objectId", after))
    .take(STRETCH);
  const found: { id: string; revision: number }[] = [];
  for (const { objectId, revision, hi, state } of stretch) {
    if (hi >= since || (state !== "live" && state !== "unknown")) continue;
    found.push({ id: objectId, revision });
    if (found.length === limit) return { found, after: objectId };
  }
  const last = stretch.length < STRETCH ? undefined : stretch.at(-1);
  return { found, after: last?.objectId ?? null };
}

export async function pruneReceipts(
  db: Db,
  { before, limit }: OperationOf<"pruneReceipts">,
): Promise<number> {
  const old = await db
    .query("backend_billing_receipts")
    .withIndex("byReceivedAt", (range) => range.lt("receivedAt", before))
    .take(limit);
  for (const { _id } of old) await db.delete(_id);
  return old.length;
}
