/**
 * One commit, in one of two ways. Most batches only change rows that exist: they are read, judged
 * and written in two statements without a transaction, and the write takes itself back if anything
 * moved in between. A batch that adds or removes rows that others depend on, carries records, or
 * has lost that race, runs in a transaction that locks what it judges.
 */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { keyOf } from "../../core/mirror/plan.js";
import type { Batch, Committed } from "../../core/mirror/store.js";
import { type PoolLike, sqlState, transaction, UNIQUE_VIOLATION } from "../database.js";
import type { Names } from "../store/names.js";
import { isNotPrepared, type Prepared, type Run } from "../store/prepared.js";
import { applyRecords, claimedBefore, RecordConflict } from "./apply-records.js";
import { createMemory, type Memory } from "./memory.js";
import {
  type Affected,
  allOf,
  type Judged,
  judge,
  judgeBy,
  objectsIn,
  ownersAffected,
} from "./plan.js";
import { DIVISION_BY_ZERO, explained, refusalOf } from "./refusal.js";
import { lockOwners, type ObjectKey, settleEmptyRows } from "./sql.js";
import { createWriter, WRITTEN, type Writer } from "./write-statement.js";

export interface CommitOptions {
  readonly pool: PoolLike;
  /** Begins a transaction. */
  readonly begin: string;
  readonly prepared: Prepared;
  readonly names: Names;
  readonly chosen: readonly ResourceName[];
  readonly retried?: (() => void) | undefined;
}

interface CommitContext extends CommitOptions {
  readonly memory: Memory;
  readonly statementFor: Writer;
}

/** How many versions are remembered at least. */
const REMEMBERED = 10_000;

/** Serialisation failure, deadlock, a write that took itself back: the same work again has every chance. */
const PASSING = new Set(["40001", "40P01", DIVISION_BY_ZERO, UNIQUE_VIOLATION]);
/** After so many lost races the batch locks what it judges. */
const OPTIMISTIC_TRIES = 2;
const TRIES = 40;
/** Something changed between the judgement and the write, and nothing was written. */
class Overtaken extends Error {}

function isPassing(error: unknown): boolean {
  if (refusalOf(error) !== undefined) return false;
  return error instanceof Overtaken || isNotPrepared(error) || PASSING.has(sqlState(error) ?? "");
}

/** Commits batches, each for itself. */
export function createCommit(options: CommitOptions): (batch: Batch) => Promise<Committed> {
  const { names, chosen } = options;
  const context: CommitContext = {
    ...options,
    memory: createMemory(REMEMBERED),
    statementFor: createWriter(names, chosen),
  };
  return (batch) =>
    commit(context, batch).catch((error: unknown) => {
      throw explained(error);
    });
}

async function commit(context: CommitContext, batch: Batch): Promise<Committed> {
  const { names, chosen, memory } = context;
  const { run } = context.prepared;
  const hasRecords = (batch.records ?? []).length > 0;
  const objects = objectsIn(batch);
  let owners: readonly string[] = [];
  const remembered = hasRecords ? undefined : await commitFromMemory(context, batch, objects);
  if (remembered !== undefined) return remembered;
  for (let attempt = 1; ; attempt++) {
    try {
      if (!hasRecords && owners.length === 0 && attempt <= OPTIMISTIC_TRIES) {
        const judged = await judge(names, run, batch, objects, false);
        memory.compare(
          new Map(
            objects.map(({ resource, id }) => [keyOf(resource, id), judged.was(resource, id)]),
          ),
        );
        owners = allOf(await ownersAffected(names, chosen, run, judged));
        if (owners.length > 0) continue;
        await write(context, run, batch, judged, []);
        return { committed: true, units: judged.planned.outcomes };
      }
      return await commitLocked(context, batch, objects, owners);
    } catch (error) {
      if (error instanceof RecordConflict) return { committed: false, conflict: error.write };
      if (attempt >= TRIES || !isPassing(error)) throw error;
      context.retried?.();
      await pause(attempt);
    }
  }
}

/** The commit of events about objects whose versions are all remembered, in one round trip. */
async function commitFromMemory(
  context: CommitContext,
  batch: Batch,
  objects: readonly ObjectKey[],
): Promise<Committed | undefined> {
  if (objects.length === 0) return undefined;
  const { memory, names, chosen } = context;
  const { run } = context.prepared;
  const versions = memory.recall(objects.map(({ resource, id }) => keyOf(resource, id)));
  const judged = versions && judgeBy(batch, versions);
  if (judged === undefined) return undefined;
  if ((await ownersAffected(names, chosen, run, judged)).length > 0) return undefined;
  try {
    await write(context, run, batch, judged, []);
    return { committed: true, units: judged.planned.outcomes };
  } catch (error) {
    if (!isPassing(error)) throw error;
    return undefined; // what is read now shows whether the memory was wrong, or the event known
  }
}

async function commitLocked(
  context: CommitContext,
  batch: Batch,
  objects: readonly ObjectKey[],
  expected: readonly string[],
): Promise<Committed> {
  const { names, chosen, pool, begin } = context;
  const records = batch.records ?? [];
  const customers = await claimedBefore(names, context.prepared.run, records);
  return transaction(
    pool,
    async (connection) => {
      const run = context.prepared.on(connection);
      const held = new Set([...expected, ...customers]);
      if (held.size > 0) await run(lockOwners([...held]));
      const judged = await judge(names, run, batch, objects, true);
      if (records.length > 0) await applyRecords(names, chosen, run, records, customers);
      // What was judged now may concern owners that were not foreseen; their locks come late, which
      // is safe because whoever else wants them holds no row that this transaction waits for.
      const affected = await ownersAffected(names, chosen, run, judged);
      const late = allOf(affected).filter((owner) => !held.has(owner));
      if (late.length > 0) await run(lockOwners(late));
      await write(context, run, batch, judged, affected);
      for (const each of affected) {
        if (each.emptied.length === 0) continue;
        await run(settleEmptyRows(names, each.rule, allOf([each]), batch.now));
      }
      return { committed: true, units: judged.planned.outcomes };
    },
    begin,
  );
}

async function write(
  { statementFor, memory, prepared }: CommitContext,
  run: Run,
  batch: Batch,
  judged: Judged,
  affected: readonly Affected[],
): Promise<void> {
  const statement = statementFor(judged, affected, batch.now);
  if (statement === undefined) return;
  const [answer] = (await run(statement)) as { ok: number }[];
  if (answer?.ok !== WRITTEN) throw new Overtaken("Something changed between judgement and write");
  prepared.grown(judged.planned.versions.length);
  for (const { resource, id, next } of judged.planned.versions) {
    if (batch.source === "page") memory.renew(keyOf(resource, id), next);
    else memory.keep(keyOf(resource, id), next);
  }
}

/** A random pause that grows, so that those who collided do not meet again. */
function pause(attempt: number): Promise<void> {
  const longest = Math.min(200, 2 ** attempt);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
