// The application is away while things happen at Stripe, and no webhook is ever delivered again.

import { describe, expect, it } from "vitest";
import { pointers } from "../../../src/core/sync/run/pointers.js";
import { runReport } from "../../../src/core/sync/run/report.js";
import { openScheduled } from "../../../src/core/sync/work/scheduled.js";
import { workUntilDone } from "../../../src/core/sync/work/wait.js";
import {
  type App,
  eventually,
  expectEqual,
  fillShop,
  NOW,
  quietApplications,
  real,
  scheduled,
} from "./kit.js";

const open = quietApplications();

const catchUp = (app: App) => scheduled(app, "catch-up");

const readTo = async (app: App) => (await app.b.store.record("watermark", "events"))?.data.at;

/** So many changes, spread over a day of Stripe's time, with deletions among them. */
async function aDayOfChanges(app: App, changes: number): Promise<void> {
  const { stripe, double } = app;
  const customers = double.objects("customer").map(({ id }) => id);
  const [product] = double.objects("product");
  const kept = customers.length - changes / 5; // the others are there to be deleted
  const hours = 24;
  let [at, gone] = [0, 0];
  for (let hour = 0; hour < hours; hour++) {
    await double.clock.advance({ hours: 1 });
    const until = Math.round((changes * (hour + 1)) / hours);
    const lane = async () => {
      while (at < until) {
        const change = at++;
        const id = customers[change % kept] ?? "";
        if (change % 10 === 3) await stripe.customers.create({ name: `New ${change}` });
        else if (change % 10 === 7) await stripe.customers.del(customers[kept + gone++] ?? "");
        else if (change % 50 === 1) await stripe.products.create({ name: `Part ${change}` });
        else if (change % 50 === 2)
          await stripe.coupons.create({ percent_off: 5, duration: "once" });
        else await stripe.customers.update(id, { name: `Name ${change}` });
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
  }
  await stripe.products.update(product?.id ?? "", { active: false });
  for (const { id } of double.objects("subscription")) {
    if (double.objects("subscription").find((each) => each.id === id)?.status === "active") {
      await stripe.subscriptions.cancel(id);
    }
  }
  // Not the first one: its promotion code would change, and Stripe has no event for that.
  for (const { id } of double.objects("coupon").slice(1, 4)) await stripe.coupons.del(id);
}

async function expectEqualAfterADay(changes: number): Promise<void> {
  const app = await open();
  app.double.populate({ object: "customer", count: changes / 2 });
  await fillShop(app);
  expect((await app.b.sync()).state).toBe("done");
  await aDayOfChanges(app, changes);
  app.double.requests.clear();
  const report = await catchUp(app);
  expect(report).toMatchObject({ kind: "catch-up", state: "done", resources: {} });
  expect(report?.events?.rows).toBeGreaterThan(changes * 0.8);
  expect(app.double.requests.count("GET /v1/customers")).toBe(0); // nothing was listed again
  await expectEqual(app);
}

it("a day off with 1,500 changes: the catch-up alone brings equality", () =>
  expectEqualAfterADay(1_500));

it("a day off with 20,000 changes, too", { timeout: 900_000, tags: ["long"] }, () =>
  expectEqualAfterADay(20_000),
);

it("40 days off: it falls back to listing and asking, and that brings equality", async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: 400 });
  const { customer, price } = await fillShop(app);
  expect((await app.b.sync()).state).toBe("done");
  const [first, second] = app.double.objects("customer").map(({ id }) => id);
  await app.stripe.customers.del(first ?? ""); // of this no event will be left
  await app.stripe.customers.update(second ?? "", { name: "Changed on the first day" });
  const coupon = app.double.objects("coupon")[0]?.id ?? "";
  await app.stripe.coupons.del(coupon);
  await app.double.clock.advance({ days: 39 }); // the subscription renews
  await app.stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  await app.stripe.customers.update(customer.id, { name: "Ada King" });
  await app.double.clock.advance({ days: 1 });
  const report = await catchUp(app);
  expect(report).toMatchObject({ kind: "catch-up", state: "done" });
  expect(report?.resources.customers).toMatchObject({ state: "done", drift: { ghost: 1 } });
  expect(report?.resources.coupons?.drift).toMatchObject({ ghost: 1 });
  await expectEqual(app);
  // And from here events are enough again.
  await app.double.clock.advance({ hours: 2 });
  await app.stripe.customers.update(second ?? "", { name: "Changed again" });
  const next = await catchUp(app);
  expect(next?.resources).toEqual({});
  await expectEqual(app, ["customers"]);
});

it("a sync by hand after 40 days does not skip the gap either", async () => {
  const app = await open();
  await fillShop(app);
  await app.b.sync();
  const coupon = app.double.objects("coupon")[0]?.id ?? "";
  await app.stripe.coupons.del(coupon);
  await app.double.clock.advance({ days: 40 });
  expect(await app.b.sync()).toMatchObject({ kind: "backfill", state: "done" });
  expect(await app.b.store.row("coupons", coupon)).toBeUndefined();
});

it("a sync by hand after a day reads the day's events", async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: 20 });
  await app.b.sync();
  const [gone] = app.double.objects("customer").map(({ id }) => id);
  await app.stripe.customers.del(gone ?? "");
  await app.double.clock.advance({ days: 1 });
  await app.b.sync();
  await expectEqual(app, ["customers"]);
});

describe("the watermark", () => {
  const seconds = (offset: number) => Date.parse(NOW) / 1000 + offset;

  it("is where the reading began, not where it ended, and is read again with an overlap", async () => {
    const app = await open();
    await app.b.sync();
    expect(await readTo(app)).toBe(seconds(0));
    await app.double.clock.advance({ hours: 1 });
    await catchUp(app);
    expect(await readTo(app)).toBe(seconds(3600));
    const request = app.double.requests
      .recent()
      .filter(({ url }) => url.startsWith("/v1/events"))
      .at(-1);
    expect(new URL(request?.url ?? "", app.url).searchParams.get("created[gte]")).toBe(
      String(seconds(-600)),
    );
  });

  it("does not move while a page is missing", async () => {
    const app = await open();
    await app.b.sync();
    await app.double.clock.advance({ hours: 1 });
    app.double.faults.add({ fault: "error_before", status: 500, on: "GET /v1/events" });
    const runtime = real(app);
    const runId = await openScheduled(runtime, "catch-up");
    const working = workUntilDone(runtime, runId);
    await eventually(
      () => runReport(runtime, runId),
      (report) => report?.events?.error !== undefined,
    );
    expect(await readTo(app)).toBe(seconds(0));
    app.double.faults.clear();
    await working;
    expect(await readTo(app)).toBe(seconds(3600));
  });

  it("is not moved by a webhook: an outage's gap would be skipped", async () => {
    const app = await open({ endpoint: true, stripe: { delivery: "held" } });
    await app.b.sync();
    await app.double.clock.advance({ hours: 1 });
    const missed = await app.stripe.products.create({ name: "Missed" });
    await app.double.clock.advance({ hours: 1 });
    await app.stripe.products.create({ name: "Heard of" });
    const last = app.double.deliveries.held().at(-1);
    await app.double.deliveries.release([last?.id ?? ""]);
    expect(await readTo(app)).toBe(seconds(0));
    expect(await app.b.store.row("products", missed.id)).toBeUndefined();
    await catchUp(app);
    expect(await app.b.store.row("products", missed.id)).toBeDefined();
    await expectEqual(app, ["products"]);
  });
});

it("what webhooks brought is not stored again, and asks nothing", async () => {
  const app = await open({ endpoint: true });
  await app.b.sync();
  await app.double.clock.advance({ hours: 1 });
  const { id } = await app.stripe.products.create({ name: "Engine" });
  await app.double.settle();
  const before = await app.b.store.version("products", id);
  app.double.requests.clear();
  await catchUp(app);
  expect(await app.b.store.version("products", id)).toEqual(before);
  expect(app.double.requests.count()).toBe(app.double.requests.count("GET /v1/events"));
});

it("events of another API version are asked about", async () => {
  const app = await open({ stripe: { apiVersion: "2024-06-20" } });
  await app.b.sync();
  await app.double.clock.advance({ hours: 1 });
  await fillShop(app);
  await catchUp(app);
  await expectEqual(app);
});

it("what comes in twice, by a webhook and by the list, is one change", async () => {
  const app = await open({ endpoint: true, stripe: { delivery: "held" } });
  await app.b.sync();
  await app.double.clock.advance({ hours: 1 });
  const { id } = await app.stripe.products.create({ name: "Engine" });
  await Promise.all([
    app.double.deliveries.release(app.double.deliveries.held().map((each) => each.id)),
    catchUp(app),
  ]);
  expect((await app.b.store.version("products", id))?.revision).toBe(1);
});

it("the first tick begins a backfill, and ten at once begin one run", async () => {
  const app = await open();
  await fillShop(app);
  const runtime = real(app);
  const ids = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      openScheduled(runtime, index % 2 === 0 ? "catch-up" : "reconcile"),
    ),
  );
  expect(new Set(ids).size).toBe(1);
  expect((await app.b.billing.runs())[0]?.kind).toBe("backfill");
  await workUntilDone(runtime, ids[0] ?? "");
  await expectEqual(app);
  const next = await Promise.all(
    Array.from({ length: 10 }, () => openScheduled(runtime, "catch-up")),
  );
  expect(new Set(next).size).toBe(1);
  expect(next[0]).not.toBe(ids[0]);
  expect((await app.b.billing.runs())[0]?.kind).toBe("catch-up");
});

it("old runs are forgotten, with all they wrote", async () => {
  const app = await open();
  await app.b.sync();
  // At forty-one the oldest are removed together, so that the next schedules need not.
  for (let runs = 0; runs < 42; runs++) await catchUp(app);
  const counts = await app.sql<{ kind: string; n: number }>(
    `SELECT kind, count(*)::int AS n FROM ${app.schema}.backend_billing_records WHERE kind IN ('run', 'partition') GROUP BY kind ORDER BY kind`,
  );
  const runs = counts.find(({ kind }) => kind === "run")?.n ?? 0;
  expect(runs).toBeLessThanOrEqual(22); // twenty of them, the last one, and the backfill
  // Of each a group of event types at most five times, and of the backfill its lists.
  expect(counts.find(({ kind }) => kind === "partition")?.n).toBeLessThan(22 * 6 + 30);
});

describe("what a new version mirrors", () => {
  /** Tables as they are after the upgrade: the old resources are there, this one was never listed. */
  async function upgraded(app: App): Promise<void> {
    await fillShop(app);
    await app.b.sync();
    const tables = ["records WHERE kind = 'watermark' AND id", "versions WHERE resource"];
    for (const table of tables) {
      await app.sql(`DELETE FROM ${app.schema}.backend_billing_${table} = 'invoices'`);
    }
    await app.sql(`DELETE FROM ${app.schema}.backend_billing_invoices`);
    await app.double.clock.advance({ days: 1 });
  }
  const backfills = async (app: App) =>
    (await app.b.billing.runs()).filter(({ kind }) => kind === "backfill");

  it("is listed by the next catch-up, without anybody asking", async () => {
    const app = await open();
    await upgraded(app);
    app.double.requests.clear();
    expect((await catchUp(app))?.kind).toBe("catch-up");
    const [begun, first, ...others] = await backfills(app);
    expect([first?.state, others]).toEqual(["done", []]);
    await workUntilDone(real(app), begun?.runId ?? "");
    expect(app.double.requests.count("GET /v1/invoices")).toBeGreaterThan(0);
    expect(app.double.requests.count("GET /v1/customers")).toBe(0); // those were listed before
    await expectEqual(app);
    await catchUp(app);
    expect(await backfills(app)).toHaveLength(2); // nothing is left to be listed
  });

  it("holds no catch-up up where the key may not read it", async () => {
    const app = await open();
    await upgraded(app);
    app.double.faults.add({ fault: "error_before", status: 403, on: "GET /v1/invoices" });
    expect((await catchUp(app))?.state).toBe("done");
    await workUntilDone(real(app), (await backfills(app))[0]?.runId ?? "");
    const before = await backfills(app);
    expect(before.map(({ state }) => state)).toEqual(["failed", "done"]);
    expect((await catchUp(app))?.state).toBe("done");
    expect(await backfills(app)).toEqual(before); // left as it failed, for the next reconcile
  });
});

describe("a resource that is left out for a while", () => {
  const fewer = { config: { resources: ["customers", "products"] } } as const;
  const named = async ({ b }: App) =>
    (await b.store.rows("products", "", 10)).map(({ stripe }) => stripe.name);

  it("is listed again once it is mirrored again, and no process goes by what it had", async () => {
    const app = await open(fewer);
    const { id } = await app.stripe.products.create({ name: "Engine" });
    await app.b.sync();
    const core: App["core"] = { ...app.core, resources: ["customers"] };
    await app.double.clock.advance({ minutes: 30 });
    await app.stripe.products.update(id, { name: "Engine II" });
    await scheduled({ ...app, core }, "catch-up");
    expect(await app.b.store.record("watermark", "products")).toBeUndefined();
    expect(await app.b.store.record("watermark", "customers")).toBeDefined();
    await app.double.clock.advance({ minutes: 30 });
    await scheduled(app, "catch-up");
    const { backfill } = (await pointers(app.core)).open;
    if (backfill !== undefined) await workUntilDone(real(app), backfill);
    expect(await named(app)).toEqual(["Engine II"]);
    expect(await app.b.store.record("watermark", "products")).toBeDefined();
  });
});
