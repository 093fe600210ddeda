/** Works at a run until it ends, several pages at once, beside any other workers. */
import { type Runtime, workersOf } from "../../runtime/runtime.js";
import { runOf } from "../run/run.js";
import { fetchAhead } from "./ahead.js";
import { workPages } from "./loop.js";

/** More work than may read at once: while one stores the last page of a list, another reads. */
const WORKERS_PER_READER = 1.5;
/** Failures of the store in a row after which the call fails. */
const MOST_FAILURES = 30;

/** Returns early on `stop`: the pages under way are finished, and the run stays open. */
export async function workUntilDone(
  runtime: Runtime,
  runId: string,
  isStopped = () => false,
): Promise<void> {
  const readers = workersOf(runtime);
  fetchAhead(runtime, readers);
  await workPages(runtime, {
    workers: Math.ceil(readers * WORKERS_PER_READER),
    isStopped,
    isOver: async () => {
      const record = await runtime.store.record("run", runId);
      return record === undefined || runOf(record).state !== "running";
    },
    patience: Number.POSITIVE_INFINITY, // others may be at what is left of the run
    bears: { run: runId, failures: MOST_FAILURES },
  });
}
