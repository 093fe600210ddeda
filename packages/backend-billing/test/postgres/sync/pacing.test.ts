// The pace over a real database, against a double that limits as Stripe does, in real time.
import { expect, it } from "vitest";
import type { Pace } from "../../../src/core/runtime/records/records.js";
import { paced } from "../../../src/core/stripe/pacer.js";
import { createBilling } from "../../../src/postgres/index.js";
import { eventually } from "../service/kit.js";
import { type App, quietApplications } from "./kit.js";

const open = quietApplications();
const LIMITS = { global: 40, endpoint: 20, search: 20 };
const RATE = { total: 40, perEndpoint: 20 };

/** A double whose limits are real: their time runs. */
const limited = (over: Parameters<typeof open>[0] = {}) =>
  open({
    ...over,
    stripe: { now: undefined as never, rateLimits: LIMITS },
    config: { rate: RATE },
  });

const requestsPerSecond = async ({ double }: App, work: () => Promise<unknown>) => {
  double.requests.clear();
  const start = Date.now();
  await work();
  return double.requests.count() / ((Date.now() - start) / 1000);
};

it("stays below Stripe's limits, with several processes and endpoints", {
  tags: ["slow"],
}, async () => {
  const app = await limited();
  app.double.populate({ object: "customer", count: 6_000 });
  // Two instances of one deployment, each with its own client and its own slots.
  const other = createBilling({ ...app.config });
  const rate = await requestsPerSecond(app, () => Promise.all([app.b.sync(), other.sync()]));
  const { requests } = app.double;
  // A busy machine may send what has waited all at once; that is the exception.
  expect(requests.countStatus(429)).toBeLessThanOrEqual(requests.count() / 20);
  expect(rate).toBeLessThan(30); // mostly one endpoint
  expect(await app.b.store.rows("customers", "", 1)).toHaveLength(1);
});

it("a 429 slows down everybody who shares the pace, and only that endpoint", async () => {
  const app = await open({ config: { rate: RATE } });
  await app.b.sync();
  const before = (await app.b.store.record("setting", "pace"))?.data as unknown as Pace;
  app.double.faults.add({
    fault: "rate_limited",
    reason: "endpoint-rate",
    on: "GET /v1/coupons",
    times: 1,
  });
  expect((await app.b.sync()).state).toBe("done");
  const after = (await app.b.store.record("setting", "pace"))?.data as unknown as Pace;
  expect(after.endpoints["GET coupons"]?.cutAt).toBeGreaterThan(
    before.endpoints["GET coupons"]?.cutAt ?? 0,
  );
  expect(after.endpoints["GET coupons"]?.rate).toBeLessThan(0.96 * RATE.perEndpoint);
  expect(after.endpoints["GET customers"]?.cutAt).toBe(0);
});

it("two deployments that share an account both finish", { tags: ["slow"] }, async () => {
  const app = await limited();
  app.double.populate({ object: "customer", count: 4_000 });
  const other = await open({
    config: { ...app.config, schema: `${app.schema}_other`, rate: RATE },
  });
  const reports = await Promise.all([app.b.sync(), other.b.sync()]);
  expect(reports.map(({ state, resources }) => [state, resources.customers?.rows])).toEqual([
    ["done", 4_000],
    ["done", 4_000],
  ]);
});

it("what is not used in time is forgotten: no burst follows a pause", async () => {
  const app = await open({ config: { rate: { total: 1000, perEndpoint: 50 } } });
  let time = Date.now();
  const sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  const sleep = (milliseconds: number) =>
    new Promise<void>((wake) => void sleepers.push({ at: time + milliseconds, wake }));
  const runtime = { ...app.core, now: () => time, sleep };
  const sent: number[] = [];
  const send = () => paced(runtime, "GET things", async () => void sent.push(time));
  /** Asks for so many at once, and turns the clock to the turn of each. */
  const burst = async (count: number) => {
    sent.length = 0;
    const all = Promise.all(Array.from({ length: count }, send));
    while (sent.length < count) {
      await eventually(
        () => sent.length + sleepers.length,
        (settled) => settled >= count,
      );
      if (sleepers.length === 0) continue;
      time = Math.min(...sleepers.map(({ at }) => at));
      const due = sleepers.findIndex(({ at }) => at === time);
      sleepers.splice(due, 1)[0]?.wake();
    }
    await all;
  };
  await burst(30);
  time += 1_500;
  await burst(60);
  const early = sent.filter((at) => at - (sent[0] ?? 0) < 300).length;
  expect(early).toBeLessThan(45); // at 50 a second: 15, and what may be made up for
  expect(Math.max(...sent) - Math.min(...sent)).toBeGreaterThan(500);
});

it("nobody waits for ever when the store fails", async () => {
  const app = await open({ config: { rate: RATE } });
  const store = { ...app.core.store, record: () => Promise.reject(new Error("away")) };
  const calls = [1, 2, 3].map(() =>
    paced({ ...app.core, store }, "GET things", () => Promise.resolve("sent")),
  );
  for (const ended of await Promise.allSettled(calls)) {
    expect(ended).toMatchObject({ status: "rejected", reason: { message: "away" } });
  }
  expect(await paced(app.core, "GET things", () => Promise.resolve("sent"))).toBe("sent");
});
