/**
 * The scheduled jobs on pg-boss. They wake and spread the work, nothing more: what there is to do,
 * and who does it, is in the store, so a job that is lost or doubled does no harm.
 */
import { workOnce } from "../core/background.js";
import { optionsOf } from "../core/runtime/arguments.js";
import { factsOf } from "../core/runtime/error-facts.js";
import { type Runtime, workersOf } from "../core/runtime/runtime.js";
import { openPartitions } from "../core/sync/run/open.js";
import { workPages } from "../core/sync/work/loop.js";
import { prune } from "../core/sync/work/prune.js";
import { openScheduled } from "../core/sync/work/scheduled.js";
import { workPage } from "../core/sync/work/work.js";

/** The part of pg-boss 12 that is used. */
export interface BossLike {
  createQueue(name: string, options?: QueueSettings): Promise<unknown>;
  work(
    name: string,
    options: { localConcurrency?: number; pollingIntervalSeconds?: number },
    handler: () => Promise<unknown>,
  ): Promise<string>;
  offWork(name: string, options?: { id?: string; wait?: boolean }): Promise<unknown>;
  schedule(
    name: string,
    cron: string,
    data?: object | null,
    options?: { tz?: string },
  ): Promise<unknown>;
  unschedule(name: string): Promise<unknown>;
  send(
    name: string,
    data?: object | null,
    options?: { singletonKey?: string; singletonSeconds?: number },
  ): Promise<string | null>;
}

interface QueueSettings {
  readonly policy?: string;
  readonly expireInSeconds?: number;
  readonly deleteAfterSeconds?: number;
}

/** When each job runs, as cron expressions in UTC; `false` for never. */
export interface CronOptions {
  /** Reads Stripe's events since the last time. Default every five minutes. */
  readonly catchUp?: string | false;
  /** Lists everything and repairs what differs. Default every day at 03:37. */
  readonly reconcile?: string | false;
  /** Finishes what processes left behind, and forgets what is old. Default every minute. */
  readonly background?: string | false;
  /** How many pages are read at once by all instances together. Default 16. */
  readonly workers?: number;
  /** Seconds between looks for a job, 0.5 or more. Default 2. */
  readonly pollingIntervalSeconds?: number;
}

/** The jobs that `addCronJobs` registered. */
export interface CronJobs {
  /** Ends this instance's workers, once their page is done. The schedules stay, for the others. */
  stop(): Promise<void>;
}

// mutant "a catch-up on 29 February on PostgreSQL": "*/5 * * * *" -> "0 0 29 2 *"
const CATCH_UP = "*/5 * * * *";
/** At an odd minute: most jobs run at whole hours. */
const RECONCILE = "37 3 * * *";
const BACKGROUND = "* * * * *";
const WORKERS = 16;

/** Milliseconds that one job works at pages before it makes way for its successor. */
const TURN = 60_000;
/** Milliseconds without a page to do after which a job ends. */
const IDLE = 3_000;

export async function addCronJobs(
  runtime: Runtime,
  boss: BossLike,
  schema: string,
  options: CronOptions = {},
): Promise<CronJobs> {
  optionsOf("options", options);
  const { catchUp = CATCH_UP, reconcile = RECONCILE, background = BACKGROUND } = options;
  const workers = options.workers ?? WORKERS;
  const base = queueBase(schema);
  const polling =
    options.pollingIntervalSeconds === undefined
      ? {}
      : { pollingIntervalSeconds: options.pollingIntervalSeconds };
  const stop = new AbortController();
  const pages = `${base}-pages`;

  /** Has workers look for pages, of whatever instance: as many as there are partitions. */
  const wake = async () => {
    const wanted = Math.min(workers, await openPartitions(runtime));
    for (let index = 0; index < wanted; index++) {
      await boss.send(pages, null, { singletonKey: `worker ${index}` });
    }
  };
  const open = (wanted: "catch-up" | "reconcile") => async () => {
    await openScheduled(runtime, wanted);
    await wake();
  };
  const jobs: readonly Job[] = [
    { name: `${base}-catch-up`, cron: catchUp, work: open("catch-up") },
    { name: `${base}-reconcile`, cron: reconcile, work: open("reconcile") },
    {
      name: `${base}-background`,
      cron: background,
      work: async () => {
        await prune(runtime);
        const until = Date.now() + TURN / 2;
        await runtime.reactions?.deliver(until - TURN / 4); // first: what waits for Stripe may take all the time
        while (!stop.signal.aborted && Date.now() < until && (await workOnce(runtime)) > 0);
        if (!stop.signal.aborted) await runtime.reactions?.deliver(until);
        if (await workPage(runtime)) await wake(); // left behind by a process that died
      },
    },
    {
      name: pages,
      cron: undefined,
      atOnce: workersOf(runtime),
      work: async () => {
        const end = Date.now() + TURN;
        const hasTime = () => Date.now() < end;
        const isStopped = () => stop.signal.aborted || !hasTime();
        await workPages(runtime, { workers: 1, isStopped, patience: IDLE });
        // A turn that was cut off by time, not by lack of work, is followed by another.
        if (!stop.signal.aborted && !hasTime()) await wake();
      },
    },
  ];

  const ids: [name: string, id: string][] = [];
  for (const { name, cron, atOnce, work } of jobs) {
    await boss.createQueue(name, QUEUE);
    const handler = () => logged(runtime, name, work);
    const settings = { ...polling, ...(atOnce === undefined ? {} : { localConcurrency: atOnce }) };
    ids.push([name, await boss.work(name, settings, handler)]);
    if (cron === undefined) continue;
    if (cron === false) await boss.unschedule(name);
    else await boss.schedule(name, cron, null, { tz: "UTC" });
  }
  // At start-up: the first time this is a backfill, later it reads what was missed.
  if (catchUp !== false) {
    await boss.send(`${base}-catch-up`, null, { singletonKey: "start", singletonSeconds: 30 });
  }
  return {
    stop: async () => {
      stop.abort();
      await Promise.all(ids.map(([name, id]) => boss.offWork(name, { id, wait: true })));
    },
  };
}

interface Job {
  readonly name: string;
  readonly cron: string | false | undefined;
  readonly atOnce?: number;
  readonly work: () => Promise<void>;
}

/** At most one job of a kind waits and one runs; a job whose instance died is run again soon. */
const QUEUE: QueueSettings = {
  policy: "stately",
  expireInSeconds: 180,
  deleteAfterSeconds: 86_400,
};

/**
 * What the names of an installation's queues begin with, distinct for each schema. pg-boss takes
 * letters, digits and `_ . - /`; any other character becomes its code between slashes, which no
 * other name holds.
 */
const queueBase = (schema: string): string =>
  schema === "public"
    ? "backend-billing"
    : `backend-billing-${schema.replace(/[^\w.-]/gu, (other) => `/${other.codePointAt(0)?.toString(16)}/`)}`;

async function logged(runtime: Runtime, name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const line = { job: name, ...factsOf(error) };
    runtime.log?.error(line, "A scheduled job failed; it is tried again");
    throw error;
  }
}
