/** What a run is made of: for each task how its partitions begin, one step, and what it reports. */
import type { Progress } from "../../runtime/reports.js";
import type { Partition, TaskName } from "../run/partition.js";
import { type Circumstances, taskOf } from "../run/phases.js";
import type { Run } from "../run/run.js";
import type { Step, Stepped } from "../run/step.js";
import * as events from "./events.js";
import * as list from "./list.js";
import * as sample from "./sample.js";
import * as scan from "./scan.js";
import * as settle from "./settle.js";
import * as sweep from "./sweep.js";
import * as usage from "./usage.js";

/** What a partition adds to the report of its resource, beside its pages and rows. */
type Found = Pick<Progress, "drift" | "confidence">;

interface Task<T extends TaskName> {
  /** The partitions with which the phase of this task begins. Pure. */
  open(run: Run, at: Circumstances): readonly Partition<T>[];
  /** Does one page; doing it twice does no harm. */
  step(step: Step<T>): Promise<Stepped<T>>;
  report?(at: Partition<T>): Found;
}

export type Tasks = { readonly [T in TaskName]: Task<T> };

const tasks: Tasks = { list, events, sweep, scan, sample, settle, usage };

/** The partitions with which the run's phase begins. */
export function partitionsOf(run: Run, at: Circumstances): readonly Partition[] {
  return tasks[taskOf(run)].open(run, at);
}

export function stepOf<T extends TaskName>(task: T, step: Step<T>): Promise<Stepped<T>> {
  return tasks[task].step(step);
}

export function reportOn<T extends TaskName>(task: T, at: Partition<T>): Found {
  return tasks[task].report?.(at) ?? {};
}
