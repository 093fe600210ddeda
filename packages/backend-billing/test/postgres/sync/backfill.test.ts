// A backfill on a real database against the double: whatever goes wrong, it ends whole or says what
// is missing.

import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { stripePath } from "../../../../../support/stripe-path.js";
import { defaultResources } from "../../../src/core/catalogue/catalogue.js";
import { ingest } from "../../../src/core/events/ingest.js";
import type { Store } from "../../../src/core/mirror/store.js";
import { behindGateway } from "../../../src/core/runtime/commit/commit.js";
import { localOf } from "../../../src/core/runtime/local.js";
import type { SyncReport } from "../../../src/core/runtime/reports.js";
import type { Runtime } from "../../../src/core/runtime/runtime.js";
import { latestRuns, runReport } from "../../../src/core/sync/run/report.js";
import { reconcile, sync } from "../../../src/core/sync/sync.js";
import { workPage } from "../../../src/core/sync/work/work.js";
import { createBilling } from "../../../src/postgres/index.js";
import {
  type App,
  atStripe,
  billingError,
  expectEqual,
  fillShop,
  NOW,
  pageRequests,
  quietApplications,
} from "./kit.js";

const open = quietApplications();

/** The core in real time, with nothing in the background: tests do the pages themselves. */
const byHand = (app: App, over: Partial<Runtime> = {}): Runtime => ({
  ...app.core,
  local: localOf(app.config), // as a process of its own
  now: Date.now,
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  ...over,
});

async function workAll(runtime: Runtime): Promise<number> {
  for (let pages = 0; ; pages++) if (!(await workPage(runtime))) return pages;
}

it("copies everything, also what lists hide and what is in no list", async () => {
  const app = await open();
  const { product, customer } = await fillShop(app);
  const inline = await app.stripe.subscriptions.create({
    customer: customer.id,
    items: [
      {
        price_data: {
          product: product.id,
          currency: "usd",
          unit_amount: 777,
          recurring: { interval: "month" },
        },
      },
    ],
  });
  await app.double.clock.advance({ days: 40 }); // no event is left that could tell of it
  const report = await app.b.sync();
  expect(report).toMatchObject({
    kind: "backfill",
    state: "done",
    partitions: { running: 0, failed: 0 },
  });
  await expectEqual(app);
  const price = inline.items.data[0]?.price.id ?? "";
  expect((await app.b.store.row("prices", price))?.stripe.unit_amount).toBe(777);
  expect((await app.b.store.customerOf("user_1"))?.customerId).toBe(customer.id);
});

it("says nothing of what it did not finish, and goes on from there", async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: 350 });
  await fillShop(app);
  const allowed = defaultResources.filter((name) => name !== "payouts").map(stripePath);
  const scopes = Object.fromEntries([...allowed, "events"].map((name) => [name, "read" as const]));
  const config = { ...app.config, secret_key: app.double.restrictedKey(scopes) };
  const restricted = createBilling(config);
  const error = await billingError(restricted.sync());
  expect(error.code).toBe("run_failed");
  expect(error.message).toMatch(
    /^The backfill run_\S+ failed\. payouts: .* Let the restricted key read payouts, or leave that out of `resources`/,
  );
  const first = error.report as SyncReport;
  expect(first.state).toBe("failed");
  expect(first.resources.payouts).toMatchObject({ state: "failed", rows: 0 });
  expect(first.resources.customers).toMatchObject({ state: "done", rows: 351 });
  expect((await app.b.billing.runs())[0]).toMatchObject({ runId: first.runId, state: "failed" });

  app.double.requests.clear();
  const second = await app.b.sync();
  expect(second).toMatchObject({ runId: first.runId, state: "done" });
  expect(second).not.toHaveProperty("error");
  expect(app.double.requests.count("GET /v1/customers")).toBe(0); // that was done
  await expectEqual(app);
});

describe("what passes is waited out", () => {
  it.each([
    ["429 for everything", { fault: "rate_limited", reason: "endpoint-rate", rate: 0.2 }],
    ["lock time-outs", { fault: "lock_timeout", rate: 0.2 }],
    ["server errors", { fault: "error_before", status: 503, rate: 0.2 }],
    ["broken connections", { fault: "cut_before", rate: 0.2 }],
    ["half an answer", { fault: "half_answer", rate: 0.2 }],
  ] as const)("%s", { tags: ["slow"] }, async (_, fault) => {
    const app = await open();
    app.double.populate({ object: "customer", count: 1_500 });
    await fillShop(app);
    app.double.faults.add({ ...fault, on: "GET /v1/customers" });
    app.double.faults.add({ ...fault, on: "GET /v1/events" });
    const report = await app.b.sync();
    expect(report.state).toBe("done");
    expect(app.double.requests.count()).toBeGreaterThan(20);
    app.double.faults.clear();
    await expectEqual(app, ["customers", "prices", "subscriptions"]);
  });
});

it("goes on by time when the object at the cursor is deleted", async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: 450 });
  const runtime = byHand(app);
  const { runId } = await sync(runtime, {}, { wait: false });
  const cursors = new Set<string>();
  for (;;) {
    const worked = await workPage(runtime);
    // Whoever is at a cursor is deleted before the next page is asked for.
    const partitions = await runtime.store.recordsOf("partition", runId ?? "", "", 100);
    for (const { data } of partitions) {
      const { resource, cursor, state } = data as {
        resource: string;
        cursor: string | null;
        state: string;
      };
      if (resource !== "customers" || cursor === null || state === "done" || cursors.has(cursor))
        continue;
      cursors.add(cursor);
      await app.stripe.customers.del(cursor);
    }
    if (!worked) break;
  }
  expect(cursors.size).toBe(4);
  expect(await runReport(runtime, runId ?? "")).toMatchObject({ state: "done" });
  // The deleted ones were listed before; the events at the end of the run tell of their deletion.
  await expectEqual(app, ["customers"]);
});

it("splits a long listing, and shows every object once", async () => {
  const app = await open();
  // Two in every second: none may fall between two ranges.
  const to = Date.parse(NOW);
  app.double.populate({ object: "customer", count: 6_000, from: to - 3_000_000, to });
  const report = await app.b.sync();
  expect(report.resources.customers).toMatchObject({ state: "done", rows: 6_000 });
  const done = report.partitions?.done ?? 0;
  expect(done).toBeGreaterThan(20);
  // Sixty full pages, and the last one of each part. How many parts there are depends on which worker
  // is how far; test/unit/core/sync/split.test.ts bounds them.
  expect(report.resources.customers?.pages).toBeLessThanOrEqual(60 + done);
  expect(
    await app.sql(`SELECT count(*)::int AS n FROM ${app.schema}.backend_billing_customers`),
  ).toEqual([{ n: 6_000 }]);
});

it("commits a page in parts if the store takes less at once", async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: 250 });
  await fillShop(app);
  const commits: number[] = [];
  const { store } = app.b;
  const small: Store = {
    ...store,
    limits: { snapshots: 30, bytes: 20_000 },
    commit: (batch) => {
      const snapshots = batch.units.flatMap((unit) => unit.snapshots ?? []);
      commits.push(snapshots.length);
      expect(JSON.stringify(batch.units).length).toBeLessThan(30_000);
      return store.commit(batch);
    },
  };
  expect((await sync(byHand(app, { store: behindGateway(small, () => {}) }))).state).toBe("done");
  expect(Math.max(...commits)).toBeLessThanOrEqual(30);
  await expectEqual(app);
});

it("does a page again whose commit failed, and never goes past it", {
  tags: ["slow"],
}, async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: 1_000 });
  const { store } = app.b;
  let commits = 0;
  const flaky: Store = {
    ...store,
    commit: (batch) =>
      ++commits % 4 === 0
        ? Promise.reject(new Error("Connection terminated"))
        : store.commit(batch),
  };
  const report = await sync(
    byHand(app, {
      store: behindGateway(flaky, () => {}),
      timing: { ...app.core.timing, pageLease: 300 },
    }),
  );
  expect(report.state).toBe("done");
  expect(report.resources.customers?.rows).toBe(1_000);
  await expectEqual(app, ["customers"]);
});

it("a page that two workers did is counted once", { tags: ["slow"] }, async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: 500 });
  const { store } = app.core;
  const runtime = byHand(app, {
    store: {
      ...store,
      // Everybody comes too late: the next one has it already.
      takeRecords: (kind, lease) => store.takeRecords(kind, { ...lease, lease: 1 }),
    },
  });
  const { runId } = await sync(runtime, {}, { wait: false });
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let at = 0; at < 60; at++) await workPage(runtime);
    }),
  );
  await workAll(byHand(app));
  expect(await runReport(runtime, runId ?? "")).toMatchObject({
    state: "done",
    resources: { customers: { rows: 500 } },
  });
  await expectEqual(app, ["customers"]);
});

describe("a worker that has written a page", () => {
  /** How long it rested after its pages, in a process where each commit takes 40 milliseconds. */
  async function rests(app: App, before: (runtime: Runtime) => Promise<unknown>) {
    const slept: number[] = [];
    const clock = { now: Date.now() };
    const { store } = app.b;
    const commit: Store["commit"] = (batch) => {
      clock.now += 40;
      return store.commit(batch);
    };
    const runtime = byHand(app, {
      store: behindGateway({ ...store, commit }, () => {}),
      now: () => clock.now,
      sleep: async (milliseconds) => void slept.push(milliseconds),
    });
    await sync(runtime, {}, { wait: false });
    for (;;) {
      await before(runtime);
      if (!(await workPage(runtime))) return slept;
      clock.now += 10_000;
    }
  }
  const open450 = async () => {
    const app = await open();
    app.double.populate({ object: "customer", count: 450 });
    return app;
  };

  it("rests for as long as that took while events come", async () => {
    const app = await open450();
    await app.stripe.products.create({ name: "Pro" });
    const [event] = (await app.stripe.events.list({ limit: 1 })).data;
    const slept = await rests(app, (runtime) => ingest(runtime, event as Stripe.Event));
    expect(slept.length).toBeGreaterThan(5);
    expect(new Set(slept)).toEqual(new Set([40, 80])); // some pages are two commits
    await expectEqual(app, ["customers"]);
  });

  it("goes on at once otherwise", async () => {
    const app = await open450();
    expect(await rests(app, async () => {})).toEqual([]);
    await expectEqual(app, ["customers"]);
  });
});

it("links customers even if a worker dies right after their page", async () => {
  const app = await open();
  await fillShop(app);
  await app.double.clock.advance({ days: 40 }); // no event is left that could tell of it
  const runtime = byHand(app);
  const { runId } = await sync(runtime, {}, { wait: false });
  // Every page is committed by a worker that does nothing afterwards, ever.
  for (let pages = 0; pages < 200; pages++) {
    const mortal = byHand(app, {
      wake: () => {
        throw new Error("dead");
      },
    });
    if (!(await workPage(mortal).catch(() => true))) break;
  }
  expect(await runReport(runtime, runId ?? "")).toMatchObject({ state: "done" });
  expect(await app.b.store.customerOf("user_1")).toBeDefined();
});

it("is one run, whoever calls it and how often", async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: 1_200 });
  const reports = await Promise.all(Array.from({ length: 5 }, () => app.b.sync()));
  expect(new Set(reports.map(({ runId }) => runId)).size).toBe(1);
  expect(new Set(reports.map(({ state }) => state))).toEqual(new Set(["done"]));
  // Twelve pages, and some that a split proved needless; five runs would be sixty and more.
  expect(app.double.requests.count("GET /v1/customers")).toBeLessThan(30);
  expect((await app.b.sync()).runId).not.toBe(reports[0]?.runId);
});

it("is readable while it runs", async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: 450 });
  const runtime = byHand(app);
  const opened = await sync(runtime, {}, { wait: false });
  expect(opened).toMatchObject({
    kind: "backfill",
    state: "running",
    finishedAt: null,
    phase: "list",
  });
  expect(pageRequests(app)).toBe(0);
  const rows: number[] = [];
  for (;;) {
    const [report] = await latestRuns(runtime);
    rows.push(report?.resources.customers?.rows ?? -1);
    if (report?.state === "done") break;
    expect(await workPage(runtime)).toBe(true);
  }
  expect(rows[0]).toBe(0);
  expect(rows.at(-1)).toBe(450);
  expect(new Set(rows).size).toBeGreaterThanOrEqual(6); // a page at a time, whoever's it is
  expect(rows).toEqual([...rows].sort((a, b) => a - b));
  const [done] = await latestRuns(runtime);
  expect(done).toMatchObject({ state: "done", phase: "settle", events: { state: "done" } });
  expect(done?.finishedAt).toBeGreaterThanOrEqual(done?.startedAt ?? 0);
});

it("the last error is readable while it is waited out", async () => {
  const app = await open();
  app.double.faults.add({ fault: "error_before", status: 500, on: "GET /v1/coupons" });
  const runtime = byHand(app);
  await sync(runtime, {}, { wait: false });
  await workAll(runtime);
  expect((await latestRuns(runtime))[0]).toMatchObject({
    state: "running",
    resources: { coupons: { state: "running", error: expect.stringMatching(/^coupons: /) } },
  });
});

it("what changes meanwhile is in it, with no webhook at all", async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: 900 });
  const { customer, product } = await fillShop(app);
  const runtime = byHand(app);
  const { runId } = await sync(runtime, {}, { wait: false });
  for (let page = 0; ; page++) {
    if (page === 8) {
      await app.double.clock.advance({ seconds: 30 });
      await app.stripe.products.update(product.id, { name: "Analytical Engine" });
      await app.stripe.customers.update(customer.id, { name: "Ada" });
      await app.stripe.customers.create({ name: "New" });
      const [victim] = await atStripe(app.double, "customers").then((all) =>
        [...all.keys()].slice(500),
      );
      await app.stripe.customers.del(victim ?? "");
    }
    if (!(await workPage(runtime))) break;
  }
  expect(await runReport(runtime, runId ?? "")).toMatchObject({ state: "done" });
  await expectEqual(app);
});

it("a key of another account is refused before it mixes two accounts", async () => {
  const app = await open();
  await app.b.sync();
  const other = await open();
  const config = {
    ...app.config,
    secret_key: other.double.secretKey,
    stripe_options: other.double.stripeConfig,
  };
  const error = await billingError(createBilling(config).sync());
  expect(error.code).toBe("invalid_config");
  expect(error.message).toContain(other.double.account);
  expect(error.message).toContain(app.double.account);
  expect(
    (await billingError(reconcile({ ...app.core, config, stripe: () => other.stripe }))).code,
  ).toBe("invalid_config");
});
