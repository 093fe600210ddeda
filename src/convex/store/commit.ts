/**
 * A batch, judged and written in one transaction. A Convex mutation is serialisable, so reading,
 * deciding with `planCommit` and writing need no further guard.
 */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import {
  type EmptyRows,
  emptyRow,
  emptyRowsOf,
  linkedResource,
  ownerOf,
  type RowFields,
  rowFields,
} from "../../core/catalogue/row.js";
import { keyOf, type Planned, planCommit, type VersionWrite } from "../../core/mirror/plan.js";
import { ASK_DELAY, type Version } from "../../core/mirror/rule.js";
import type { Batch } from "../../core/mirror/store.js";
import type { OperationOf, ResultOf } from "../calls/operations.js";
import {
  type Db,
  indexOn,
  type MirrorDocument,
  mirrorOf,
  mirrorWriterOf,
  rowOf,
  rowsBy,
} from "./database.js";
import { claimOn, conflictOf, grantWish, recordAt, writeRecord } from "./records.js";

/** `page`: one page of one partition. `work`: whatever else is due. */
export type WorkStep = "page" | "work";

export interface Due {
  readonly step: WorkStep;
  readonly at: number;
}

/** What a commit leaves to be done, for the scheduler. */
export interface Left {
  /** What newly falls due that a worker is to be called for, and when. */
  readonly due: readonly Due[];
  /** Whether anything is outstanding that the watchdog must know of. */
  readonly outstanding: boolean;
}

export interface Chosen {
  readonly resources: readonly ResourceName[];
}

export async function commit(
  db: Db,
  { resources: chosen }: Chosen,
  { batch }: OperationOf<"commit">,
): Promise<{ result: ResultOf<"commit">; left: Left }> {
  const nothing = { due: [], outstanding: false };
  const writes = batch.records ?? [];
  const conflict = await conflictOf(db, writes);
  if (conflict !== undefined) {
    const { kind, id } = conflict;
    return { result: { committed: false, conflict: { kind, id } }, left: nothing };
  }
  const { planned, versions } = await plan(db, batch as Batch);
  const due: Due[] = [];
  const work = (at: number) => due.push({ step: "work", at });
  for (const write of planned.versions) {
    const before = versions.get(keyOf(write.resource, write.id));
    if (await writeVersion(db, chosen, write, before, batch.now)) work(batch.now + ASK_DELAY);
  }
  for (const receipt of planned.receipts) {
    await db.insert("backend_billing_receipts", { ...receipt, receivedAt: batch.now });
  }
  for (const wish of planned.wishes) if (await grantWish(db, wish)) work(wish.due);
  for (const write of writes) {
    const before = await writeRecord(db, write);
    if (write.kind === "claim") {
      await relink(db, chosen, before?.ref ?? null, null);
      await relink(db, chosen, write.next?.ref ?? null, write.id);
    }
    // A claim's own caller drives it; if he dies, the watchdog finds it.
    const at = write.next?.due;
    if (at == null || write.kind === "claim") continue;
    due.push({ step: write.kind === "partition" ? "page" : "work", at });
  }
  const outstanding =
    planned.versions.some(({ next }) => next.stale) ||
    planned.wishes.length > 0 ||
    writes.some(({ next }) => next?.due != null);
  const units = planned.outcomes.map((unit) =>
    unit.duplicate ? { duplicate: true as const } : { ...unit, outcomes: [...unit.outcomes] },
  );
  return { result: { committed: true, units }, left: { due, outstanding } };
}

/** Reads what the batch touches and decides; contents are read only where the rule wants them. */
async function plan(
  db: Db,
  batch: Batch,
): Promise<{ planned: Planned; versions: ReadonlyMap<string, VersionDocument> }> {
  const touched = new Map<string, { resource: ResourceName; id: string }>();
  for (const { snapshots = [] } of batch.units) {
    for (const { resource, id } of snapshots) touched.set(keyOf(resource, id), { resource, id });
  }
  const versions = new Map<string, VersionDocument>();
  await Promise.all(
    [...touched].map(async ([key, { resource, id }]) => {
      const stored = await versionAt(db, resource, id);
      if (stored !== null) versions.set(key, stored);
    }),
  );
  const watermarks = new Map<ResourceName, number>();
  for (const resource of new Set([...touched.values()].map((each) => each.resource))) {
    const at = (await recordAt(db, "watermark", resource))?.data.at;
    if (typeof at === "number") watermarks.set(resource, at);
  }
  const seen = new Set<string>();
  for (const { receipt } of batch.units) {
    if (receipt !== undefined && (await isReceived(db, receipt.eventId))) seen.add(receipt.eventId);
  }
  const contents = new Map<string, object | null>();
  for (;;) {
    const planned = planCommit(batch, {
      version: (resource, id) => {
        const stored = versions.get(keyOf(resource, id));
        return stored === undefined ? undefined : versionOf(stored);
      },
      content: (resource, id) => contents.get(keyOf(resource, id)),
      watermark: (resource) => watermarks.get(resource),
      seen: (eventId) => seen.has(eventId),
    });
    if (!("compare" in planned)) return { planned, versions };
    for (const { resource, id } of planned.compare) {
      contents.set(keyOf(resource, id), (await rowOf(mirrorOf(db), resource, id))?.stripe ?? null);
    }
  }
}

export function versionAt(db: Db, resource: string, id: string) {
  return db
    .query("backend_billing_versions")
    .withIndex("byObject", (range) => range.eq("resource", resource).eq("objectId", id))
    .first();
}

type VersionDocument = NonNullable<Awaited<ReturnType<typeof versionAt>>>;

export function versionOf({ revision, state, lo, hi, stale, first }: Version): Version {
  return { revision, state, lo, hi, stale, first };
}

async function isReceived(db: Db, eventId: string): Promise<boolean> {
  const found = await db
    .query("backend_billing_receipts")
    .withIndex("byEventId", (range) => range.eq("eventId", eventId))
    .first();
  return found !== null;
}

/** Answers whether Stripe is to be asked now that was not before. */
async function writeVersion(
  db: Db,
  chosen: readonly ResourceName[],
  write: VersionWrite,
  before: VersionDocument | undefined,
  now: number,
): Promise<boolean> {
  const { resource, id, next } = write;
  const askAt = next.stale ? (before?.askAt ?? now + ASK_DELAY) : null;
  const fields = { ...versionOf(next), askAt };
  if (before === undefined) {
    await db.insert("backend_billing_versions", { resource, objectId: id, ...fields });
  } else await db.patch(before._id, fields);
  if (write.content !== undefined) await writeContent(db, chosen, write, write.content, now);
  return askAt !== null && (before?.askAt ?? null) === null;
}

async function writeContent(
  db: Db,
  chosen: readonly ResourceName[],
  { resource, id, wasLive }: VersionWrite,
  content: object | null,
  now: number,
): Promise<void> {
  const mirror = mirrorWriterOf(db);
  const before = wasLive ? await rowOf(mirror, resource, id) : null;
  if (content === null) {
    if (before !== null) await mirror.delete(before._id as never);
  } else {
    const link = resource === linkedResource(chosen) ? await claimOn(db, id) : null;
    await put(db, resource, before, rowFields(resource, id, content, now, link?.recordId ?? null));
  }
  for (const rule of emptyRowsOf(chosen)) {
    // What the owner has depends on whether it is there, not on what it says.
    if (rule.owner === resource && (before === null) !== (content === null)) {
      await settleEmpty(db, rule, id, content !== null, now);
    }
    if (rule.resource !== resource) continue;
    const owners = [before?.stripe, content].map((object) => object && ownerOf(rule, object));
    if (owners[0] === owners[1]) continue;
    for (const owner of owners) {
      if (!owner) continue;
      const isThere = (await rowOf(mirror, rule.owner, owner)) !== null;
      await settleEmpty(db, rule, owner, isThere, now);
    }
  }
}

async function put(
  db: Db,
  resource: ResourceName,
  before: MirrorDocument | null,
  fields: RowFields,
): Promise<void> {
  const mirror = mirrorWriterOf(db);
  if (before === null) await mirror.insert(resources[resource].table, fields as never);
  else await mirror.replace(before._id as never, fields as never);
}

/** The row of nulls is there exactly when its owner is there and has nothing. */
async function settleEmpty(
  db: Db,
  rule: EmptyRows,
  owner: string,
  isThere: boolean,
  now: number,
): Promise<void> {
  const mirror = mirrorWriterOf(db);
  // Two rows tell: every write settles, so beside a row of nulls there is at most one other.
  const index = indexOn(rule.resource, rule.ownerField);
  const rows = await rowsBy(mirror, rule.resource, index, owner).take(2);
  const empty = rows.find(({ stripe }) => stripe === null);
  const wanted = isThere && rows.every(({ stripe }) => stripe === null);
  if (wanted && empty === undefined) {
    await put(db, rule.resource, null, emptyRow(rule, owner, now));
  } else if (!wanted && empty !== undefined) await mirror.delete(empty._id as never);
}

/** The customer's row says which entity holds it. */
async function relink(
  db: Db,
  chosen: readonly ResourceName[],
  customer: string | null,
  entityId: string | null,
): Promise<void> {
  const linked = linkedResource(chosen);
  if (customer === null || linked === undefined) return;
  const row = await rowOf(mirrorOf(db), linked, customer);
  if (row !== null) await mirrorWriterOf(db).patch(row._id as never, { entityId } as never);
}
