/**
 * The loop over the pages that are due, of any run. `sync()`, the command, `tick` and the jobs on
 * pg-boss work by it. On Convex each page's commit schedules the next, so there is none.
 */
import { factsOf } from "../../runtime/error-facts.js";
import type { Runtime } from "../../runtime/runtime.js";
import { callWorkers, waitForWork } from "./idle.js";
import { workPage } from "./work.js";

/** Milliseconds between looks when nothing is due, which grow; and the longest if the store fails. */
const PAUSE = 100;
const LONGEST_PAUSE = 1_000;
const LONGEST_AFTER_FAILURE = 10_000;

/** Pages after which a worker looks whether it is over while it served others. */
const LOOK = 20;

export interface Loop {
  /** How many work at once. */
  readonly workers: number;
  /** Whether to begin no further page. */
  isStopped(): boolean;
  /** Whether what the loop is for is done; asked when nothing was due, and every so many pages. */
  isOver?(): Promise<boolean>;
  /** Milliseconds without a page after which it ends, once no worker is at one. */
  readonly patience: number;
  /** A run whose caller waits: so many failures of the store in a row are borne. Default none. */
  readonly bears?: { readonly run: string; readonly failures: number };
}

/**
 * Works until nothing is due, or it is over or stopped; pages under way are finished. Answers how
 * often there was something to do.
 */
export async function workPages(
  runtime: Runtime,
  loop: Loop,
  work: typeof workPage = workPage,
): Promise<number> {
  const { isStopped, patience, bears } = loop;
  let [found, busy, lastPage] = [0, 0, runtime.now()];
  let isBroken = false;

  const page = async (): Promise<boolean> => {
    busy++;
    try {
      const did = await work(runtime, () => !isStopped());
      if (did) [found, lastPage] = [found + 1, runtime.now()];
      return did;
    } finally {
      busy--;
    }
  };
  const isIdle = () => busy === 0 && runtime.now() - lastPage >= patience;

  const worker = async (): Promise<void> => {
    let [pages, idle, failures] = [0, 0, 0];
    while (!isBroken && !isStopped()) {
      try {
        const did = await page();
        failures = 0;
        idle = did ? 0 : idle + 1;
        if (did && ++pages % LOOK !== 0) continue;
        if (await loop.isOver?.()) return;
        if (did) continue;
        if (isIdle()) return callWorkers(runtime); // the others that found nothing
        await waitForWork(runtime, spread(Math.min(LONGEST_PAUSE, PAUSE * idle)));
      } catch (error) {
        if (bears === undefined || ++failures > bears.failures) throw error;
        const line = { run: bears.run, ...factsOf(error) };
        runtime.log?.warn(line, "A page could not be stored; trying again");
        await runtime.sleep(spread(Math.min(LONGEST_AFTER_FAILURE, PAUSE * 2 ** failures)));
      }
    }
  };
  const workers = Array.from({ length: loop.workers }, () =>
    worker().catch((error: unknown) => {
      isBroken = true; // the others finish their pages, and the caller gets the error
      throw error;
    }),
  );
  const ended = await Promise.allSettled(workers);
  const failed = ended.find((each) => each.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return found;
}

/** About so many milliseconds, so that workers do not look all at once. */
const spread = (milliseconds: number): number => milliseconds * (0.5 + Math.random());
