// The scheduled jobs, on the real pg-boss: they fill the tables at start-up, keep them current, and
// do no harm when ten instances start at once.
import { PgBoss } from "pg-boss";
import { describe, expect, it, onTestFinished } from "vitest";
import { verify } from "../../../src/core/sync/sync.js";
import type { CronJobs, CronOptions } from "../../../src/postgres/index.js";
import { createBilling } from "../../../src/postgres/index.js";
import { type App, eventually, expectEqual, fillShop, quietApplications } from "./kit.js";

const open = quietApplications();
const OFTEN: CronOptions = { pollingIntervalSeconds: 0.5 };

/** A pg-boss of its own, as each instance of an application has one. */
async function startBoss(app: App): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: app.pool.options.connectionString ?? "",
    schema: `boss_${app.schema}`,
    max: 3,
    cronMonitorIntervalSeconds: 1,
    cronWorkerIntervalSeconds: 1,
  });
  boss.on("error", () => {});
  await boss.start();
  onTestFinished(() => boss.stop({ graceful: false }));
  return boss;
}

/** Another instance of the same application. */
async function startInstance(
  app: App,
  options: CronOptions = OFTEN,
): Promise<CronJobs & { boss: PgBoss }> {
  const boss = await startBoss(app);
  const jobs = await createBilling({ ...app.config, concurrency: 2 }).billing.addCronJobs(
    boss,
    options,
  );
  onTestFinished(() => jobs.stop());
  return { ...jobs, boss };
}

const lastRun = async (app: App) => (await app.b.billing.runs(1))[0];
const isDone = (app: App, kind: string) =>
  eventually(
    () => lastRun(app),
    (run) => run?.kind === kind && run.state === "done",
  );

it("fills the tables at start-up, with nobody calling anything", async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: 350 });
  await fillShop(app);
  await startInstance(app);
  await isDone(app, "backfill");
  await expectEqual(app);
});

it("after a downtime it catches up at start-up", async () => {
  const app = await open();
  const { customer } = await fillShop(app);
  await app.b.sync();
  await app.double.clock.advance({ hours: 5 });
  await app.stripe.customers.update(customer.id, { name: "Ada King" });
  await app.stripe.coupons.create({ percent_off: 30, duration: "once" });
  const { stop } = await startInstance(app);
  await isDone(app, "catch-up");
  await expectEqual(app);
  await stop();
});

it("ten instances that start at once make one run, and share it", { tags: ["slow"] }, async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: 3_000 });
  await fillShop(app);
  app.double.faults.add({ fault: "latency", milliseconds: 40 });
  await startBoss(app); // pg-boss itself is installed by then, as by an application's first release
  const instances = await Promise.all(Array.from({ length: 10 }, () => startInstance(app)));
  await isDone(app, "backfill");
  const runs = await app.b.billing.runs(50);
  expect(runs.filter(({ kind }) => kind === "backfill")).toHaveLength(1);
  expect(app.double.requests.count("GET /v1/customers")).toBeLessThan(31 * 1.6);
  app.double.faults.clear();
  await expectEqual(app, ["customers", "prices", "subscriptions"]);
  const [first] = instances;
  expect(await first?.boss.getSchedules()).toHaveLength(3);
  await Promise.all(instances.map(({ stop }) => stop()));
});

describe("the schedules", () => {
  it("are catch-up every five minutes, reconcile daily at an odd minute, the background every minute", async () => {
    const app = await open();
    const { boss } = await startInstance(app);
    const schedules = await boss.getSchedules();
    expect(
      Object.fromEntries(schedules.map(({ name, cron }) => [name.replace(/.*app_\d+-/, ""), cron])),
    ).toEqual({
      "catch-up": "*/5 * * * *",
      reconcile: "37 3 * * *",
      background: "* * * * *",
    });
  });

  it("can be others, or none", async () => {
    const app = await open();
    const { boss } = await startInstance(app);
    await createBilling(app.config).billing.addCronJobs(boss, {
      ...OFTEN,
      catchUp: "*/2 * * * *",
      reconcile: false,
    });
    const schedules = await boss.getSchedules();
    expect(schedules.map(({ cron }) => cron).sort()).toEqual(["* * * * *", "*/2 * * * *"]);
  });

  it("bring a job when their time comes", async () => {
    const app = await open();
    await app.b.sync();
    await startInstance(app, { ...OFTEN, catchUp: "* * * * *" });
    await isDone(app, "catch-up"); // that of the start-up
    const first = (await lastRun(app))?.runId;
    await app.double.clock.advance({ hours: 1 });
    await app.stripe.products.create({ name: "Later" });
    await eventually(
      () => lastRun(app),
      (run) => run?.runId !== first && run?.state === "done",
    );
    await expectEqual(app, ["products"]);
  });
});

it("what a dead process left is found: asks, and pages", { tags: ["slow"] }, async () => {
  const app = await open();
  await fillShop(app);
  await app.b.sync();
  await app.double.clock.advance({ hours: 1 });
  const [product] = app.double.objects("product");
  await app.stripe.products.update(product?.id ?? "", { name: "Analytical Engine" });
  // A process asked and died before it heard the answer; another one opened a run and died.
  await app.sql(
    `UPDATE ${app.schema}.backend_billing_versions SET ask_at = 1 WHERE id = '${product?.id}'`,
  );
  await verify({ ...app.core, now: Date.now }, {}, { wait: false });
  await startInstance(app, { ...OFTEN, catchUp: false });
  await isDone(app, "verify");
  await eventually(
    () => app.sql(`SELECT 1 FROM ${app.schema}.backend_billing_versions WHERE ask_at IS NOT NULL`),
    (left) => left.length === 0,
  );
  await expectEqual(app, ["products"]);
});

it("schemas whose names a queue cannot have as they are share no queues", async () => {
  const app = await open();
  const boss = await startBoss(app);
  const schemas = ["a b", "a_b", "a/20/b", "ä", "public", "billing"];
  for (const schema of schemas) {
    const { store, billing } = createBilling({ ...app.config, schema });
    await store.migrate();
    await billing.addCronJobs(boss, { catchUp: false, reconcile: false, background: false });
  }
  const queues = (await boss.getQueues()).map(({ name }) => name);
  expect(queues.filter((name) => name.startsWith("backend-billing"))).toHaveLength(
    4 * schemas.length,
  );
});

it("variant A has them too, and reconcile, verify and runs", async () => {
  const app = await open();
  await fillShop(app);
  const boss = await startBoss(app);
  const jobs = await app.a.stripe.addCronJobs(boss, OFTEN);
  onTestFinished(() => jobs.stop());
  await isDone(app, "backfill");
  expect((await app.a.stripe.verify()).state).toBe("done");
  expect((await app.a.stripe.reconcile()).state).toBe("done");
  expect((await app.a.stripe.runs()).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(["reconcile", "verify", "backfill"]),
  );
});
