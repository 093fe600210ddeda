/** Reads Stripe's events since a second, as if they were delivered now. */
import { enabledEvents, type ResourceName } from "../../catalogue/catalogue.js";
import { recordStrangers } from "../../customers/strangers.js";
import { asItCame, effectOf } from "../../events/receive.js";
import { plain, readEvent } from "../../mirror/snapshot.js";
import type { Unit, UnitOutcome } from "../../mirror/store.js";
import { BillingError } from "../../runtime/errors.js";
import type { Stranger } from "../../runtime/records/records.js";
import type { Runtime } from "../../runtime/runtime.js";
import { logListed } from "../../runtime/telemetry/observe.js";
import { isOwnAccount } from "../../stripe/account.js";
import { type Partition, type PendingFollow, UNREAD } from "../run/partition.js";
import { type Circumstances, EVENTS_KEPT, OVERLAP } from "../run/phases.js";
import type { Run } from "../run/run.js";
import type { ListedPage, Step, Stepped } from "../run/step.js";
import { type List, type Read, readList } from "./page.js";
import { followAll } from "./pending.js";

/** The most event types that one request may name. */
const MOST_TYPES = 20;

/** Event types in groups that one request can ask for. */
const grouped = (types: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(types.length / MOST_TYPES) }, (_, group) =>
    types.slice(group * MOST_TYPES, (group + 1) * MOST_TYPES),
  );

/**
 * The event types that the mirror comes from, in groups. One at least: a phase ends with its last
 * partition, and where nothing has events that group is empty.
 */
function eventGroups(chosen: readonly ResourceName[]): readonly (readonly string[])[] {
  const groups = grouped(enabledEvents(chosen));
  return groups.length === 0 ? [[]] : groups;
}

const typesOf = ({ resources }: Runtime, at: Partition<"events">): readonly string[] =>
  at.types ?? eventGroups(resources)[at.list] ?? [];

const reading = (
  range: Partition<"events">["range"],
  which: Pick<Partition<"events">, "list" | "types">,
): Partition<"events"> => ({ ...UNREAD, task: "events", resource: "events", ...which, range });

/** What handlers take is named in the partitions: a process that works at one may not have them. */
export function open(
  { from }: Run,
  { mirrored, taken }: Circumstances,
): readonly Partition<"events">[] {
  const groups = eventGroups(mirrored);
  const known = new Set(groups.flat());
  const others = grouped(taken.filter((type) => !known.has(type)));
  const range = { from, to: null };
  return [
    ...groups.map((_, list) => reading(range, { list })),
    ...others.map((types, index) => reading(range, { list: groups.length + index, types })),
  ];
}

const list: List<"events"> = {
  fetch(runtime, at, page, options) {
    const types = [...typesOf(runtime, at)];
    return runtime.stripe().events.list({ ...page, types }, options);
  },
  part: ({ list, types }, range) => reading(range, { list, ...(types && { types }) }),
  refuse({ run, at }, date) {
    if (!isOutdated(at, date)) return undefined;
    if (Object.keys(run.made).some((group) => group.startsWith("list "))) throw tookTooLong();
    return { next: { ...at, since: date, state: "done" }, outdated: true };
  },
  read: ({ runtime, at }, page) => readEvents(runtime, page, at.types ?? []),
};

export async function step(step: Step<"events">): Promise<Stepped<"events">> {
  const { runtime } = step;
  await followAll(runtime, step.at.pending);
  const at = { ...step.at, pending: [] };
  if (typesOf(runtime, at).length > 0) return readList({ ...step, at }, list);
  // To ask for no types would be to ask for all of them. There is nothing to read.
  const since = at.since ?? Math.floor(runtime.now() / 1000);
  return { next: { ...at, since, listed: true, state: "done" } };
}

/** Whether events may be gone that happened since the last time they were read. */
function isOutdated({ since, range }: Partition<"events">, date: number): boolean {
  if (since !== null || range.from === null) return false;
  return date - range.from > EVENTS_KEPT + OVERLAP;
}

/** The run stood still for weeks: its listing is old, and Stripe has deleted the events since. */
function tookTooLong(): BillingError {
  return new BillingError(
    "invalid_config",
    "This run took longer than Stripe keeps events, so it cannot be completed. Start it again; it begins anew.",
  );
}

async function readEvents(
  runtime: Runtime,
  page: ListedPage,
  taken: readonly string[],
): Promise<Read<"events">> {
  const units: Unit[] = [];
  const pending: PendingFollow[] = [];
  const strangers: Stranger[] = [];
  for (const each of page.data) {
    const event = readEvent(plain(each));
    if (event?.account !== undefined && !(await isOwnAccount(runtime, event.account))) continue;
    if (event === undefined) continue;
    const raw = taken.includes(event.type) ? asItCame(runtime, event) : undefined;
    const effect = effectOf(runtime, event) ?? raw;
    if (effect === undefined) continue;
    units.push(effect.unit);
    if (effect.followUp !== undefined) pending.push({ do: "follow", ...effect.followUp });
    if (effect.stranger !== undefined) strangers.push(effect.stranger);
  }
  const after = async (outcomes: readonly UnitOutcome[]) => {
    logListed(runtime, units, outcomes);
    await recordStrangers(runtime, strangers);
  };
  return { kept: { pending }, stepped: { units, after } };
}
