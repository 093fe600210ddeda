// Who is called for what a commit leaves. Time is real Convex time: due moments are near now.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answer, event, receipt } from "../../../../support/conformance/fixtures.js";
import {
  deployStore,
  type StoreDeployment,
  storeReference,
} from "../../../../support/convex/store.js";
import { defineCatalogue } from "../../src/catalogue/index.js";
import { createLocal } from "../../src/convex/local.js";
import type { RecordWrite } from "../../src/core/mirror/store.js";

let app: StoreDeployment;
beforeEach(() => {
  vi.useFakeTimers();
  app = deployStore();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets time pass, and whatever was scheduled run. */
async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
  await app.test.finishInProgressScheduledFunctions();
}

const product = (at: number, name: string) => event("products", "prod_1", at, { name });
const units = (...snapshots: readonly ReturnType<typeof product>[]) => [{ snapshots }];
const write = (
  kind: RecordWrite["kind"],
  id: string,
  due: number | null,
  revision = 0,
): RecordWrite => ({ kind, id, expect: revision, next: { ref: null, due, data: {} } });

describe("after a commit", () => {
  it("calls nobody when nothing is left to do", async () => {
    await app.store.commit({ source: "event", now: Date.now(), units: units(product(100, "A")) });
    await app.store.commit({ source: "event", now: Date.now(), units: units(product(200, "B")) });
    await pass(600_000);
    expect(app.steps).toEqual([]);
  });

  it("calls one worker for an ask, however many events ask", async () => {
    await app.store.commit({ source: "event", now: Date.now(), units: units(product(100, "A")) });
    for (const name of ["B", "C", "D"]) {
      await app.store.commit({
        source: "event",
        now: Date.now(),
        units: units(product(100, name)),
      });
    }
    await pass(500);
    expect(app.steps).toEqual([]); // not before the object had time to come to rest
    await pass(2_000);
    expect(app.steps).toEqual(["work"]);
  });

  it("calls one worker for many hints about one customer", async () => {
    const now = Date.now();
    const request = { kind: "refresh", id: "cus_1", due: now + 2_000, data: {} } as const;
    for (const eventId of ["evt_1", "evt_2", "evt_3"]) {
      await app.store.commit({
        source: "event",
        now,
        units: [{ receipt: receipt(eventId), requests: [request] }],
      });
    }
    await pass(5_000);
    expect(app.steps).toEqual(["work"]);
  });

  it("calls a worker for each partition that is due", async () => {
    const now = Date.now();
    const records = [write("partition", "1", now), write("partition", "2", now)];
    await app.store.commit({ source: "record", now, units: [], records });
    await pass(10);
    expect(app.steps).toEqual(["page", "page"]);
  });

  it("schedules nothing for a batch that was not committed", async () => {
    const now = Date.now();
    await app.store.commit({
      source: "record",
      now,
      units: [],
      records: [write("partition", "1", now, 7)],
    });
    await pass(600_000);
    expect(app.steps).toEqual([]);
  });
});

describe("the watchdog", () => {
  const ask = async () => {
    await app.store.commit({ source: "event", now: Date.now(), units: units(product(100, "A")) });
    await app.store.commit({ source: "event", now: Date.now(), units: units(product(100, "B")) });
  };

  it("calls another worker as long as an ask is not answered", async () => {
    await ask();
    await pass(2_000);
    expect(app.steps).toEqual(["work"]); // which did nothing, as if it had died
    await pass(60_000);
    expect(app.steps).toEqual(["work", "work"]);
    await pass(60_000);
    expect(app.steps).toEqual(["work", "work", "work"]);
  });

  it("leaves alone what a worker holds", async () => {
    await ask();
    await pass(2_000);
    await app.store.takeAsks({ now: Date.now(), lease: 600_000, limit: 10 });
    await pass(180_000);
    expect(app.steps).toEqual(["work"]);
  });

  it("restarts a chain of pages that broke, and finishes a claim whose caller died", async () => {
    const now = Date.now();
    await app.store.commit({
      source: "record",
      now,
      units: [],
      records: [write("partition", "1", now)],
    });
    await pass(10);
    expect(app.steps).toEqual(["page"]); // which did nothing
    await app.store.commit({
      source: "record",
      now,
      units: [],
      records: [write("claim", "user_1", now + 30_000)],
    });
    await pass(70_000);
    expect(app.steps).toEqual(["page", "page", "work"]);
  });

  it("restarts every chain that broke, not one after another", async () => {
    const now = Date.now();
    const records = ["1", "2", "3"].map((id) => write("partition", id, now));
    await app.store.commit({ source: "record", now, units: [], records });
    await pass(10);
    expect(app.steps).toEqual(["page", "page", "page"]); // which did nothing
    await pass(61_000);
    expect(app.steps).toHaveLength(6);
  });

  it("rests when nothing is outstanding, and starts again with the next ask", async () => {
    await ask();
    const { revision = 0 } = (await app.store.version("products", "prod_1")) ?? {};
    const settled = answer("products", "prod_1", revision, 200, 210, { name: "B" });
    await app.store.commit({ source: "event", now: Date.now(), units: units(settled) });
    await pass(120_000);
    const watchdog = () => app.store.record("setting", "watchdog");
    expect(await watchdog()).toBeUndefined();
    const before = app.steps.length;
    await app.store.commit({
      source: "event",
      now: Date.now(),
      units: units(
        event("products", "prod_2", 100, { name: "A" }),
        event("products", "prod_2", 100, { name: "B" }),
      ),
    });
    expect(await watchdog()).toBeDefined();
    await pass(62_000);
    expect(app.steps.length).toBe(before + 2);
  });

  it("is replaced when it was lost", async () => {
    await ask();
    await app.test.run(async (ctx) => {
      const scheduled = await ctx.db.system.query("_scheduled_functions").collect();
      for (const { _id } of scheduled) await ctx.scheduler.cancel(_id);
    });
    await pass(600_000);
    expect(app.steps).toEqual([]);
    await app.store.commit({ source: "event", now: Date.now(), units: units(product(100, "C")) });
    await pass(62_000);
    expect(app.steps).toEqual(["work"]);
  });

  it("goes on alone after a pause of the scheduler, however many were started meanwhile", async () => {
    await ask();
    for (const name of ["C", "D", "E"]) {
      vi.setSystemTime(Date.now() + 600_000); // no timer runs
      const snapshots = units(product(100, name));
      await app.store.commit({ source: "event", now: Date.now(), units: snapshots });
    }
    await pass(130_000);
    const waiting = await app.test.run(async (ctx) => {
      const scheduled = await ctx.db.system.query("_scheduled_functions").collect();
      return scheduled.filter(
        ({ name, state }) => name.includes("store") && state.kind === "pending",
      );
    });
    expect(waiting).toHaveLength(1);
  });

  it("is started once by calls that one mutation begins together, which make one record", async () => {
    const { erase, seatsChanged } = createLocal({ catalogue: defineCatalogue({}) });
    const args = { entityId: "user_1" };
    const calls = () => [seatsChanged, seatsChanged, erase, erase];
    await app.test.mutation(async (ctx) => {
      await Promise.all(calls().map((call) => call(ctx, args)));
    });
    const made = await app.test.run((ctx) => ctx.db.query("backend_billing_records").collect());
    expect(made.map(({ kind, revision }) => [kind, revision]).sort()).toEqual([
      ["erased", 2],
      ["seats", 2],
      ["setting", 1],
    ]);
  });

  it("runs as an operation of the store", async () => {
    expect(await app.test.mutation(storeReference, { operation: { type: "watch" } })).toBeNull();
  });
});
