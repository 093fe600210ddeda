/**
 * One page of a list: of a resource's objects, or of events. It resumes where the last page ended,
 * by time if that page's last object is gone, and splits what is left if that proves long.
 */
import type Stripe from "stripe";
import type { Page } from "../../catalogue/resource.js";
import { headerOf } from "../../mirror/headers.js";
import { type Runtime, workersOf } from "../../runtime/runtime.js";
import { paced } from "../../stripe/pacer.js";
import { groupOf, type Partition, type Range } from "../run/partition.js";
import { isByCreated, type Listed, type ListedPage, type Step, type Stepped } from "../run/step.js";
import { beginNext, fetchedAhead, inTurn } from "../work/ahead.js";
import { roomIn, splitPoints } from "./split.js";

/** The most that Stripe shows at once. */
export const PAGE = 100;
/**
 * Milliseconds. Where a request waits longer for its turn, a page ahead would not make the list
 * faster, only be lost with a worker that dies.
 */
const SOON = 20;

type Paging = "list" | "events";

/** What differs between the lists: what is asked for, and what a page of it means. */
export interface List<T extends Paging> {
  fetch(
    runtime: Runtime,
    at: Partition<T>,
    page: Page,
    options: Stripe.RequestOptions,
  ): PromiseLike<Stripe.ApiList<Listed>>;
  /** Another partition of the same list, of which nothing was read. */
  part(at: Partition<T>, range: Range): Partition<T>;
  /** The step to take instead of reading, if the list cannot show what it is read for. */
  refuse?(step: Step<T>, date: number): Stepped<T> | undefined;
  read(step: Step<T>, page: ListedPage): Promise<Read<T>>;
}

export interface Read<T extends Paging> {
  /** What the partition keeps of the page beside its place. */
  readonly kept: Pick<Partition<T>, "pending"> & Partial<Partition<T>>;
  readonly stepped: Omit<Stepped<T>, "next" | "between">;
}

/** Reads the next page of a partition of which nothing is pending. */
export async function readList<T extends Paging>(
  step: Step<T>,
  list: List<T>,
): Promise<Stepped<T>> {
  const { runtime, run, at } = step;
  if (at.listed) return { next: { ...at, state: "done" } };
  const page = await (fetchedAhead(runtime, at) ?? nextPage(runtime, at, list));
  const last = page.data.at(-1);
  const date = secondOf(runtime, page);
  const refused = list.refuse?.(step, date);
  if (refused !== undefined) return refused;
  const { kept, stepped } = await list.read(step, page);
  const between: Partition<T> = {
    ...at,
    cursor: last?.id ?? at.cursor,
    createdAt: last?.created ?? at.createdAt,
    pages: at.pages + 1,
    rows: at.rows + page.data.length,
    since: at.since ?? date,
    listed: !page.has_more,
    state: "running",
    ...kept,
  };
  const goesOn = page.has_more || kept.pending.length > 0;
  const next: Partition<T> = goesOn ? between : { ...between, state: "done" };
  const room = page.has_more ? roomIn(step.latest(), groupOf(at), workersOf(runtime)) : 0;
  const done = { ...stepped, between, next, ...splitOf(step, list, next, page, room) };
  if (!page.has_more || run.kind === "verify" || (page.waited ?? 0) > SOON) return done;
  const isAhead = beginNext(runtime, done.next, () => nextPage(runtime, done.next, list));
  return { ...done, goesOn: isAhead };
}

/** Stripe's time when it answered; this machine's if it did not say. */
export function secondOf(runtime: Runtime, { lastResponse }: ListedPage): number {
  const date = Date.parse(headerOf(lastResponse?.headers, "date") ?? "") || runtime.now();
  return Math.floor(date / 1000);
}

/** The page after the cursor. If the cursor's object is gone, the listing goes on by its time. */
async function nextPage<T extends Paging>(
  runtime: Runtime,
  at: Partition<T>,
  list: List<T>,
): Promise<ListedPage> {
  const { cursor, createdAt, range } = at;
  const bounds = {
    ...(range.from === null ? {} : { gte: range.from }),
    ...(range.to === null ? {} : { lt: range.to }),
  };
  const ask = (created: Stripe.RangeQueryParam, after: string | null) =>
    request(runtime, at, list, created, after);
  try {
    return await ask(bounds, cursor);
  } catch (error) {
    const { code } = error as Partial<Stripe.errors.StripeError>;
    if (code !== "resource_missing" || cursor === null) throw error;
    // Without a filter on time there is only the beginning to go back to.
    if (createdAt === null || !isByCreated(at.resource)) return ask(bounds, null);
    const { gte } = bounds;
    return ask({ ...(gte === undefined ? {} : { gte }), lte: createdAt }, null);
  }
}

async function request<T extends Paging>(
  runtime: Runtime,
  at: Partition<T>,
  list: List<T>,
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
  return askFor(runtime, at.resource, (begin) =>
    inTurn(runtime, () => {
      begin();
      return list.fetch(runtime, at, page, options);
    }),
  );
}

/** Asks for a page when its turn comes. `begin` says that the request is sent now. */
export async function askFor(
  runtime: Runtime,
  resource: string,
  send: (begin: () => void) => PromiseLike<Stripe.ApiList<Listed>>,
): Promise<ListedPage> {
  const asked = runtime.now();
  let startedAt = asked;
  const begin = () => {
    startedAt = runtime.now();
  };
  const answer = await paced(runtime, `GET ${resource}`, () => send(begin));
  return Object.assign(answer, { startedAt, waited: startedAt - asked });
}

/** Gives parts of what is left to others, where that is worth it. */
function splitOf<T extends Paging>(
  { run: { accountCreated } }: Step<T>,
  list: List<T>,
  next: Partition<T>,
  page: ListedPage,
  room: number,
): Partial<Pick<Stepped<T>, "next" | "splits">> {
  const [newest, oldest] = [page.data[0]?.created, page.data.at(-1)?.created];
  if (newest === undefined || oldest === undefined || !isByCreated(next.resource)) return {};
  const { range } = next;
  const points = splitPoints({ range, newest, oldest, accountCreated }, room);
  const [latest] = points;
  if (latest === undefined) return {};
  return {
    next: { ...next, range: { ...range, from: latest } },
    splits: points.map((to, index) =>
      list.part(next, { from: points[index + 1] ?? range.from, to }),
    ),
  };
}
