/** The objects that Stripe must be asked about, and what is known of objects beside their content. */

import { beyond } from "../../core/mirror/due.js";
import type { OperationOf, ResultOf } from "../calls/operations.js";
import { versionAt, versionOf } from "./commit.js";
import type { Db } from "./database.js";

/** How many versions one transaction looks through. */
const STRETCH = 1_000;

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
export async function dueAsks(db: Db, until: number, limit: number) {
  const due = await db
    .query("backend_billing_versions")
    .withIndex("byAskAt", (range) =>
      range.gt("askAt", Number.NEGATIVE_INFINITY).lte("askAt", until),
    )
    .take(limit);
  if (due.length === limit) return due;
  const astray = await db
    .query("backend_billing_versions")
    .withIndex("byAskAt", (range) => range.gt("askAt", beyond("ask", until)))
    .take(limit - due.length);
  return [...due, ...astray];
}

export async function postponeAsk(
  db: Db,
  { ask, until }: OperationOf<"postponeAsk">,
): Promise<boolean> {
  const stored = await versionAt(db, ask.resource, ask.id);
  if (stored === null || stored.revision !== ask.revision || stored.askAt === null) return false;
  await db.patch(stored._id, { askAt: until });
  return true;
}

export async function version(
  db: Db,
  { resource, id }: OperationOf<"version">,
): Promise<ResultOf<"version">> {
  const stored = await versionAt(db, resource, id);
  return stored === null ? null : versionOf(stored);
}

/** Looks through one stretch of a resource's versions; a page of them may well hold none. */
export async function unconfirmed(
  db: Db,
  { resource, since, after, limit }: OperationOf<"unconfirmed">,
): Promise<ResultOf<"unconfirmed">> {
  const stretch = await db
    .query("backend_billing_versions")
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
