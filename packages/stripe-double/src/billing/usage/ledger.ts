/**
 * What each customer used, by meter. Single events are kept for a day, while they can be told apart
 * and taken back; then they are added up by the minute, and by the hour once no more can come.
 */
import type { World } from "../../world/world.js";

export type Formula = "count" | "last" | "sum" | "max";

/** What was reported at once. */
export interface Recorded {
  readonly identifier: string;
  /** The seconds at which it was used, and at which it was reported. */
  readonly timestamp: number;
  readonly received: number;
  readonly value: number;
}

/** Whose usage it is: that of a customer by a meter. */
export interface Account {
  readonly meter: string;
  readonly customer: string;
}

/** Some usage of one account, from one second to another. */
interface Sum {
  readonly from: number;
  readonly to: number;
  readonly sum: number;
  readonly count: number;
  readonly max: number;
  /** The value of the last second; of several, the one reported last. */
  readonly last: number;
}

interface Entries {
  /** By identifier, oldest first. */
  readonly recent: Map<string, Recorded>;
  sums: Sum[];
  /** How many sums there were after they were last added up. */
  compacted: number;
}

interface Ledger {
  readonly entries: Map<string, Entries>;
  /** By identifier, what was reported within a day, oldest first. */
  readonly identifiers: Map<string, Account & { readonly received: number }>;
}

const DAY = 86_400;
/** Stripe takes no events about an earlier time. */
export const OLDEST = 35 * DAY;

const ledgers = new WeakMap<World, Ledger>();

function ledgerOf(world: World): Ledger {
  const known = ledgers.get(world) ?? { entries: new Map(), identifiers: new Map() };
  ledgers.set(world, known);
  return known;
}

const keyOf = ({ meter, customer }: Account): string => `${meter} ${customer}`;

function entriesOf(world: World, account: Account): Entries {
  const { entries } = ledgerOf(world);
  const known = entries.get(keyOf(account)) ?? { recent: new Map(), sums: [], compacted: 0 };
  entries.set(keyOf(account), known);
  return known;
}

/** Whether an event with this identifier was reported within the last 24 hours. */
export function isRecorded(world: World, identifier: string): boolean {
  settleOld(world);
  return ledgerOf(world).identifiers.has(identifier);
}

/** Keeps what was used. With a `window`, it replaces what was reported for the same hour or day. */
export function record(world: World, account: Account, event: Recorded, window?: number): void {
  settleOld(world);
  const entries = entriesOf(world, account);
  if (window !== undefined) {
    const start = Math.floor(event.timestamp / window) * window;
    const outside = (second: number) => second < start || second >= start + window;
    for (const { identifier, timestamp } of entries.recent.values()) {
      if (!outside(timestamp)) entries.recent.delete(identifier);
    }
    entries.sums = entries.sums.filter(({ from }) => outside(from));
  }
  entries.recent.set(event.identifier, event);
  const { received } = event;
  ledgerOf(world).identifiers.set(event.identifier, { ...account, received });
}

/** Takes back what was reported within the last 24 hours; false if there is nothing like it. */
export function takeBack(world: World, meter: string, identifier: string): boolean {
  settleOld(world);
  const account = ledgerOf(world).identifiers.get(identifier);
  if (account?.meter !== meter) return false;
  return entriesOf(world, account).recent.delete(identifier);
}

/** Adds up what was reported more than a day ago. */
function settleOld(world: World): void {
  const { identifiers } = ledgerOf(world);
  const before = world.now() - DAY;
  for (const [identifier, account] of identifiers) {
    if (account.received > before) return;
    identifiers.delete(identifier);
    const entries = entriesOf(world, account);
    const event = entries.recent.get(identifier);
    if (event === undefined) continue;
    entries.recent.delete(identifier);
    entries.sums.push(sumOf(event));
    if (entries.sums.length > 2 * entries.compacted + 64) compact(world, account, entries);
  }
}

const sumOf = ({ timestamp, value }: Pick<Recorded, "timestamp" | "value">): Sum => ({
  from: timestamp,
  to: timestamp,
  sum: value,
  count: 1,
  max: value,
  last: value,
});

/** Both in one; `later` is not before the other. */
const joined = (sum: Sum, later: Sum): Sum => ({
  from: sum.from,
  to: Math.max(sum.to, later.to),
  sum: sum.sum + later.sum,
  count: sum.count + later.count,
  max: Math.max(sum.max, later.max),
  last: later.to >= sum.to ? later.last : sum.last,
});

function compact(world: World, { customer }: Account, entries: Entries): void {
  const cuts = boundaries(world, customer);
  const now = world.now();
  const parted = (a: number, b: number) =>
    cuts.some((cut) => a < cut && cut <= b) || segment(a, now) !== segment(b, now);
  const sums: Sum[] = [];
  for (const sum of entries.sums.toSorted((a, b) => a.from - b.from)) {
    const last = sums.at(-1);
    if (last === undefined || parted(last.from, sum.from)) sums.push(sum);
    else sums[sums.length - 1] = joined(last, sum);
  }
  entries.sums = sums;
  entries.compacted = sums.length;
}

/** The minute that a second is in or, once nothing can be added to it, the hour. */
function segment(second: number, now: number): string {
  const length = second < now - OLDEST ? 3600 : 60;
  return `${length} ${Math.floor(second / length)}`;
}

/** Where the periods begin and end that are still to be billed. */
function boundaries(world: World, customer: string): number[] {
  const items = world.objects.subscription
    .where("customer", customer)
    .flatMap((subscription) => subscription.items.data);
  const drafts = world.objects.invoice
    .where("customer", customer)
    .filter(({ status }) => status === "draft")
    .flatMap(({ lines }) => lines.data.map(({ period }) => period));
  return [
    ...items.flatMap((item) => [item.current_period_start, meteredSince(world, item.id)]),
    ...drafts.flatMap(({ start, end }) => [start, end]),
  ];
}

/** From when on the usage of an item counts at its price; 0 if it does from the start of its period. */
export function meteredSince(world: World, item: string): number {
  const since = world.hidden.get(item)?.metered_since;
  return typeof since === "number" ? since : 0;
}

/** How many entries are held, single events and sums together. */
export function entriesHeld(world: World): number {
  const all = [...ledgerOf(world).entries.values()];
  return all.reduce((count, { recent, sums }) => count + recent.size + sums.length, 0);
}

export interface Span {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** Leaves out what was reported later. */
  readonly knownBy?: number | undefined;
}

/** What an account used in a span of time. */
export function usageIn(
  world: World,
  account: Account,
  formula: Formula,
  { start, end, knownBy = Number.POSITIVE_INFINITY }: Span,
): number {
  const known = ledgerOf(world).entries.get(keyOf(account));
  if (known === undefined) return 0;
  const recent = [...known.recent.values()]
    .filter(({ received }) => received <= knownBy)
    .map(sumOf);
  const within = [...known.sums, ...recent].filter(({ from, to }) => from >= start && to < end);
  const [first, ...more] = within.toSorted((a, b) => a.to - b.to);
  return first === undefined ? 0 : more.reduce(joined, first)[formula];
}
