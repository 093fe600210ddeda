/** The phases of a run, and what is known when one is over. Pure. */
import type { ResourceName } from "../../catalogue/catalogue.js";
import type { Phase } from "../../runtime/reports.js";
import type { Partition, TaskName } from "./partition.js";
import type { Run } from "./run.js";

/** Seconds by which events are read again: Stripe's list of them may lag. */
export const OVERLAP = 600;
/** Seconds that Stripe keeps events, less a day in which to read them. */
export const EVENTS_KEPT = 29 * 86_400;

/** The phases of a run, in order. */
export function phasesOf({ kind, sweeps, options }: Run): readonly Phase[] {
  if (kind === "verify" && options.sample !== undefined) return ["sample"];
  if (kind === "verify") return ["list", "sweep", ...(options.meters ? (["usage"] as const) : [])];
  if (kind === "catch-up" && !sweeps) return ["events", "settle"];
  return sweeps ? ["list", "sweep", "events", "settle"] : ["list", "events", "settle"];
}

export interface Circumstances {
  /** What the run lists. */
  readonly chosen: readonly ResourceName[];
  /** Everything that is mirrored: events are read of all of it. */
  readonly mirrored: readonly ResourceName[];
  /** The types of events that handlers take as they come: those are read, too. */
  readonly taken: readonly string[];
  /** Seconds by which `Date` may be off. */
  readonly skew: number;
  /** Everything that the run did so far. */
  readonly done: readonly Partition[];
}

/** The task of a run's phase: after its lists a verification scans instead of sweeping. */
export const taskOf = ({ kind, phase }: Run): TaskName =>
  phase === "sweep" && kind === "verify" ? "scan" : phase;

const isListing = (partition: Partition): partition is Partition<"list"> =>
  partition.task === "list";

/** The lists of a resource that the run has read. */
export const listed = ({ done }: Circumstances, name: ResourceName): readonly Partition<"list">[] =>
  done.filter(isListing).filter(({ resource }) => resource === name);

/** Stripe's second before which everything of a resource was shown; undefined if not all was. */
export function completeSince(at: Circumstances, name: ResourceName): number | undefined {
  const lists = listed(at, name);
  if (lists.length === 0 || lists.some(({ state }) => state !== "done")) return undefined;
  return firstSecond(lists);
}

/** The first answer's time among these partitions. */
export function firstSecond(
  partitions: readonly Partition<"list" | "events">[],
): number | undefined {
  const seconds = partitions.flatMap(({ since }) => (since === null ? [] : [since]));
  return seconds.length === 0 ? undefined : Math.min(...seconds);
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

function inNextPhase(run: Run): Run | undefined {
  const phases = phasesOf(run);
  const phase = phases[phases.indexOf(run.phase) + 1];
  return phase === undefined ? undefined : { ...run, phase };
}
