/**
 * Answers asks: retrieves objects whose state is in doubt and writes them, unless something was
 * written in between. A worker may die at any point; its asks are due again after the lease.
 */
import type Stripe from "stripe";
import { entityInMetadata } from "../catalogue/carrier.js";
import { listsPerOwner, ownerFieldOf, ownerIn, type ResourceName } from "../catalogue/catalogue.js";
import type { Listing, Mirrorable, Retrieval } from "../catalogue/resource.js";
import { resources } from "../catalogue/resources.js";
import { observeCustomer } from "../customers/setup.js";
import { recordStrangers, strangerBy } from "../customers/strangers.js";
import { hash } from "../mirror/content/hash.js";
import { LONGEST_PAUSE } from "../mirror/due.js";
import { type AnswerHeaders, headerOf } from "../mirror/headers.js";
import type { Interval } from "../mirror/interval.js";
import { ASK_DELAY } from "../mirror/rule.js";
import { answeredAt, plain, stripeStatus } from "../mirror/snapshot.js";
import type { Ask, Lease, Outcome, Snapshot, StoredRecord } from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import { errorType, factsOf } from "../runtime/error-facts.js";
import { removal } from "../runtime/records/record.js";
import type { Runtime } from "../runtime/runtime.js";
import { type Annotate, observed } from "../runtime/telemetry/telemetry.js";
import { checkPlace } from "../stripe/account.js";
import { paced } from "../stripe/pacer.js";

// mutant "no watchdog": 30_000 -> 1_800_000
const LEASE = 30_000;
/** How often an answer that a caller waits for may be overtaken before the ask is postponed. */
const ROUNDS = 5;
/**
 * Milliseconds after which Stripe is asked again, at least: when it limits us, when it does not answer, and
 * when the key may not ask. What is forbidden stays so for a while, and must not take the turns of the rest.
 */
const LIMITED = 3_000;
const FAILED = 10_000;
const FORBIDDEN = 300_000;

/** How asks are taken that are due, or will be within so many milliseconds. */
export const askLease = ({ now }: Runtime, limit = 20, ahead = 0): Lease => ({
  now: now() + ahead,
  lease: LEASE - ahead, // from now on
  limit,
});

/**
 * Takes and answers asks that are due, or will be within so many milliseconds, one after another;
 * answers how many were settled.
 */
export async function answerAsks(runtime: Runtime, limit = 20, ahead = 0): Promise<number> {
  await checkPlace(runtime); // to a key of another account what it is asked about would be gone
  const asks = await runtime.store.takeAsks(askLease(runtime, limit, ahead));
  let settled = 0;
  // Once each: what overtakes an answer is often the next event of a burst, and not the last.
  for (const ask of asks) if (await answerDue(runtime, ask)) settled++;
  return settled;
}

/** Answers an ask that was due. What goes wrong with one is no reason to leave the others. */
async function answerDue(runtime: Runtime, ask: Ask): Promise<boolean> {
  if (!runtime.resources.includes(ask.resource)) {
    // Another version or configuration of the application asked.
    await runtime.store.postponeAsk(ask, runtime.now() + LONGEST_PAUSE);
    return false;
  }
  try {
    return await answerAsk(runtime, ask, { rounds: 1 });
  } catch (error) {
    const line = { object: ask.id, resource: ask.resource, ...factsOf(error) };
    runtime.log?.error(line, "What Stripe answered could not be stored; trying again later");
    await postpone(runtime, ask, pauseAfter(error, ask));
    return false;
  }
}

/**
 * Answers all that is in doubt, also what another worker has in hand, or has put off for less than a
 * lease: to ask twice does no harm. Answers how many are settled, by whichever worker.
 */
export async function settleAsks(runtime: Runtime, limit: number): Promise<number> {
  await checkPlace(runtime);
  const asks = await runtime.store.takeAsks(askLease(runtime, limit, LEASE));
  let settled = 0;
  for (const ask of asks) {
    const isAnswered = await answerDue(runtime, ask);
    if (isAnswered || !(await isInDoubt(runtime, ask))) settled++;
  }
  return settled;
}

async function isInDoubt({ store }: Runtime, { resource, id }: Ask): Promise<boolean> {
  return (await store.version(resource, id))?.stale === true;
}

/** How an ask is answered. */
interface Asking {
  readonly awaited: boolean;
  /** How often it may be overtaken. */
  readonly rounds: number;
  /** Whose the object is, where that is known and the object does not say it. */
  readonly owner?: string;
}

/**
 * Answers one ask. False if Stripe could not be asked now, or if the answer was overtaken too
 * often: the ask is then postponed. With a caller waiting, the request does not wait for the pacer.
 */
export function answerAsk(
  runtime: Runtime,
  ask: Ask,
  { awaited = false, rounds = ROUNDS, ...whose }: Partial<Asking> = {},
): Promise<boolean> {
  return observed(runtime.telemetry, "refetch", (annotate) => {
    annotate?.({ resource: ask.resource, object: ask.id });
    return answer(runtime, ask, { awaited, rounds, ...whose }, annotate);
  });
}

async function answer(
  runtime: Runtime,
  ask: Ask,
  { rounds, ...how }: Asking,
  annotate: Annotate | undefined,
): Promise<boolean> {
  let { revision } = ask;
  for (let round = 0; round < rounds; round++) {
    const refresh = await refreshWaitingFor(runtime, ask);
    let snapshot: Snapshot;
    try {
      snapshot = await retrieve(runtime, ask.resource, ask.id, revision, how);
    } catch (error) {
      annotate?.({ outcome: "failed", "error.type": errorType(error) });
      const line = { object: ask.id, resource: ask.resource, ...factsOf(error) };
      runtime.log?.warn(line, "Stripe could not be asked; trying again later");
      await postpone(runtime, { ...ask, revision }, pauseAfter(error, ask));
      return false;
    }
    // mutant "a refresh dropped by an earlier reading": refresh -> await refreshWaitingFor(runtime, ask)
    const outcome = await store(runtime, snapshot, refresh);
    if (outcome?.act === "aside") {
      annotate?.({ outcome: "set_aside" });
      await runtime.store.postponeAsk({ ...ask, revision }, runtime.now() + LONGEST_PAUSE);
      return false;
    }
    if (outcome?.act !== "retry") {
      annotate?.({ outcome: snapshot.kind === "changed" ? "stored" : snapshot.kind });
      const line = { object: ask.id, resource: ask.resource, found: snapshot.kind };
      runtime.log?.info(line, "An object was read from Stripe");
      if (ask.resource === "customers") await followAnswer(runtime, snapshot);
      return true;
    }
    revision = outcome.revision;
  }
  annotate?.({ outcome: "overtaken" });
  await postpone(runtime, { ...ask, revision }, ASK_DELAY);
  return false;
}

/** An unusable event has no metadata of the customer; the retrieved object does. */
async function followAnswer(runtime: Runtime, { id, content }: Snapshot): Promise<void> {
  const { metadata } = (content ?? {}) as { readonly metadata?: unknown };
  const entity = entityInMetadata(metadata, runtime.app);
  if (entity.is === "none") return;
  const stranger = strangerBy(entity, id);
  if (stranger !== undefined) return recordStrangers(runtime, [stranger]);
  if (entity.is !== "ours") return;
  await observeCustomer(runtime, { id, entityId: entity.entityId, idempotencyKey: null });
}

/**
 * The pending refresh of a subscription's customer, where it has no other: reading that one from now
 * on answers it, so it can be dropped; a later hint raises its revision.
 */
async function refreshWaitingFor(
  { store }: Runtime,
  { resource, id }: Ask,
): Promise<StoredRecord | undefined> {
  if (resource !== "subscriptions") return undefined;
  const row = await store.row(resource, id);
  if (row === undefined) return undefined;
  const refresh = await store.record("refresh", row.customerId);
  if (refresh === undefined) return undefined;
  const { ids } = await store.related(resource, "customerId", row.customerId, "", 2);
  // mutant "reading one subscription answers for the others": ids.length > 1 -> false
  return ids.length > 1 ? undefined : refresh;
}

/**
 * Writes an answer and drops the refresh that it answers, unless an event has requested it again.
 */
async function store(
  runtime: Runtime,
  snapshot: Snapshot,
  refresh: StoredRecord | undefined,
): Promise<Outcome | undefined> {
  const seen = { source: "answer", units: [{ snapshots: [snapshot] }] } as const;
  const needless = snapshot.kind === "changed" && refresh !== undefined ? [refresh] : [];
  const records = needless.map(removal);
  const both = records.length === 0 ? undefined : await commit(runtime, { ...seen, records });
  const [unit] = (both?.committed ? both : await commit(runtime, seen)).units;
  return unit?.duplicate === false ? unit.outcomes[0] : undefined;
}

/**
 * Postpones the ask and wakes a worker then. If this process dies here, the ask is due after its
 * lease.
 */
async function postpone(runtime: Runtime, ask: Ask, delay: number): Promise<void> {
  await runtime.store.postponeAsk(ask, runtime.now() + delay);
  runtime.wake(delay);
  const { revision } = (await runtime.store.version(ask.resource, ask.id)) ?? ask;
  // If something was written meanwhile, the ask could not be postponed, and ends with its lease.
  if (revision !== ask.revision) runtime.wake(LEASE);
}

/** Stripe's Retry-After if it has one, with a random spread for objects that failed together. */
function pauseAfter(error: unknown, { id, revision }: Ask): number {
  const status = stripeStatus(error);
  const least = status === 429 ? LIMITED : status === 403 ? FORBIDDEN : FAILED;
  const { headers } = error as { headers?: AnswerHeaders };
  const said = Number(headerOf(headers, "retry-after") ?? 0) * 1000;
  const spread = 1 + hash(`${id} ${revision}`) / 2 ** 32;
  const asked = Number.isFinite(said) ? Math.min(said, LONGEST_PAUSE) : 0;
  return Math.round(Math.max(least, asked) * spread); // times are whole
}

/** Asks Stripe for one object, whole: what it cut from a list inside is fetched too. */
export async function retrieve(
  runtime: Runtime,
  resource: ResourceName,
  id: string,
  askedAt: number,
  { awaited = false, owner: given }: { readonly awaited?: boolean; readonly owner?: string } = {},
): Promise<Snapshot> {
  const stripe = runtime.stripe();
  const known = given ?? (await ownerKept(runtime, resource, id));
  let startedAt = runtime.now();
  const turn: Turn = (endpoint, send) => (awaited ? send() : paced(runtime, endpoint, send));
  const base = { resource, id, origin: "answer", usable: true, askedAt } as const;
  let object: Mirrorable | { readonly deleted: true };
  try {
    // Each entry retrieves its own type; here only the id and the mark of a deletion are read.
    const call = resources[resource].retrieve as unknown as Retrieval<Mirrorable>;
    const send = () => {
      startedAt = runtime.now(); // the wait for the pacer is no part of the answer's time
      return call(stripe, id, {}, known);
    };
    object = await turn(`GET ${resource}/{id}`, send);
  } catch (error) {
    if (stripeStatus(error) !== 404) throw error;
    const headers = (error as Stripe.errors.StripeError).headers ?? {};
    const interval = answeredAt(runtime, { lastResponse: { headers } }, startedAt);
    return { ...base, ...interval, kind: "missing", content: null };
  }
  const interval = answeredAt(runtime, object, startedAt);
  if ("deleted" in object && object.deleted === true) {
    return { ...base, ...interval, kind: "deleted", content: null };
  }
  const whole = await completed(runtime, turn, { resource, id, object, startedAt, interval });
  const found = {
    ...base,
    ...whole.interval,
    kind: "changed",
    content: plain(whole.object),
  } as const;
  if (ownerFieldOf(resource) === undefined) return found;
  const owner = known ?? (await ownerAt(runtime, turn, resource, object as Mirrorable));
  // It cannot be kept without its owner, and the list of that one brings it back.
  return owner === undefined ? { ...found, kind: "missing", content: null } : { ...found, owner };
}

/** The owner that the row of an object names, where the object does not. */
async function ownerKept(
  { store }: Runtime,
  resource: ResourceName,
  id: string,
): Promise<string | undefined> {
  if (ownerFieldOf(resource) === undefined) return undefined;
  return ownerIn(resource, await store.row(resource, id)) ?? undefined;
}

/** The owner of an object of which there is no row, if Stripe can be asked for it. */
async function ownerAt(
  runtime: Runtime,
  turn: Turn,
  resource: ResourceName,
  object: Mirrorable,
): Promise<string | undefined> {
  const find = listsPerOwner(resource)?.ownerOf;
  if (find === undefined) return undefined;
  return turn(`GET ${resource}/{id}/owner`, () => find(runtime.stripe(), object));
}

/** The object with its cut lists completed; the interval then reaches to the last answer. */
async function completed(
  runtime: Runtime,
  turn: Turn,
  { resource, id, object, startedAt, interval }: Answer,
): Promise<{ object: object; interval: Interval }> {
  const entry = resources[resource];
  const lists = "cutLists" in entry ? entry.cutLists : [];
  let { lo, hi } = interval;
  let whole = object;
  for (const { path, rest } of lists) {
    const list = (whole as Record<string, CutList | undefined>)[path];
    if (!list?.has_more) continue;
    const call: Listing<{ id: string }> = rest(id) as never;
    const data = [...list.data];
    for (let more = true; more; ) {
      const last = data.at(-1)?.id;
      const page = await turn(`GET ${resource}/{id}/${path}`, () =>
        call(runtime.stripe(), { limit: 100, ...(last ? { starting_after: last } : {}) }),
      );
      const seen = answeredAt(runtime, page, startedAt);
      lo = Math.min(lo, seen.lo);
      hi = Math.max(hi, seen.hi);
      data.push(...page.data);
      more = page.has_more;
    }
    whole = { ...whole, [path]: { ...list, data, has_more: false } };
  }
  return { object: whole, interval: { lo, hi } };
}

/** Sends a request through the pacer. */
type Turn = <T>(endpoint: string, send: () => PromiseLike<T>) => PromiseLike<T>;

interface Answer {
  readonly resource: ResourceName;
  readonly id: string;
  readonly object: object;
  readonly startedAt: number;
  readonly interval: Interval;
}

interface CutList {
  readonly has_more: boolean;
  readonly data: readonly { readonly id: string }[];
}
