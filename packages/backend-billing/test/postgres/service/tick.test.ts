// `tick`: what a host without workers calls, in place of scheduled jobs.

import { describe, expect, it } from "vitest";
import { listedAtOnce } from "../../../../../support/listed-at-once.js";
import { tick } from "../../../src/core/tick.js";
import { applications, NOW } from "./kit.js";

const open = applications();
/** No event reaches the application: what `tick` does, nothing else did. */
const still = (timing: { catchUpEvery?: number } = {}) =>
  open({ endpoint: false, stripe: { now: NOW }, config: { resources: listedAtOnce, timing } });

describe("tick", () => {
  it("fills the tables at first, and asks nothing of Stripe until something is due", async () => {
    const app = await still();
    const { id } = await app.stripe.products.create({ name: "Engine" });
    expect(await app.b.billing.tick({ budget: 60_000 })).toEqual({ more: false });
    expect((await app.b.store.row("products", id))?.stripe.name).toBe("Engine");
    expect((await app.b.billing.runs(1))[0]).toMatchObject({ kind: "backfill", state: "done" });
    app.double.requests.clear();
    expect(await app.b.billing.tick()).toEqual({ more: false });
    expect(app.double.requests.count()).toBe(0);
  });

  it("reads the events that were missed, once that is due", async () => {
    const app = await still({ catchUpEvery: 0 });
    await app.b.billing.tick({ budget: 60_000 });
    const { id } = await app.stripe.products.create({ name: "Later" });
    expect(await app.b.billing.tick({ budget: 60_000 })).toEqual({ more: false });
    expect((await app.b.billing.runs(1))[0]).toMatchObject({ kind: "catch-up", state: "done" });
    expect((await app.b.store.row("products", id))?.stripe.name).toBe("Later");
  });

  it("ends with its budget, and goes on where it left off, in both variants", async () => {
    const app = await still();
    app.double.populate({ object: "customer", count: 2_500 });
    expect(await app.b.billing.tick({ budget: 0 })).toEqual({ more: true });
    const before = await app.b.store.rows("customers", "", 5_000);
    expect(before.length).toBeLessThan(2_500);
    let calls = 0;
    while ((await app.a.stripe.tick({ budget: 50 })).more) calls++;
    expect(calls).toBeGreaterThan(0);
    expect(await app.b.store.rows("customers", "", 5_000)).toHaveLength(2_500);
  });

  it("tells what is due before it asks Stripe, which may take all the time", async () => {
    const app = await still();
    const turns: number[] = [];
    const deliver = async (until: number) => {
      turns.push(until - app.core.now());
      return 0;
    };
    const takeAsks = async () => {
      await app.double.clock.advance({ seconds: 20 });
      return [];
    };
    const store = { ...app.core.store, takeAsks };
    const reactions = { names: new Set<string>(), changed: () => {}, deliver };
    expect(await tick({ ...app.core, store, reactions })).toEqual({ more: true });
    expect(turns).toEqual([5_000]); // of ten seconds
  });

  it("shares the work with others that call it at the same time", async () => {
    const app = await still();
    app.double.populate({ object: "customer", count: 1_000 });
    const many = Array.from({ length: 5 }, () => app.b.billing.tick({ budget: 60_000 }));
    expect((await Promise.all(many)).every(({ more }) => !more)).toBe(true);
    expect(await app.b.billing.runs(10)).toHaveLength(1);
    expect(await app.b.store.rows("customers", "", 2_000)).toHaveLength(1_000);
  });

  it("is refused after `close`", async () => {
    const app = await still();
    await app.b.billing.close();
    await expect(app.b.billing.tick()).rejects.toMatchObject({ code: "store_error" });
  });
});
