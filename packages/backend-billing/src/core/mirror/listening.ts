/**
 * What the application listens to. It is stored where several versions of an application may write at
 * once: one that does not listen yet must tell the others' changes, too. Pure.
 */
import type { ResourceName } from "../catalogue/catalogue.js";
import type { RecordData } from "./store.js";

/** From the least to the most: each has in it what stands before it. */
const LEVELS = ["existence", "changes", "everything"] as const;

/**
 * What an application is told of the rows of a resource: that they come and go, how they change, or also
 * what the first listing finds.
 */
export type Listened = (typeof LEVELS)[number];

/** Rows of a resource, or that customers come to belong to entities. */
export type ListenedTo = ResourceName | "link";

export type Listening = { readonly [R in ListenedTo]?: Listened };

/** What each name needs that an application has a handler for. */
export type Needs = { readonly [name: string]: Listening };

const RAW = "stripe ";

/** The name of the handler of an event of Stripe's as it comes, by the event's type. */
export const rawName = (type: string): string => RAW + type;

/** The types of such events that are among the names of handlers, each once, sorted. */
export const rawTypesIn = (names: Iterable<string>): readonly string[] =>
  [...new Set(names)]
    .flatMap((name) => (name.startsWith(RAW) ? [name.slice(RAW.length)] : []))
    .sort();

/** Where it is stored. */
export const LISTENING = { kind: "setting", id: "listening" } as const;

/** The data of that record. */
export interface StoredListening {
  readonly resources: Listening;
  /** The names of the handlers that any process had of late, and when it last said so. */
  readonly names?: {
    readonly [name: string]: { readonly listens: Listening; readonly seen: number };
  };
  /** How often customers were erased: a commit that was planned before the last time is refused. */
  readonly erasures?: number;
}

/**
 * What the stored record says of a resource; or whether customers were erased, of whom nothing
 * personal is stored: a commit must know both, and finds out by this record that either has changed.
 */
export function listenedIn(
  data: RecordData | undefined,
  resource: ListenedTo | "erased",
): Listened | null {
  const { resources: stored, names = {}, erasures } = (data ?? {}) as Partial<StoredListening>;
  if (resource === "erased") return erasures ? "changes" : null;
  const listened = stored?.[resource] ?? null;
  if (listened !== "existence") return listened;
  // A process of an earlier version stores what the last of the names needs.
  return together(Object.values(names).map(({ listens }) => listens))[resource] ?? listened;
}

/** The record after more customers were erased. */
export const afterErasure = (stored: StoredListening | undefined): StoredListening => ({
  resources: {},
  ...stored,
  erasures: (stored?.erasures ?? 0) + 1,
});

/** Milliseconds after which a process says again what it listens to. */
export const SAID_AGAIN = 10 * 60_000;
/** Milliseconds for which others wait for a process that has said so: it may be slow to say it again. */
const AWAITED = 3 * SAID_AGAIN;
/** Milliseconds after which a name that no process has said again is forgotten. */
const FORGOTTEN = 7 * 24 * 60 * 60_000;

/**
 * The record after a process with these needs has said so; undefined if nothing is to be written.
 * Names of other processes stay: they may be newer, or have another part of the work.
 */
export function keptListening(
  stored: StoredListening | undefined,
  needs: Needs,
  now: number,
): StoredListening | undefined {
  const names: { [name: string]: { listens: Listening; seen: number } } = {};
  let isNews = false;
  for (const [name, { listens, seen }] of Object.entries(stored?.names ?? {})) {
    if (name in needs) continue;
    if (now - seen > FORGOTTEN) isNews = true;
    else names[name] = { listens, seen };
  }
  for (const [name, listens] of Object.entries(needs)) {
    const known = stored?.names?.[name];
    const isSame =
      known !== undefined && covers(known.listens, listens) && covers(listens, known.listens);
    isNews ||= !isSame || Math.abs(now - known.seen) > SAID_AGAIN;
    names[name] = { listens, seen: now };
  }
  if (!isNews) return undefined;
  const resources = together(Object.values(names).map(({ listens }) => listens));
  return { ...stored, resources, names };
}

/**
 * The names of handlers that a change waits for, beside those of the process that tells it. One that
 * was taken out of the application must not hold up what comes after it.
 */
export const awaitedNames = (stored: StoredListening | undefined, now: number): readonly string[] =>
  Object.entries(stored?.names ?? {}).flatMap(([name, { seen }]) =>
    Math.abs(now - seen) < AWAITED ? [name] : [],
  );

const covers = (all: Listening, some: Listening): boolean =>
  Object.entries(some).every(([resource, listened]) => all[resource as ListenedTo] === listened);

/** What all names need together. */
export const listeningOf = (needs: Needs): Listening => together(Object.values(needs));

function together(all: readonly Listening[]): Listening {
  const resources: { [R in ListenedTo]?: Listened } = {};
  for (const listens of all) {
    for (const [resource, listened] of Object.entries(listens) as [ListenedTo, Listened][]) {
      const known = resources[resource];
      if (known === undefined || LEVELS.indexOf(listened) > LEVELS.indexOf(known)) {
        resources[resource] = listened;
      }
    }
  }
  return resources;
}
