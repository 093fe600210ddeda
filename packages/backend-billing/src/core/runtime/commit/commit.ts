/**
 * The gateway: every commit of the core passes here, and no other file can reach the port's
 * `commit`. It gives a batch its time, passes on where it
 * comes from, sets aside what cannot be stored, and wakes the background
 * for what the commit left to do. What must happen with every commit belongs here.
 */
import { creditsLeftBy } from "../../mirror/credits.js";
import { AWAKE } from "../../mirror/due.js";
import { LISTENING } from "../../mirror/listening.js";
import { ASK_DELAY } from "../../mirror/rule.js";
import { sharesLeftBy } from "../../mirror/shares.js";
import type {
  Batch,
  Committed,
  RecordRequest,
  RecordWrite,
  Snapshot,
  Source,
  Store,
  Unit,
  UnitOutcome,
} from "../../mirror/store.js";
import { commitApart } from "./apart.js";
import { lookId } from "./lapse.js";
import { followingIn, isToCount, pricesOf, startRequest } from "./seats.js";
import { idProblem, isUnstorable } from "./set-aside.js";

const PORT: unique symbol = Symbol("the port's commit");

interface Port {
  readonly commit: Store["commit"];
  /** Called for each object that was set aside, once that is committed. */
  readonly setAside: (snapshot: Snapshot, reason: string) => void;
  /** Undefined where the application counts no seats. */
  readonly seats: SeatsToCount | undefined;
  /** Undefined where this process tells the application nothing. */
  readonly listener: Listener | undefined;
  /** Whether the application's plans include anything. */
  readonly shares: boolean;
}

/** Who waits for changes of rows. */
export interface Listener {
  /** What must be waited for before anything is committed; undefined for nothing. */
  before(context: CommitContext): Promise<unknown> | undefined;
  /** Rows were written. */
  changed(): void;
}

/** What the gateway needs to have seats counted when a subscription begins. */
interface SeatsToCount {
  /** Milliseconds after which they are counted. */
  readonly delay: number;
  /** Whether prices and products are mirrored. */
  readonly knowsOffers: boolean;
}

/** The store as the core has it: everything but `commit`, which only the gateway reaches. */
export interface CoreStore extends Omit<Store, "commit"> {
  readonly [PORT]: Port;
}

/** Puts a store behind the gateway. */
export function behindGateway(
  store: Store,
  setAside: Port["setAside"],
  seats?: SeatsToCount,
  listener?: Listener,
  shares = false,
): CoreStore {
  const { commit: own, ...calls } = store;
  return { ...calls, [PORT]: { commit: own, setAside, seats, listener, shares } };
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
  const { seats, listener, shares } = context.store[PORT];
  const isSaid = records?.some(({ kind, id }) => kind === LISTENING.kind && id === LISTENING.id);
  const first = isSaid ? undefined : listener?.before(context);
  if (first !== undefined) await first;
  const now = context.now();
  const lapsing = withLapses(units, now);
  // Without a pause where nothing is counted: calls that are made at one moment may become one.
  const asked =
    seats === undefined ? lapsing : await withStarts(context.store, lapsing, now, seats);
  const result = await transact(context.store, {
    source,
    now,
    draw: crypto.randomUUID(),
    units: asked,
    ...(shares ? { shares } : {}),
    ...(records === undefined ? {} : { records }),
  });
  if (result.committed) {
    wakeAfter(context, now, asked, result.units);
    if (units.length > 0 || records?.some(isListened)) listener?.changed();
  } else if (records === undefined) throw new Error("A commit without records cannot conflict");
  return result;
}

/** Of these records the application may be told something. */
const isListened = ({ kind }: RecordWrite): boolean => kind === "claim" || kind === "change";

/** Milliseconds in which the invoice that was not paid can arrive, too. */
const LAPSE_DELAY = 2_000;

/** Requests a look at when the grace ends, for each subscription that is past due. */
function withLapses(units: readonly Unit[], now: number): readonly Unit[] {
  if (!units.some(({ snapshots = [] }) => snapshots.some(isPastDue))) return units;
  return units.map((unit) => {
    const late = (unit.snapshots ?? []).filter(isPastDue);
    if (late.length === 0) return unit;
    const lapses = late.map(
      ({ id }): RecordRequest => ({
        kind: "lapse",
        id: lookId(id),
        due: now + LAPSE_DELAY,
        data: {},
      }),
    );
    return { ...unit, requests: [...(unit.requests ?? []), ...lapses] };
  });
}

function isPastDue({ resource, content }: Snapshot): boolean {
  return (
    resource === "subscriptions" && (content as { status?: unknown } | null)?.status === "past_due"
  );
}

/**
 * Requests a count of the seats for each subscription that begins, or that has other prices, as far
 * as the application counts them. Of two commits that both bring such a one, the first finds none.
 */
async function withStarts(
  store: CoreStore,
  units: readonly Unit[],
  now: number,
  seats: SeatsToCount,
): Promise<readonly Unit[]> {
  const shown = units.flatMap(({ snapshots = [] }) =>
    snapshots.flatMap((s) => followingIn(s) ?? []),
  );
  if (shown.length === 0) return units;
  const prices = [...new Set(shown.flatMap(pricesOf))];
  const offers = seats.knowsOffers ? await store.offers(prices) : [];
  const started = new Set<string>();
  await Promise.all(
    shown.map(async (subscription) => {
      const { id } = subscription;
      // Without a content before, to spare the reading of those that are not by the seat.
      if (!isToCount(null, subscription, offers)) return;
      const before = (await store.row("subscriptions", id))?.stripe;
      if (isToCount(before, subscription, offers)) started.add(id);
    }),
  );
  if (started.size === 0) return units;
  return units.map((unit) => {
    const own = (unit.snapshots ?? []).filter((each) => followingIn(each) && started.has(each.id));
    const requests = own.map(({ id }) => startRequest(id, now + seats.delay));
    return own.length === 0 ? unit : { ...unit, requests: [...(unit.requests ?? []), ...requests] };
  });
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
  const { shares } = context.store[PORT];
  let [isAsked, isLeft] = [false, false];
  let requested = Number.NEGATIVE_INFINITY;
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.duplicate) continue;
    // What this commit held, a look for asks that came meanwhile has passed over.
    isAsked ||= outcome.outcomes.some(({ act, isInDoubt }) => act === "ask" || isInDoubt);
    const unit = units[index] ?? {};
    for (const { due } of unit.requests ?? []) {
      if (due <= now + AWAKE) requested = Math.max(requested, due);
    }
    isLeft ||= creditsLeftBy(unit, outcome) || (shares && sharesLeftBy(unit, outcome));
  }
  if (isLeft) context.wake(0);
  if (isAsked) context.wake(ASK_DELAY);
  if (Number.isFinite(requested)) context.wake(Math.max(0, requested - now));
}
