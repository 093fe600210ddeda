/**
 * The next page of a list, fetched while the last one is written. Only where this process goes on
 * with the list itself, and where requests need not wait for their turn anyway: a page that is not
 * taken in time is dropped, and the worker that takes up the list fetches it again. No more pages
 * are under way at once than were asked for.
 */
import { defineLocal } from "../../runtime/local.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { Partition } from "../run/partition.js";
import type { ListedPage } from "../run/step.js";

/** Milliseconds after which a page is too old to be of use. */
const TOO_OLD = 10_000;

/** Where a list goes on. */
type Place = Pick<Partition<"list" | "events">, "resource" | "list" | "range" | "cursor">;

interface Ahead {
  /** How many more requests may be under way, and who waits for that. */
  free: number;
  readonly waiting: (() => void)[];
  readonly pages: Map<string, { readonly at: number; readonly page: Promise<ListedPage> }>;
}

const memoryOf = defineLocal<{ ahead?: Ahead }>("runtime", "pages fetched ahead", () => ({}));

/** This process works at lists until they end, with so many pages at once. */
export function fetchAhead(runtime: Runtime, most: number): void {
  memoryOf(runtime).ahead ??= { free: most, waiting: [], pages: new Map() };
}

/** The page that a partition needs next, if it was fetched ahead. */
export function fetchedAhead(runtime: Runtime, at: Place): Promise<ListedPage> | undefined {
  const { ahead } = memoryOf(runtime);
  const found = ahead?.pages.get(placeOf(at));
  ahead?.pages.delete(placeOf(at));
  return found !== undefined && found.at > runtime.now() - TOO_OLD ? found.page : undefined;
}

/** Begins to fetch the page that a partition will need next; false if it does not. */
export function beginNext(runtime: Runtime, at: Place, fetch: () => Promise<ListedPage>): boolean {
  const { ahead } = memoryOf(runtime);
  if (ahead === undefined || ahead.free <= 0) return false;
  const now = runtime.now();
  for (const [place, page] of ahead.pages) {
    if (page.at <= now - TOO_OLD) ahead.pages.delete(place);
  }
  const page = fetch();
  page.catch(() => {}); // the taker of the page gets the rejection
  ahead.pages.set(placeOf(at), { at: now, page });
  return true;
}

/** Sends a request when no more than the most are under way. */
export async function inTurn<T>(runtime: Runtime, send: () => PromiseLike<T>): Promise<T> {
  const { ahead } = memoryOf(runtime);
  if (ahead === undefined) return send();
  if (ahead.free > 0) ahead.free--;
  else await new Promise<void>((go) => ahead.waiting.push(go));
  try {
    return await send();
  } finally {
    const next = ahead.waiting.shift();
    if (next === undefined) ahead.free++;
    else next();
  }
}

function placeOf({ resource, list, range, cursor }: Place): string {
  return JSON.stringify([resource, list, range.from, range.to, cursor]);
}
