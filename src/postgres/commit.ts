/**
 * One commit, in one of two ways. Most batches only change rows that exist: they are read, judged
 * and written in two statements without a transaction, and the write takes itself back if anything
 * moved in between. A batch that adds or removes rows that others depend on, carries records, or
 * has lost that race, runs in a transaction that locks what it judges.
 */
import type { ResourceName } from "../core/catalogue.js";
import { ASK_DELAY, type Version } from "../core/mirror.js";
import {
  type Known,
  keyOf,
  type Planned,
  planCommit,
  type VersionWrite,
} from "../core/plan-commit.js";
import { type EmptyRows, emptyRowsOf, linkedResource, ownerOf } from "../core/row.js";
import type { Batch, Committed, RecordWrite } from "../core/store.js";
import { type PoolLike, type Queryable, sqlState, transaction } from "./database.js";
import { jsonText } from "./json.js";
import {
  COMMIT_PARAMETERS,
  LOCK_OWNERS,
  type Names,
  readContents,
  readKnown,
  readOwners,
  relink,
  settleEmptyRows,
  writeCommit,
  writeRecords,
} from "./sql.js";

export interface CommitContext {
  readonly pool: PoolLike;
  readonly names: Names;
  readonly chosen: readonly ResourceName[];
  readonly retried?: (() => void) | undefined;
}

const DIVISION_BY_ZERO = "22012";
/** Serialisation failure, deadlock: the same work again has every chance. */
const PASSING = new Set(["40001", "40P01", DIVISION_BY_ZERO]);
const UNIQUE_VIOLATION = "23505";
/** After so many lost races the batch locks what it judges. */
const OPTIMISTIC_TRIES = 2;
const TRIES = 40;

/** A record was not at the revision expected. */
class RecordConflict extends Error {
  constructor(readonly write: Pick<RecordWrite, "kind" | "id">) {
    super(`${write.kind} ${write.id} has changed`);
  }
}

export async function commit(context: CommitContext, batch: Batch): Promise<Committed> {
  const hasRecords = (batch.records ?? []).length > 0;
  let owners: readonly string[] = [];
  for (let attempt = 1; ; attempt++) {
    try {
      if (!hasRecords && owners.length === 0 && attempt <= OPTIMISTIC_TRIES) {
        const planned = await plan(context, context.pool, batch, false);
        owners = await ownersAffected(context, context.pool, planned);
        if (owners.length > 0) continue;
        await write(context, context.pool, batch, planned);
        return { committed: true, units: planned.outcomes };
      }
      return await commitLocked(context, batch, owners);
    } catch (error) {
      if (error instanceof RecordConflict) return { committed: false, conflict: error.write };
      if (attempt >= TRIES || !PASSING.has(sqlState(error) ?? "")) throw error;
      context.retried?.();
      await pause(attempt);
    }
  }
}

async function commitLocked(
  context: CommitContext,
  batch: Batch,
  expected: readonly string[],
): Promise<Committed> {
  const records = batch.records ?? [];
  const customers = await claimedBefore(context, records);
  return transaction(context.pool, async (connection) => {
    const held = new Set([...expected, ...customers]);
    await lockOwners(connection, [...held]);
    const planned = await plan(context, connection, batch, true);
    if (records.length > 0) await applyRecords(context, connection, records, customers);
    // What was judged now may concern owners that were not foreseen; their locks come late, which
    // is safe because whoever else wants them holds no row that this transaction waits for.
    const owners = await ownersAffected(context, connection, planned);
    const late = owners.filter((owner) => !held.has(owner));
    if (late.length > 0) await lockOwners(connection, late);
    await write(context, connection, batch, planned);
    for (const rule of emptyRowsOf(context.chosen)) {
      if (owners.length > 0) {
        await connection.query(settleEmptyRows(context.names, rule), [
          JSON.stringify(owners),
          batch.now,
        ]);
      }
    }
    return { committed: true, units: planned.outcomes };
  });
}

async function lockOwners(connection: Queryable, owners: readonly string[]): Promise<void> {
  if (owners.length > 0) await connection.query(LOCK_OWNERS, [JSON.stringify(owners)]);
}

/** Reads what the batch touches and judges it, fetching stored contents where the rule needs them. */
async function plan(
  { names }: CommitContext,
  db: Queryable,
  batch: Batch,
  lock: boolean,
): Promise<Planned> {
  const snapshots = batch.units.flatMap((unit) => unit.snapshots ?? []);
  const events = batch.units.flatMap((unit) => (unit.receipt ? [unit.receipt.eventId] : []));
  const { rows } = await db.query(readKnown(names, lock), [
    JSON.stringify(snapshots.map(({ resource, id }) => ({ resource, id }))),
    JSON.stringify(events),
  ]);
  const found = rows[0] as {
    versions: (Version & { resource: ResourceName; id: string })[];
    receipts: string[];
    watermarks: Partial<Record<ResourceName, number>>;
  };
  const versions = new Map(found.versions.map((each) => [keyOf(each.resource, each.id), each]));
  const receipts = new Set(found.receipts);
  const contents = new Map<string, object | null>();
  const known: Known = {
    version: (resource, id) => versions.get(keyOf(resource, id)),
    content: (resource, id) => contents.get(keyOf(resource, id)),
    watermark: (resource) => found.watermarks[resource],
    seen: (eventId) => receipts.has(eventId),
  };
  for (;;) {
    const planned = planCommit(batch, known);
    if (!("compare" in planned)) return planned;
    for (const resource of new Set(planned.compare.map((each) => each.resource))) {
      const ids = planned.compare.filter((each) => each.resource === resource).map(({ id }) => id);
      for (const id of ids) contents.set(keyOf(resource, id), null);
      const stored = await db.query(readContents(names, resource), [JSON.stringify(ids)]);
      for (const { id, content } of stored.rows as { id: string; content: object | null }[]) {
        contents.set(keyOf(resource, id), content);
      }
    }
  }
}

/** Owners whose row of nulls may have to come or go because of what was planned. */
async function ownersAffected(
  { names, chosen }: CommitContext,
  db: Queryable,
  planned: Planned,
): Promise<readonly string[]> {
  const owners = new Set<string>();
  const coming = planned.versions.filter(isStructural);
  for (const rule of emptyRowsOf(chosen)) {
    const gone: string[] = [];
    for (const { resource, id, content } of coming) {
      if (resource === rule.owner) owners.add(id);
      if (resource !== rule.resource) continue;
      if (content === null) gone.push(id);
      else addOwner(owners, rule, content);
    }
    if (gone.length === 0) continue;
    const stored = await db.query(readOwners(names, rule), [JSON.stringify(gone)]);
    for (const { owner } of stored.rows as { owner: string }[]) owners.add(owner);
  }
  return [...owners];
}

function addOwner(owners: Set<string>, rule: EmptyRows, content: object | undefined): void {
  const owner = content === undefined ? null : ownerOf(rule, content);
  if (owner !== null) owners.add(owner);
}

/** Whether a row appears or goes, rather than changes. A row that was never live counts as absent. */
function isStructural({ content, wasLive }: VersionWrite): boolean {
  return content === null || (content !== undefined && !wasLive);
}

async function write(
  { names, chosen }: CommitContext,
  db: Queryable,
  batch: Batch,
  planned: Planned,
): Promise<void> {
  const judged = [
    ...planned.versions.map(({ resource, id, from, next }) => ({
      resource,
      id,
      was: from,
      ...next,
    })),
    ...planned.unchanged.map(({ resource, id, revision }) => ({
      resource,
      id,
      was: revision,
      revision,
    })),
  ];
  if (judged.length + planned.receipts.length + planned.wishes.length === 0) return;
  const values: unknown[] = [
    batch.now,
    batch.now + ASK_DELAY,
    JSON.stringify(judged),
    JSON.stringify(
      planned.receipts.map(({ eventId, objectId, ...rest }) => ({
        event_id: eventId,
        object_id: objectId,
        ...rest,
      })),
    ),
    jsonText(planned.wishes),
    judged.length,
    planned.receipts.length,
  ];
  const touched = chosen.filter((name) =>
    planned.versions.some(({ resource, content }) => resource === name && content !== undefined),
  );
  const parameters = touched.map((resource, index) => {
    const writes = planned.versions.filter((each) => each.resource === resource);
    const puts = writes.filter(({ content }) => content !== undefined && content !== null);
    values.push(
      jsonText(puts.map(({ id, content }) => ({ id, content }))),
      JSON.stringify(writes.filter(({ content }) => content === null).map(({ id }) => id)),
    );
    const first = COMMIT_PARAMETERS + 2 * index + 1;
    return { resource, rows: first, gone: first + 1 };
  });
  await db.query(writeCommit(names, chosen, parameters), values);
}

/** The customers that the written claims point at, before and after: their links may change. */
async function claimedBefore(
  { pool, names }: CommitContext,
  records: readonly RecordWrite[],
): Promise<readonly string[]> {
  const claims = records.filter(({ kind }) => kind === "claim");
  if (claims.length === 0) return [];
  const { rows } = await pool.query(
    `SELECT ref FROM ${names.records} WHERE kind = 'claim' AND ref IS NOT NULL
     AND id IN (SELECT json_array_elements_text($1::text::json))`,
    [JSON.stringify(claims.map(({ id }) => id))],
  );
  const after = claims.flatMap(({ next }) => (next?.ref == null ? [] : [next.ref]));
  return [...new Set([...(rows as { ref: string }[]).map(({ ref }) => ref), ...after])];
}

async function applyRecords(
  { names, chosen }: CommitContext,
  connection: Queryable,
  records: readonly RecordWrite[],
  customers: readonly string[],
): Promise<void> {
  const writes = records.map(({ kind, id, expect, next }) => ({
    kind,
    id,
    expect,
    gone: next === null,
    ref: next?.ref ?? null,
    due: next?.due ?? null,
    data: next?.data ?? null,
  }));
  const { rows } = await connection
    .query(writeRecords(names), [jsonText(writes)])
    .catch((error: unknown) => {
      const claim = records.find(({ kind, next }) => kind === "claim" && next?.ref != null);
      if (sqlState(error) === UNIQUE_VIOLATION && claim !== undefined) {
        throw new RecordConflict({ kind: claim.kind, id: claim.id });
      }
      throw error;
    });
  const done = new Set(
    (rows as { kind: string; id: string }[]).map(({ kind, id }) => `${kind} ${id}`),
  );
  const refused = records.find(({ kind, id }) => !done.has(`${kind} ${id}`));
  if (refused !== undefined) throw new RecordConflict({ kind: refused.kind, id: refused.id });
  const linked = linkedResource(chosen);
  if (linked !== undefined && customers.length > 0) {
    await connection.query(relink(names, linked), [JSON.stringify(customers)]);
  }
}

/** A random pause that grows, so that those who collided do not meet again. */
function pause(attempt: number): Promise<void> {
  const longest = Math.min(200, 2 ** attempt);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
