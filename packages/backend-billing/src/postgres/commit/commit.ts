/**
 * One commit, in one of three ways. What this process remembers, or what is expected of records, may
 * be enough to plan by: then it is one statement. Otherwise the facts are read, and it is two. The
 * write takes itself back if anything that the plan depends on has moved. A plan that depends on what
 * no revision guards, or that has lost that race, is made in a transaction that locks what it reads.
 */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { isEventRequest } from "../../core/mirror/changes.js";
import type { Need } from "../../core/mirror/facts.js";
import { listenedIn } from "../../core/mirror/listening.js";
import { type Decided, planCommit, type Undecided } from "../../core/mirror/plan.js";
import type { Batch, Committed, Unit } from "../../core/mirror/store.js";
import { keyOf } from "../../core/mirror/writes.js";
import { type PoolLike, sqlState, transaction, UNIQUE_VIOLATION } from "../database.js";
import type { Names } from "../store/names.js";
import { isNotPrepared, type Prepared, type Run } from "../store/prepared.js";
import { createMemory, type Memory } from "./memory.js";
import {
  givesCustomer,
  guessed,
  type ListeningRecord,
  neededIfNew,
  objectsIn,
  ownersIn,
  planned,
} from "./plan.js";
import { DIVISION_BY_ZERO, explained, refusalOf } from "./refusal.js";
import { lockOwners, lockOwnersPlainly, type ObjectKey } from "./sql.js";
import { createWriter, WRITTEN, type Writer } from "./write-statement.js";

export interface CommitOptions {
  readonly pool: PoolLike;
  /** Begins a transaction. */
  readonly begin: string;
  /** Whether the client takes several statements in one message. */
  readonly takesSeveral: boolean;
  readonly prepared: Prepared;
  readonly names: Names;
  readonly chosen: readonly ResourceName[];
  readonly retried?: (() => void) | undefined;
}

interface CommitContext extends CommitOptions {
  readonly memory: Memory;
  readonly statementFor: Writer;
  readonly last: {
    /** Whether the last page brought mostly objects that were not known: so will the next, mostly. */
    isNewPage: boolean;
    /** What the application listened to when that was last read. */
    listening?: ListeningRecord;
  };
}

/** How many versions are remembered at least. */
const REMEMBERED = 10_000;

/** Serialisation failure, deadlock, a write that took itself back: the same work again has every chance. */
const PASSING = new Set(["40001", "40P01", DIVISION_BY_ZERO, UNIQUE_VIOLATION]);
/** After so many lost races the batch locks what it judges. */
const OPTIMISTIC_TRIES = 2;
const TRIES = 40;
/** So many owners are locked by the message that begins the transaction; more by a prepared statement. */
const FEW = 10;
/** Something changed between the judgement and the write, and nothing was written. */
class Overtaken extends Error {}

function isPassing(error: unknown): boolean {
  if (refusalOf(error) !== undefined) return false;
  return error instanceof Overtaken || isNotPrepared(error) || PASSING.has(sqlState(error) ?? "");
}

export interface Committer {
  /** Commits a batch by itself. */
  commit(batch: Batch): Promise<Committed>;
  /** Whether that probably takes one statement: what it is about is remembered, and it asks for nothing else. */
  isQuick(batch: Batch): boolean;
}

export function createCommitter(options: CommitOptions): Committer {
  const { names, chosen } = options;
  const context: CommitContext = {
    ...options,
    memory: createMemory(REMEMBERED),
    statementFor: createWriter(names, chosen),
    last: { isNewPage: false },
  };
  return {
    commit: (batch) =>
      commit(context, batch).catch((error: unknown) => {
        throw explained(error);
      }),
    isQuick: ({ units, records = [] }) =>
      records.length === 0 &&
      // Once a customer was erased, each commit reads whether it is about one.
      listenedIn(context.last.listening?.data, "erased") === null &&
      units.every((unit) => {
        const { snapshots = [], requests = [] } = unit;
        const keys = snapshots.map(({ resource, id }) => keyOf(resource, id));
        return keys.length === 0 || requests.length > 0
          ? isAsItCame(unit)
          : context.memory.recall(keys) !== undefined;
      }),
  };
}

async function commit(context: CommitContext, batch: Batch): Promise<Committed> {
  const objects = objectsIn(batch);
  const likely = await commitLikely(context, batch, objects);
  if (likely !== undefined) return likely;
  const isPage = batch.source === "page";
  const isNew = isPage ? context.last.isNewPage : givesCustomer(batch);
  let expected = isNew ? neededIfNew(batch, context.chosen) : [];
  // A page brings much that is new, which mostly must be locked: it begins with that.
  let optimistic = isPage || expected.length > 0 ? 0 : OPTIMISTIC_TRIES;
  for (let attempt = 1; ; attempt++) {
    try {
      // A write that copies is refused, too, where the row is not there.
      const copies = attempt === 1;
      if (attempt > optimistic) return await commitLocked(context, batch, expected, copies);
      const result = await commitRead(context, batch, objects, copies);
      if (!("missing" in result)) return result;
      expected = result.missing;
      optimistic = 0;
    } catch (error) {
      if (attempt >= TRIES || !isPassing(error)) throw error;
      context.retried?.();
      await pause(attempt);
    }
  }
}

/** An event that is told as it came, and changes nothing else. */
const isAsItCame = ({ snapshots = [], requests = [] }: Unit): boolean =>
  snapshots.length === 0 && requests.length > 0 && requests.every(isEventRequest);

/**
 * Without reading: a commit of events about objects that are all remembered or that are told as they
 * came, or of nothing but records, each expected at a revision. One round trip, if the write finds everything as it was
 * taken to be. Otherwise undefined, as where more must be known.
 */
async function commitLikely(
  context: CommitContext,
  batch: Batch,
  objects: readonly ObjectKey[],
): Promise<Committed | undefined> {
  const { records = [], units } = batch;
  const isOfEvents = objects.length > 0 || units.every(isAsItCame);
  const isPlain = units.length === 0 || (isOfEvents && records.length === 0);
  const keys = objects.map(({ resource, id }) => keyOf(resource, id));
  const versions = isPlain && keys.length > 0 ? context.memory.recall(keys) : new Map();
  if (!isPlain || versions === undefined) return undefined;
  const { listening } = context.last;
  const plan = planCommit(batch, context.chosen, guessed(batch, versions, listening), true);
  // What is judged and not written would leave nothing to find out by.
  if (!("writes" in plan) || plan.unchanged.length > 0) return undefined;
  try {
    await write(context, context.prepared.run, batch, plan, listening);
    return { committed: true, units: plan.outcomes };
  } catch (error) {
    if (!isPassing(error)) throw error;
    return undefined; // what is read now shows what was taken for something else than it is
  }
}

/** Reads and writes in two statements without a transaction; answers what must be locked, if anything. */
async function commitRead(
  context: CommitContext,
  batch: Batch,
  objects: readonly ObjectKey[],
  copies: boolean,
): Promise<Committed | Undecided> {
  const { names, chosen, memory } = context;
  const { run } = context.prepared;
  const { plan, known, listening } = await planned(batch, { names, chosen, run, copies });
  const stored = objects.flatMap(({ resource, id }) => {
    const version = known.version(resource, id);
    return version === undefined ? [] : [[keyOf(resource, id), version ?? undefined] as const];
  });
  memory.compare(new Map(stored));
  if (!("writes" in plan)) return plan;
  await write(context, run, batch, plan, listening);
  return { committed: true, units: plan.outcomes };
}

/** Locks everything that the plan depends on. `expected` is what will be asked for beside the rest. */
async function commitLocked(
  context: CommitContext,
  batch: Batch,
  expected: readonly Need[],
  copies: boolean,
): Promise<Committed> {
  const { names, chosen, pool, begin, takesSeveral } = context;
  const owners = ownersIn(expected);
  const atOnce = takesSeveral && owners.length <= FEW ? owners : [];
  const held = new Set(atOnce);
  return transaction(
    pool,
    async (connection) => {
      const run = context.prepared.on(connection);
      // Owners that were not foreseen are locked late, which is safe: a transaction that wants them too holds no
      // row that this transaction waits for, or one of the two gets a deadlock error and tries again.
      const hold = async (owners: readonly string[]): Promise<void> => {
        const late = owners.filter((owner) => !held.has(owner));
        for (const owner of late) held.add(owner);
        if (late.length > 0) await run(lockOwners(late));
      };
      const reading = { names, chosen, run, hold, expected, copies };
      const { plan, listening } = await planned(batch, reading);
      if ("missing" in plan) throw new Error("A plan that may lock is always decided");
      if (!("writes" in plan)) return plan;
      if (batch.source === "page") context.last.isNewPage = isMostlyNew(plan);
      await write(context, run, batch, plan, listening);
      return { committed: true, units: plan.outcomes };
    },
    atOnce.length === 0 ? begin : `${begin}; ${lockOwnersPlainly(atOnce)}`,
  );
}

function isMostlyNew({ writes }: Decided): boolean {
  const versions = writes.filter((each) => each.write === "putVersion");
  return versions.filter(({ from }) => from === null).length > versions.length / 2;
}

async function write(
  { statementFor, memory, prepared, last }: CommitContext,
  run: Run,
  batch: Batch,
  plan: Decided,
  listening: ListeningRecord | undefined,
): Promise<void> {
  if (listening !== undefined) last.listening = listening;
  // mutant "a change is written after its row": statementFor(plan, -> statementFor({ ...plan, writes: plan.writes.filter((each) => !("record" in each)) },
  const statement = statementFor(plan, batch.now, listening?.revision);
  if (statement === undefined) return;
  const [answer] = (await run(statement)) as { ok: number }[];
  if (answer?.ok !== WRITTEN) throw new Overtaken("Something changed between plan and write");
  const versions = plan.writes.filter((each) => each.write === "putVersion");
  // mutant "a change is written after its row": prepared.grown(versions.length); -> await run(statementFor({ ...plan, unchanged: [], writes: plan.writes.filter((each) => "record" in each) }, batch.now, undefined) ?? statement);
  prepared.grown(versions.length);
  for (const { resource, id, next } of versions) {
    if (batch.source === "page") memory.renew(keyOf(resource, id), next);
    else memory.keep(keyOf(resource, id), next);
  }
}

/** A random pause that grows, so that transactions that collided do not collide again. */
function pause(attempt: number): Promise<void> {
  const longest = Math.min(200, 2 ** attempt);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
