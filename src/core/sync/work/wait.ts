/** Works at a run until it ends, several pages at once, beside any other workers. */
import { factsOf } from "../../runtime/error-facts.js";
import { type Runtime, workersOf } from "../../runtime/runtime.js";
import { runOf } from "../run/run.js";
import { fetchAhead } from "./ahead.js";
import { waitForWork } from "./idle.js";
import { workPage } from "./work.js";

/** More work than may read at once: while one stores the last page of a list, another reads. */
const WORKERS_PER_READER = 1.5;
/** Milliseconds between looks when nothing is due, which grow; and the longest if the store fails. */
const IDLE = 100;
const LONGEST_IDLE = 1_000;
const LONGEST_PAUSE = 10_000;
/** Failures of the store in a row after which the call fails. */
const MOST_FAILURES = 30;
/** Pages after which a worker looks whether its run has ended while it served others. */
const LOOK = 20;

/** Returns early on `stop`: the pages under way are finished, and the run stays open. */
export async function workUntilDone(
  runtime: Runtime,
  runId: string,
  isStopped = () => false,
): Promise<void> {
  const readers = workersOf(runtime);
  fetchAhead(runtime, readers);
  const workers = Math.ceil(readers * WORKERS_PER_READER);
  await Promise.all(Array.from({ length: workers }, () => work(runtime, runId, isStopped)));
}

async function work(runtime: Runtime, runId: string, isStopped: () => boolean): Promise<void> {
  let [failures, idle] = [0, 0];
  for (let pages = 1; !isStopped(); ) {
    try {
      const did = await workPage(runtime);
      failures = 0;
      idle = did ? 0 : idle + 1;
      if (did && pages++ % LOOK !== 0) continue;
      const record = await runtime.store.record("run", runId);
      if (record === undefined || runOf(record).state !== "running") return;
      const pause = Math.min(LONGEST_IDLE, IDLE * idle);
      if (!did) await waitForWork(runtime, pause * (0.5 + Math.random()));
    } catch (error) {
      if (++failures > MOST_FAILURES) throw error;
      runtime.log?.warn(
        { run: runId, ...factsOf(error) },
        "A page could not be stored; trying again",
      );
      await runtime.sleep(Math.min(LONGEST_PAUSE, IDLE * 2 ** failures) * (0.5 + Math.random()));
    }
  }
}
