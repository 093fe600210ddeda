// How often functions are called, which is what Convex counts: the action, runs of the `store` mutation,
// and scheduled actions. The table in docs/platforms/convex.md has these figures.
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../../src/convex/calls/operations.js";
import { type App, install, openApp } from "./kit.js";

interface Counted {
  readonly calls: number;
  /** Requests to Stripe, but the one that asks which account it is. */
  readonly pages: number;
}

interface CountingApp extends App {
  /** What one call takes in an isolate that has seen nothing yet, with all that follows from it. */
  count(call: () => Promise<unknown>): Promise<Counted>;
  job(step: "catch-up" | "reconcile"): Promise<Counted>;
}

async function openCounting(): Promise<CountingApp> {
  const operations: Operation[] = [];
  const app = await openApp({ onStore: (each) => void operations.push(each) });
  const { deployment, double } = app;
  const scheduled = () =>
    deployment.backend.run(
      async (ctx) => (await ctx.db.system.query("_scheduled_functions").collect()).length,
    );
  const count: CountingApp["count"] = async (call) => {
    deployment.push({});
    const before = await scheduled();
    operations.length = 0;
    double.requests.clear();
    await call();
    await deployment.idle();
    const calls = 1 + operations.length + (await scheduled()) - before;
    return { calls, pages: double.requests.count() - 1 };
  };
  return { ...app, count, job: (step) => count(() => app.call("billing:sync", { step })) };
}

/** An application whose tables are up to date. */
async function settled(): Promise<CountingApp> {
  const app = await openCounting();
  app.double.populate({ object: "customer", count: 250 });
  await app.call("billing:sync", { step: "catch-up" });
  await app.deployment.idle();
  return app;
}

/** The figure in the line of the documentation that begins so. */
async function documented(line: string): Promise<number> {
  const docs = await readFile("docs/platforms/convex.md", "utf8");
  const found = docs.split("\n").find((each) => each.startsWith(`| ${line}`));
  return Number(found?.split("|")[2]?.replaceAll(",", ""));
}

describe("the calls of functions", () => {
  it("of an event", async () => {
    // Nothing was listed yet: an event of the second of a listing is asked about, which is more calls.
    const app = await openCounting();
    const { double } = app;
    await install(app);
    await fetch(`${double.url}/v1/products`, {
      method: "POST",
      headers: { authorization: `Bearer ${double.secretKey}` },
      body: new URLSearchParams({ name: "Seats" }),
    });
    const [held] = double.deliveries.held();
    const { calls } = await app.count(() => double.deliveries.release([held?.id ?? ""]));
    expect(calls).toBe(await documented("an event"));
  });

  it("of a tick, when nothing has happened: one reads and one writes", async () => {
    const { job, within, deployment } = await settled();
    const expected = { calls: await documented("a tick"), pages: 5 };
    expect(expected.calls).toBe(3);
    expect(await job("catch-up")).toEqual(expected);
    expect(await job("catch-up")).toEqual(expected);
    const [run] = await within((ctx) => deployment.B.billing.runs(ctx, 1));
    expect(run).toMatchObject({ kind: "catch-up", state: "done", partitions: { done: 6 } });
  });

  it("of a night, when nothing differs: at most five more than pages", async () => {
    const { job, within, deployment } = await settled();
    const { calls, pages } = await job("reconcile");
    expect(pages).toBeGreaterThanOrEqual(15);
    expect(calls).toBeLessThanOrEqual(pages + 5);
    expect(calls).toBeLessThanOrEqual(await documented("a night"));
    const [run] = await within((ctx) => deployment.B.billing.runs(ctx, 1));
    expect(run).toMatchObject({
      kind: "reconcile",
      state: "done",
      resources: { customers: { rows: 250, drift: { different: 0, missing: 0 } } },
    });
  });

  it("of a month are its ticks and its nights", async () => {
    const [tick, night] = [await documented("a tick"), await documented("a night")];
    expect(await documented("a month")).toBe(30 * (288 * tick + night));
  });

  it("of forty-five ticks: old runs are removed in one go", { tags: ["slow"] }, async () => {
    const { job } = await settled();
    const calls: number[] = [];
    for (let times = 0; times < 45; times++) calls.push((await job("catch-up")).calls);
    expect(calls.filter((each) => each > 3)).toHaveLength(1);
  });
});
