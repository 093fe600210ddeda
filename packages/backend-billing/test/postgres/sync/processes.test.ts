// Several processes share one run through the database, and one of them is killed in the middle.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import type { WorkerAnswer, WorkerOrder } from "../../../../../support/sync/worker.js";
import { type App, eventually, expectEqual, quietApplications } from "./kit.js";

const open = quietApplications();
const COUNT = 6_000;

function startWorker(order: WorkerOrder): {
  child: ChildProcess;
  answer: Promise<WorkerAnswer | undefined>;
} {
  const path = fileURLToPath(new URL("../../../../../support/sync/worker.ts", import.meta.url));
  const child = fork(path, { execArgv: ["--import", "tsx"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const answer = Promise.race([
    once(child, "message").then(([message]) => message as WorkerAnswer),
    once(child, "exit").then(() => undefined),
  ]);
  child.send(order);
  return { child, answer };
}

const orderOf = (app: App): WorkerOrder => ({
  url: app.pool.options.connectionString ?? "",
  schema: app.schema,
  secretKey: app.double.secretKey,
  stripe: app.double.stripeConfig,
  pageLease: 3_000,
  rate: false,
});

const rowsSoFar = async (app: App): Promise<number> =>
  (await app.b.billing.runs(1))[0]?.resources.customers?.rows ?? 0;

it("two processes share one run", { tags: ["slow"] }, async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: COUNT });
  app.double.faults.add({ fault: "latency", milliseconds: 30 });
  const workers = [startWorker(orderOf(app)), startWorker(orderOf(app))];
  const answers = await Promise.all(workers.map(({ answer }) => answer));
  expect(answers).toEqual([
    { state: "done", runId: expect.any(String) },
    { state: "done", runId: (answers[0] as { runId: string }).runId },
  ]);
  // 75 to 79 for 60 pages: neither knows at once what the other has just split.
  expect(app.double.requests.count("GET /v1/customers")).toBeLessThan((COUNT / 100) * 1.5);
  app.double.faults.clear();
  await expectEqual(app, ["customers"]);
});

it("a process that is killed is waited for, and its pages are done again", {
  tags: ["slow"],
}, async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: COUNT });
  app.double.faults.add({ fault: "latency", milliseconds: 50 });
  const first = startWorker(orderOf(app));
  const reached = await eventually(
    () => rowsSoFar(app),
    (rows) => rows >= 1_500,
  );
  first.child.kill("SIGKILL");
  expect(await first.answer).toBeUndefined();
  expect(reached).toBeLessThan(COUNT);
  const [left] = await app.b.billing.runs(1);
  expect(left?.state).toBe("running"); // nobody says that it is done
  const before = app.double.requests.count("GET /v1/customers");

  app.double.faults.clear();
  const second = startWorker(orderOf(app));
  expect(await second.answer).toMatchObject({ state: "done", runId: left?.runId });
  // What was committed is not asked for again.
  const again = app.double.requests.count("GET /v1/customers") - before;
  expect(again).toBeLessThan(((COUNT - reached) / 100) * 1.4);
  await expectEqual(app, ["customers"]);
});
