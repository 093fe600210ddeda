/**
 * Reads what Stripe lists for one owner only: page by page for a run, or the whole of it after an event
 * which says that it changed. What a whole list lacks is gone.
 */
import type Stripe from "stripe";
import { listsPerOwner, ownerFieldOf, type ResourceName } from "../catalogue/catalogue.js";
import type { Mirrorable, Page } from "../catalogue/resource.js";
import { resources } from "../catalogue/resources.js";
import type { AnswerHeaders } from "../mirror/headers.js";
import type { Interval } from "../mirror/interval.js";
import {
  type ReceivedEvent,
  seenOnPage,
  snapshotOfAbsence,
  snapshotsOfPage,
} from "../mirror/snapshot.js";
import {
  type Outcome,
  outcomesOf,
  type RecordRequest,
  type Snapshot,
  type StoredRecord,
} from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import { idProblem } from "../runtime/commit/set-aside.js";
import type { Runtime } from "../runtime/runtime.js";
import { paced } from "../stripe/pacer.js";
import { answerAsk } from "./refetch.js";

/** The most that Stripe shows at once, and the most rows that are read at once. */
const PAGE = 100;

export interface OwnedPage {
  readonly owner: string;
  readonly data: readonly Mirrorable[];
  readonly has_more: boolean;
  readonly lastResponse?: { readonly headers: AnswerHeaders };
  /** When its request was sent, by this machine's clock. */
  readonly startedAt: number;
}

export interface OwnedList {
  readonly pages: readonly OwnedPage[];
  /** When this was all there is. */
  readonly whole: Interval;
}

/** The pages of an owner's list. Of an owner that is gone there are none. */
export async function listOf(
  runtime: Runtime,
  resource: ResourceName,
  owner: string,
  options: Stripe.RequestOptions = {},
): Promise<OwnedList> {
  const per = listsPerOwner(resource);
  if (per === undefined) throw new RangeError(`${resource} is not listed by owner`);
  const pages: OwnedPage[] = [];
  const seen: Interval[] = [];
  const list = per.list(owner);
  for (let last: string | undefined; ; ) {
    const after: Page = { limit: PAGE, ...(last === undefined ? {} : { starting_after: last }) };
    let startedAt = runtime.now();
    try {
      const page = await paced(runtime, `GET ${resource}`, () => {
        startedAt = runtime.now(); // the wait for the pacer is no part of the answer's time
        return list(runtime.stripe(), after, options);
      });
      pages.push(Object.assign(page, { owner, startedAt }));
      seen.push(seenOnPage(runtime, page, startedAt));
      last = page.data.at(-1)?.id;
      if (!page.has_more || last === undefined) return { pages, whole: around(seen) };
    } catch (error) {
      const { code, headers = {} } = error as Partial<Stripe.errors.StripeError>;
      if (code !== "resource_missing") throw error;
      if (last !== undefined) {
        // What the list went on from is gone: there is only the beginning to go back to.
        last = undefined;
        pages.length = 0;
        seen.length = 0;
        continue;
      }
      // The owner is gone, and what belonged to it with it.
      seen.push(seenOnPage(runtime, { lastResponse: { headers } }, startedAt));
      return { pages, whole: around(seen) };
    }
  }
}

const around = (seen: readonly Interval[]): Interval => ({
  lo: Math.min(...seen.map(({ lo }) => lo)),
  hi: Math.max(...seen.map(({ hi }) => hi)),
});

/** What the record of an owner holds whose list is to be read. */
interface Relisting {
  readonly relist: ResourceName;
  readonly owner: string;
  /** The second of Stripe's time by which it had changed. */
  readonly changed: number;
  /** It was read once, when the list may have lagged behind. */
  readonly again?: true;
}

/** Requests that the list of the owner is read whom an event names, or whose event it is. */
export function relistRequest(
  runtime: Runtime,
  { object, created }: ReceivedEvent,
  relist: ResourceName,
): RecordRequest[] {
  const kind = resources[listsPerOwner(relist)?.owner ?? "customers"].object;
  const owner = object.object === kind ? object.id : object[kind];
  if (typeof owner !== "string" || idProblem(owner) !== undefined) return [];
  const now = runtime.now();
  // What was asked for before is no later than now, and this takes its place, however old its event is.
  const changed = Math.max(created, Math.floor(now / 1000));
  const data = { relist, owner, changed } satisfies Relisting;
  const due = now + runtime.timing.refreshDelay;
  return [{ kind: "refresh", id: `${relist} ${owner}`, due, data }];
}

/** What a record asks to have listed; undefined where it is about a customer's subscriptions. */
export const relistingIn = ({ data }: Pick<StoredRecord, "data">): Relisting | undefined =>
  // Another role of the database may have written it, and then it need not be an object.
  typeof data === "object" && data !== null && "relist" in data
    ? (data as unknown as Relisting)
    : undefined;

/**
 * Reads an owner's list and stores it, and what it lacks as gone. Answers the record of another
 * reading, later, if this one may have been too early to show the change.
 */
export async function relist(
  runtime: Runtime,
  relisting: Relisting,
): Promise<{ readonly data: Relisting; readonly due: number } | undefined> {
  const { relist: resource, owner, changed, again } = relisting;
  if (!runtime.resources.includes(resource)) return undefined;
  const { pages, whole } = await listOf(runtime, resource, owner);
  const shown = pages.flatMap((page) => snapshotsOfPage(runtime, resource, page, page.startedAt));
  const ids = new Set(shown.map(({ id }) => id));
  const gone = (await ownedBy(runtime, resource, owner)).filter((id) => !ids.has(id));
  const snapshots = [...shown, ...gone.map((id) => snapshotOfAbsence(resource, id, whole))];
  const most = runtime.store.limits.snapshots;
  for (let from = 0; from < snapshots.length; from += most) {
    const part = snapshots.slice(from, from + most);
    const { units } = await commit(runtime, { source: "page", units: [{ snapshots: part }] });
    if (!(await answerOwned(runtime, part, outcomesOf(units)))) {
      throw new Error("Stripe could not be asked about what the list showed");
    }
  }
  const { skew, listLag } = runtime.tolerances;
  if (again || whole.lo > changed + skew) return undefined;
  const lag = (listLag + 2 * skew + 1) * 1000;
  return { data: { ...relisting, again: true }, due: runtime.now() + lag };
}

/**
 * Asks at once about what a list showed and was in doubt: later it would not be known whose it is, if
 * there is no row of it. False if Stripe did not answer.
 */
export async function answerOwned(
  runtime: Runtime,
  shown: readonly Snapshot[],
  outcomes: readonly Outcome[],
): Promise<boolean> {
  let isAnswered = true;
  for (const [index, { resource, id, owner }] of shown.entries()) {
    const { act, revision } = outcomes[index] ?? { act: "drop", revision: 0 };
    if (act !== "ask" || owner === undefined) continue;
    isAnswered = (await answerAsk(runtime, { resource, id, revision }, { owner })) && isAnswered;
  }
  return isAnswered;
}

async function ownedBy(
  { store }: Runtime,
  resource: ResourceName,
  owner: string,
): Promise<readonly string[]> {
  const all: string[] = [];
  if (ownerFieldOf(resource) === undefined) return all;
  for (;;) {
    const page = await store.owned(resource, owner, all.at(-1) ?? "", PAGE);
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
