/** Which partitions a run has, phase by phase, and what is known when a phase is over. Pure. */
import type { ResourceName } from "../../catalogue/catalogue.js";
import { resources } from "../../catalogue/resources.js";
import type { Phase } from "../../runtime/reports.js";
import { sumBuckets } from "../drift/buckets.js";
import { fresh, type Partition, type Run } from "./run.js";

/** Seconds by which events are read again: Stripe's list of them may lag. */
export const OVERLAP = 600;
/** Seconds that Stripe keeps events, less a day in which to read them. */
export const EVENTS_KEPT = 29 * 86_400;

/** How many objects of a resource may be unknown to Stripe, if the caller does not say. */
export function allowedUnknown(listed: number): number {
  return Math.max(20, Math.floor(listed / 10));
}

/** The phases of a run, in order. */
export function phasesOf({ kind, sweeps, options }: Run): readonly Phase[] {
  if (kind === "verify") return options.sample === undefined ? ["list", "sweep"] : ["sample"];
  if (kind === "catch-up" && !sweeps) return ["events", "settle"];
  return sweeps ? ["list", "sweep", "events", "settle"] : ["list", "events", "settle"];
}

export interface Circumstances {
  readonly chosen: readonly ResourceName[];
  /** How many groups of event types there are. */
  readonly eventGroups: number;
  /** Seconds by which `Date` may be off. */
  readonly skew: number;
  /** Everything that the run did so far. */
  readonly done: readonly Partition[];
}

/** The partitions with which a phase begins. */
export function partitionsOf(run: Run, at: Circumstances): readonly Partition[] {
  switch (run.phase) {
    case "list":
      return at.chosen.filter((name) => !waitsFor(name, at.chosen)).flatMap(listsOf);
    case "sweep":
      return at.chosen.map((name) =>
        run.kind === "verify" ? scanOf(name, at) : sweepOf(name, run, at),
      );
    case "sample":
      return at.chosen.map((name) =>
        fresh("sample", name, {
          sample: { size: run.options.sample ?? 0, population: 0, chosen: [], probes: [] },
        }),
      );
    case "events":
      return Array.from({ length: at.eventGroups }, (_, list) =>
        fresh("events", "events", { list, range: { from: run.from, to: null } }),
      );
    case "settle":
      return [fresh("settle", "asks")];
  }
}

const listsOf = (name: ResourceName): Partition[] =>
  resources[name].lists.map((_, list) => fresh("list", name, { list }));

function waitsFor(name: ResourceName, chosen: readonly ResourceName[]): ResourceName | undefined {
  const entry = resources[name];
  return "listedAfter" in entry && chosen.includes(entry.listedAfter)
    ? entry.listedAfter
    : undefined;
}

/** Lists that waited for others, which have just been read to their end. */
export function unlocked(run: Run, chosen: readonly ResourceName[]): readonly Partition[] {
  if (run.phase !== "list") return [];
  return chosen.flatMap((name) => {
    const first = waitsFor(name, chosen);
    if (first === undefined || run.made[`list ${name} 0`] !== undefined) return [];
    const isListed = resources[first].lists.every(
      (_, list) => run.open[`list ${first} ${list}`] === 0,
    );
    return isListed ? listsOf(name) : [];
  });
}

const listed = ({ done }: Circumstances, name: ResourceName): readonly Partition[] =>
  done.filter(({ task, resource }) => task === "list" && resource === name);

/** Stripe's second before which everything of a resource was shown; undefined if not all was. */
export function completeSince(at: Circumstances, name: ResourceName): number | undefined {
  const lists = listed(at, name);
  if (lists.length === 0 || lists.some(({ state }) => state !== "done")) return undefined;
  return firstSecond(lists);
}

/** The first answer's time among these partitions. */
export function firstSecond(partitions: readonly Partition[]): number | undefined {
  const seconds = partitions.flatMap(({ since }) => (since === null ? [] : [since]));
  return seconds.length === 0 ? undefined : Math.min(...seconds);
}

function sweepOf(name: ResourceName, run: Run, at: Circumstances): Partition {
  const since = (completeSince(at, name) ?? 0) + at.skew;
  const rows = listed(at, name).reduce((sum, each) => sum + each.rows, 0);
  const allowed = run.options.maxMissing ?? allowedUnknown(rows);
  return fresh("sweep", name, { sweep: { since, allowed, unknown: 0 } });
}

function scanOf(name: ResourceName, at: Circumstances): Partition {
  const buckets = sumBuckets(listed(at, name).map((each) => each.buckets ?? []));
  return fresh("sweep", name, { buckets });
}

/**
 * The run in its next phase, or undefined if there is none. `watermark` is the second up to which
 * events were read before.
 */
export function following(
  run: Run,
  at: Circumstances,
  watermark: number | undefined,
): Run | undefined {
  const wasOutdated = run.phase === "events" && run.sweeps && !at.done.some(isListing);
  if (wasOutdated) return { ...run, phase: "list" };
  if (run.phase !== "list" || run.kind === "verify") return inNextPhase(run);
  // Events are read from where this run began, or from where the last one left off. What happened
  // before the oldest event that Stripe still has can only be found by asking.
  const began = firstSecond(at.done.filter(isListing)) ?? 0;
  const left = Math.min(began, watermark ?? began);
  const isGap = began - left > EVENTS_KEPT;
  const from = (isGap ? began : left) - OVERLAP;
  return inNextPhase({ ...run, from, sweeps: run.sweeps || isGap });
}

const isListing = ({ task }: Partition): boolean => task === "list";

function inNextPhase(run: Run): Run | undefined {
  const phases = phasesOf(run);
  const phase = phases[phases.indexOf(run.phase) + 1];
  return phase === undefined ? undefined : { ...run, phase };
}
