/**
 * The one step that every run is made of: take a partition that is due, do one page of it, commit.
 * Any number of workers do this at once; one that dies is waited for, and its page done again.
 */

import { letEventsPass } from "../../events/first.js";
import type { RecordWrite, StoredRecord } from "../../mirror/store.js";
import { commit } from "../../runtime/commit/commit.js";
import { errorType, factsOf } from "../../runtime/error-facts.js";
import type { Runtime } from "../../runtime/runtime.js";
import { type Annotate, observed } from "../../runtime/telemetry/telemetry.js";
import { checkPlace } from "../../stripe/account.js";
import { commitStep, type Written } from "../run/commit.js";
import { afterFailure } from "../run/failure.js";
import { logEnded } from "../run/log.js";
import { type Partition, partitionOf, phaseOf } from "../run/partition.js";
import { runOf } from "../run/run.js";
import { latestOf } from "../run/shared.js";
import type { Step, Stepped } from "../run/step.js";
import { stepOf } from "../tasks/tasks.js";
import { callWorkers } from "./idle.js";

/** Pages after which a worker gives a partition back, to look what else is due. */
const STAY = 20;

/**
 * Does one page of whatever is due, of any run, or several where the next is fetched ahead. False
 * when nothing was due. What fails is written into the partition; it throws only when even that is
 * impossible, and then another worker takes the partition once its lease is over.
 */
export async function workPage(runtime: Runtime, mayStay = () => true): Promise<boolean> {
  await checkPlace(runtime); // the key may be another one by now
  const [held] = await runtime.store.takeRecords("partition", {
    now: runtime.now(),
    lease: runtime.timing.pageLease,
    limit: 1,
  });
  if (held === undefined) return false;
  let mine: StoredRecord | undefined = held;
  for (let pages = 1; mine !== undefined; pages++) {
    mine = await workOn(runtime, mine, pages < STAY && mayStay());
  }
  return true;
}

/** One page of a partition that is held. Its record if it is still held afterwards. */
async function workOn(
  runtime: Runtime,
  held: StoredRecord,
  mayStay: boolean,
): Promise<StoredRecord | undefined> {
  const run = held.ref === null ? undefined : await runtime.store.record("run", held.ref);
  if (run !== undefined && runOf(run).state === "running") {
    return observed(runtime.telemetry, "step", (annotate) =>
      advance(runtime, held, run, mayStay, annotate),
    );
  }
  await drop(runtime, held);
  return undefined;
}

async function advance(
  runtime: Runtime,
  held: StoredRecord,
  run: StoredRecord,
  mayStay: boolean,
  annotate: Annotate | undefined,
): Promise<StoredRecord | undefined> {
  const at = partitionOf(held);
  const { kind } = runOf(run);
  const { resource, task } = at;
  annotate?.({ run: run.id, kind, task: phaseOf(task), resource });
  try {
    const latest = () => runOf(latestOf(runtime, run));
    const step: Step = { runtime, runId: run.id, run: runOf(run), latest, at: recovered(at) };
    const { goesOn = false, ...stepped } = await stepOf(task, step);
    const done = { ...stepped, goesOn: goesOn && mayStay };
    const began = runtime.now();
    const written = await commitAndTell(runtime, held, run, done);
    const took = runtime.now() - began;
    const objects = stepped.next.rows - at.rows;
    annotate?.({ objects });
    if (objects > 0) runtime.telemetry?.measure("run.objects", objects, { kind, resource });
    await letEventsPass(runtime, took);
    return written?.kept;
  } catch (error) {
    annotate?.({ outcome: "failed", "error.type": errorType(error) });
    const failure = failed(runtime, run.id, at, error);
    await commitAndTell(runtime, held, run, failure);
    return undefined;
  }
}

/** Commits a step, and wakes idle workers and callers that wait for the run's end. */
async function commitAndTell(
  runtime: Runtime,
  held: StoredRecord,
  run: StoredRecord,
  stepped: Stepped,
): Promise<Written | undefined> {
  const written = await commitStep(runtime, held, run, stepped);
  if (written?.records.some(isNews)) callWorkers(runtime);
  await logEnded(runtime, written?.records);
  return written;
}

/** Whether a write is a new partition, which any worker may take, or the end of a run. */
const isNews = ({ kind, expect, next }: RecordWrite): boolean =>
  (kind === "partition" && expect === 0) || (kind === "run" && next?.data.state !== "running");

/** The partition without what went wrong before, as it is after a step that went well. */
function recovered(at: Partition): Partition {
  const { error: _, ...rest } = at;
  return { ...rest, attempts: 0 };
}

function failed(runtime: Runtime, runId: string, at: Partition, error: unknown): Stepped {
  const after = afterFailure(error, at.resource, at.attempts, Math.random());
  const next: Partition = {
    ...at,
    attempts: at.attempts + 1,
    error: after.message,
    state: after.retry ? "running" : "failed",
  };
  const line = { run: runId, resource: at.resource, attempts: next.attempts, ...factsOf(error) };
  if (after.retry) runtime.log?.warn(line, "A page failed and is tried again");
  else runtime.log?.error(line, "A page failed for good; `runs()` says what to do");
  return after.retry ? { next, pause: after.delay } : { next };
}

/** Clears the due time of a partition whose run has ended. */
async function drop(runtime: Runtime, held: StoredRecord): Promise<void> {
  const { kind, id, revision, ref, data } = held;
  await commit(runtime, {
    source: "record",
    records: [{ kind, id, expect: revision, next: { ref, due: null, data } }],
  });
}
