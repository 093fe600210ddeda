/** The cron jobs of the specification's application on PostgreSQL: a pg-boss of its own. */
import type pg from "pg";
import { PgBoss } from "pg-boss";
import type {
  BillingClient,
  CronJobs,
} from "../../../packages/backend-billing/src/postgres/index.js";
import { PATIENCE } from "../../patience.js";
import type { CronJob } from "../harness.js";
import type { Schedule } from "../schedule.js";

export interface SpecCrons {
  start(): Promise<void>;
  schedule(job: CronJob): Promise<Schedule>;
  next(job: CronJob): Promise<void>;
  stop(): Promise<void>;
}

export function createCrons(pool: pg.Pool, schema: string, client: () => BillingClient): SpecCrons {
  let boss: PgBoss | undefined;
  let jobs: CronJobs | undefined;

  /** Waits for the end of the run that comes after this one. */
  async function runAfter(previous: string | undefined): Promise<void> {
    for (const end = Date.now() + PATIENCE; ; ) {
      const [run] = await client().runs(1);
      if (run !== undefined && run.runId !== previous && run.state === "done") return;
      if (Date.now() > end) throw new Error(`The run stayed ${JSON.stringify(run)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  /** As pg-boss keeps it. */
  async function scheduled(job: CronJob): Promise<{ name: string; cron: string }> {
    const found = (await boss?.getSchedules())?.find(({ name }) => name.endsWith(`-${job}`));
    if (found === undefined) throw new Error(`There is no job "${job}"`);
    if (found.timezone !== "UTC") throw new Error(`"${job}" is scheduled in ${found.timezone}`);
    return found;
  }
  const lastRun = async () => (await client().runs(1))[0]?.runId;

  return {
    async start() {
      const connectionString = pool.options.connectionString ?? "";
      boss = new PgBoss({
        connectionString,
        schema: `boss_${schema.replaceAll(/\W/g, "_")}`,
        max: 2,
      });
      boss.on("error", () => {});
      await boss.start();
      const previous = await lastRun();
      jobs = await client().addCronJobs(boss, { pollingIntervalSeconds: 0.5 });
      await runAfter(previous);
    },
    schedule: async (job) => ({ cron: (await scheduled(job)).cron }),
    async next(job) {
      const { name } = await scheduled(job);
      const previous = await lastRun();
      await boss?.send(name); // as pg-boss does when its time has come
      await runAfter(previous);
    },
    async stop() {
      await jobs?.stop();
      await boss?.stop({ graceful: false });
    },
  };
}
