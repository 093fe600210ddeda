/**
 * One page of a list: of a resource's objects, or of events. It resumes where the last page ended,
 * by time if that page's last object is gone, and splits what is left if that proves long.
 */
import type Stripe from "stripe";
import { entityInMetadata } from "../../catalogue/carrier.js";
import { enabledEvents } from "../../catalogue/catalogue.js";
import type { Listing, Page } from "../../catalogue/resource.js";
import { resources } from "../../catalogue/resources.js";
import { recordStrangers, strangerBy } from "../../customers/strangers.js";
import { effectOf } from "../../events/receive.js";
import { headerOf } from "../../mirror/headers.js";
import { plain, readEvent, snapshotsOfPage } from "../../mirror/snapshot.js";
import type { Snapshot, Unit, UnitOutcome } from "../../mirror/store.js";
import { BillingError } from "../../runtime/errors.js";
import { logListed } from "../../runtime/observe.js";
import type { Stranger } from "../../runtime/records/records.js";
import { type Runtime, workersOf } from "../../runtime/runtime.js";
import { isOwnAccount } from "../../stripe/account.js";
import { paced } from "../../stripe/pacer.js";
import { tallyPage } from "../drift/findings.js";
import { EVENTS_KEPT, OVERLAP } from "../run/partitions.js";
import { fresh, groupOf, type Partition, type Pending } from "../run/run.js";
import {
  isByCreated,
  type Listed,
  type ListedPage,
  resourceOf,
  type Step,
  type Stepped,
} from "../run/step.js";
import { beginNext, fetchedAhead, inTurn } from "../work/ahead.js";
import { inlinePrices } from "../work/inline.js";
import { compareListed } from "./scan.js";
import { settlePending } from "./settle.js";
import { roomIn, splitPoints } from "./split.js";

const PAGE = 100;
/**
 * Milliseconds. Where a request waits longer for its turn, a page ahead would not make the list
 * faster, only be lost with a worker that dies.
 */
const SOON = 20;
/** The most event types that one request may name. */
const MOST_TYPES = 20;

/** The event types that matter, in groups that one request can ask for. */
export function eventGroups(runtime: Runtime): readonly (readonly string[])[] {
  const types = enabledEvents(runtime.resources);
  return Array.from({ length: Math.ceil(types.length / MOST_TYPES) }, (_, group) =>
    types.slice(group * MOST_TYPES, (group + 1) * MOST_TYPES),
  );
}

export async function listStep(step: Step): Promise<Stepped> {
  const { runtime, run } = step;
  const settled = await settlePending(step);
  const { at } = settled;
  if (settled.isUnfinished) return { next: at };
  if (at.listed) return { next: { ...at, state: "done" } };
  const page = await (fetchedAhead(runtime, at) ?? nextPage(runtime, at));
  const last = page.data.at(-1);
  const date = secondOf(runtime, page);
  if (isOutdated(at, date)) {
    if (Object.keys(run.made).some((group) => group.startsWith("list "))) throw tookTooLong();
    return { next: { ...at, since: date, state: "done" }, outdated: true };
  }
  const read = await readPage(step, page);
  const next: Partition = {
    ...at,
    cursor: last?.id ?? at.cursor,
    createdAt: last?.created ?? at.createdAt,
    pages: at.pages + 1,
    rows: at.rows + page.data.length,
    since: at.since ?? date,
    listed: !page.has_more,
    pending: read.pending,
    state: page.has_more || read.pending.length > 0 ? "running" : "done",
    ...read.more,
  };
  const room = page.has_more ? roomIn(step.latest(), groupOf(at), workersOf(runtime)) : 0;
  const stepped: Stepped = { ...read.stepped, next, ...splitOf(step, next, page, room) };
  if (!page.has_more || run.kind === "verify" || (page.waited ?? 0) > SOON) return stepped;
  const goesOn = beginNext(runtime, stepped.next, (place) => nextPage(runtime, place));
  return { ...stepped, goesOn };
}

/** Stripe's time when it answered; this machine's if it did not say. */
function secondOf(runtime: Runtime, { lastResponse }: ListedPage): number {
  const date = Date.parse(headerOf(lastResponse?.headers, "date") ?? "") || runtime.now();
  return Math.floor(date / 1000);
}

/** Whether events may be gone that happened since the last time they were read. */
function isOutdated({ task, since, range }: Partition, date: number): boolean {
  if (task !== "events" || since !== null || range.from === null) return false;
  return date - range.from > EVENTS_KEPT + OVERLAP;
}

/** The run stood still for weeks: its listing is old, and Stripe has deleted the events since. */
function tookTooLong(): BillingError {
  return new BillingError(
    "invalid_config",
    "This run took longer than Stripe keeps events, so it cannot be completed. Start it again; it begins anew.",
  );
}

/** The page after the cursor. If the cursor's object is gone, the listing goes on by its time. */
async function nextPage(runtime: Runtime, at: Partition): Promise<ListedPage> {
  const { cursor, createdAt, range } = at;
  const bounds = {
    ...(range.from === null ? {} : { gte: range.from }),
    ...(range.to === null ? {} : { lt: range.to }),
  };
  try {
    return await request(runtime, at, bounds, cursor);
  } catch (error) {
    const { code } = error as Partial<Stripe.errors.StripeError>;
    if (code !== "resource_missing" || cursor === null) throw error;
    // Without a filter on time there is only the beginning to go back to.
    if (createdAt === null || !isByCreated(at.resource)) return request(runtime, at, bounds, null);
    const { gte } = bounds;
    return request(runtime, at, { ...(gte === undefined ? {} : { gte }), lte: createdAt }, null);
  }
}

async function request(
  runtime: Runtime,
  { resource, list }: Partition,
  created: Stripe.RangeQueryParam,
  after: string | null,
): Promise<ListedPage> {
  const page: Page = {
    limit: PAGE,
    ...(after === null ? {} : { starting_after: after }),
    ...(Object.keys(created).length === 0 ? {} : { created }),
  };
  // A page must not outlive the lease, and trying again is for the next step to do, in its turn.
  const options = { maxNetworkRetries: 0, timeout: Math.round(runtime.timing.pageLease * 0.8) };
  let startedAt = runtime.now();
  const send = (): PromiseLike<Stripe.ApiList<Listed>> => {
    startedAt = runtime.now();
    const stripe = runtime.stripe();
    if (resource === "events") {
      const types = [...(eventGroups(runtime)[list] ?? [])];
      return stripe.events.list({ ...page, types }, options);
    }
    if (resource === "asks") throw new Error("Asks are in no list");
    return (resources[resource].lists[list] as unknown as Listing<Listed>)(stripe, page, options);
  };
  const asked = runtime.now();
  const answer = await paced(runtime, `GET ${resource}`, () => inTurn(runtime, send));
  return Object.assign(answer, { startedAt, waited: startedAt - asked });
}

interface Read {
  readonly pending: readonly Pending[];
  readonly stepped: Omit<Stepped, "next">;
  /** What else the partition remembers of the page. */
  readonly more?: Partial<Partition>;
}

/** What a page says, by what the run is for. */
function readPage(step: Step, page: ListedPage): Promise<Read> | Read {
  if (step.at.task === "events") return readEvents(step.runtime, page);
  return step.run.kind === "verify" ? compareListed(step, page) : readObjects(step, page);
}

async function readObjects(step: Step, page: ListedPage): Promise<Read> {
  const { runtime, at } = step;
  const resource = resourceOf(at);
  const snapshots: Snapshot[] = snapshotsOfPage(runtime, resource, page, page.startedAt);
  const pending: Pending[] = [];
  const found = resource === "customers" ? carriers(runtime, page.data) : undefined;
  pending.push(...(found?.pending ?? []));
  if (resource === "subscriptions") pending.push(...(await inlinePrices(runtime, page.data)));
  return {
    pending,
    stepped: {
      units: [{ snapshots }],
      after: async (outcomes) => {
        await recordStrangers(runtime, found?.strangers ?? []);
        return tallyPage(step, snapshots, outcomes);
      },
    },
  };
}

/** Customers that carry an entity's id are that entity's, if no other owns them and they are ours. */
function carriers(
  { app }: Runtime,
  customers: readonly Listed[],
): { readonly pending: readonly Pending[]; readonly strangers: readonly Stranger[] } {
  const pending: Pending[] = [];
  const strangers: Stranger[] = [];
  for (const { id, metadata } of customers) {
    const entity = entityInMetadata(metadata, app);
    const stranger = strangerBy(entity, id);
    if (stranger !== undefined) strangers.push(stranger);
    if (entity.is !== "ours") continue;
    const { entityId } = entity;
    pending.push({ do: "follow", observe: { id, entityId, idempotencyKey: null } });
  }
  return { pending, strangers };
}

async function readEvents(runtime: Runtime, page: ListedPage): Promise<Read> {
  const units: Unit[] = [];
  const pending: Pending[] = [];
  const strangers: Stranger[] = [];
  for (const each of page.data) {
    const event = readEvent(plain(each));
    if (event?.account !== undefined && !(await isOwnAccount(runtime, event.account))) continue;
    const effect = event && effectOf(runtime, event);
    if (effect === undefined) continue;
    units.push(effect.unit);
    if (effect.followUp !== undefined) pending.push({ do: "follow", ...effect.followUp });
    if (effect.stranger !== undefined) strangers.push(effect.stranger);
  }
  const after = async (outcomes: readonly UnitOutcome[]) => {
    logListed(runtime, units, outcomes);
    await recordStrangers(runtime, strangers);
  };
  return { pending, stepped: { units, after } };
}

/** Gives parts of what is left to others, where that is worth it. */
function splitOf(
  { run: { accountCreated } }: Step,
  next: Partition,
  page: ListedPage,
  room: number,
): Partial<Stepped> {
  const [newest, oldest] = [page.data[0]?.created, page.data.at(-1)?.created];
  if (newest === undefined || oldest === undefined || !isByCreated(next.resource)) return {};
  const { task, resource, list, range } = next;
  const points = splitPoints({ range, newest, oldest, accountCreated }, room);
  const [latest] = points;
  if (latest === undefined) return {};
  return {
    next: { ...next, range: { ...range, from: latest } },
    splits: points.map((to, index) =>
      fresh(task, resource, { list, range: { from: points[index + 1] ?? range.from, to } }),
    ),
  };
}
