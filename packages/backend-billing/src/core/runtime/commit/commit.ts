/**
 * The gateway: every commit of the core passes here, and no other file can reach the port's
 * `commit`. It gives a batch its time, passes on where it
 * comes from, sets aside what cannot be stored, and wakes the background
 * for what the commit left to do. What must happen with every commit belongs here.
 */
import { ASK_DELAY } from "../../mirror/rule.js";
import type {
  Batch,
  Committed,
  RecordWrite,
  Snapshot,
  Source,
  Store,
  Unit,
  UnitOutcome,
} from "../../mirror/store.js";
import { commitApart } from "./apart.js";
import { idProblem, isUnstorable } from "./set-aside.js";

const PORT: unique symbol = Symbol("the port's commit");

interface Port {
  readonly commit: Store["commit"];
  /** Called for each object that was set aside, once that is committed. */
  readonly setAside: (snapshot: Snapshot, reason: string) => void;
}

/** The store as the core has it: everything but `commit`, which only the gateway reaches. */
export interface CoreStore extends Omit<Store, "commit"> {
  readonly [PORT]: Port;
}

/** Puts a store behind the gateway. */
export function behindGateway(store: Store, setAside: Port["setAside"]): CoreStore {
  const { commit: own, ...calls } = store;
  return { ...calls, [PORT]: { commit: own, setAside } };
}

/** What the gateway needs; the runtime has it. */
export interface CommitContext {
  readonly store: CoreStore;
  now(): number;
  wake(delay: number): void;
}

interface WithoutRecords {
  readonly source: Exclude<Source, "record">;
  readonly units: readonly Unit[];
  readonly records?: never;
}

type WithRecords =
  | (Omit<WithoutRecords, "records"> & { readonly records: readonly RecordWrite[] })
  | {
      readonly source: "record";
      readonly units?: never;
      readonly records: readonly RecordWrite[];
    };

/** What became of a commit that has no records: they alone can conflict. */
export type Stored = Extract<Committed, { readonly committed: true }>;

/** Commits in one transaction, or in several where an object cannot be stored and is set aside. */
export function commit(context: CommitContext, what: WithoutRecords): Promise<Stored>;
export function commit(context: CommitContext, what: WithRecords): Promise<Committed>;
export async function commit(
  context: CommitContext,
  { source, units = [], records }: WithoutRecords | WithRecords,
): Promise<Committed> {
  const now = context.now();
  const result = await transact(context.store, {
    source,
    now,
    units,
    ...(records === undefined ? {} : { records }),
  });
  if (result.committed) wakeAfter(context, now, units, result.units);
  else if (records === undefined) throw new Error("A commit without records cannot conflict");
  return result;
}

async function transact(store: CoreStore, batch: Batch): Promise<Committed> {
  const port = store[PORT];
  let refusal: Error | undefined;
  if (!hasBadId(batch)) {
    try {
      return await port.commit(batch);
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      refusal = error;
    }
  }
  return commitApart({ ...port, version: store.version }, batch, refusal);
}

function hasBadId({ units }: Batch): boolean {
  for (const { snapshots = [] } of units) {
    for (const { id } of snapshots) if (idProblem(id) !== undefined) return true;
  }
  return false;
}

/** Has the background look at what these units left to do, when it falls due. */
function wakeAfter(
  context: CommitContext,
  now: number,
  units: readonly Unit[],
  outcomes: readonly UnitOutcome[],
): void {
  let isAsked = false;
  let requested = Number.NEGATIVE_INFINITY;
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.duplicate) continue;
    isAsked ||= outcome.outcomes.some(({ act }) => act === "ask");
    for (const { due } of units[index]?.requests ?? []) requested = Math.max(requested, due);
  }
  if (isAsked) context.wake(ASK_DELAY);
  if (Number.isFinite(requested)) context.wake(Math.max(0, requested - now));
}
