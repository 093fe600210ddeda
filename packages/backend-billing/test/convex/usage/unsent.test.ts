// What is to be sent is found in stretches and gathered in parts, each within Convex's limits.
import type { TransactionMetrics } from "convex/server";
import { beforeEach, describe, expect, it } from "vitest";
import { batch, event } from "../../../../../support/conformance/fixtures.js";
import {
  deployStore,
  type StoreDeployment,
  storeReference,
} from "../../../../../support/convex/store.js";
import type { Operation } from "../../../src/convex/calls/operations.js";
import { createConvexOutbox } from "../../../src/convex/calls/outbox.js";
import type { Db } from "../../../src/convex/tables/database.js";
import { gather, unsent } from "../../../src/convex/usage/outbox.js";

const NOW = Date.UTC(2026, 0, 15);
let app: StoreDeployment;
let operations: Operation[];
beforeEach(() => {
  app = deployStore({ transactionLimits: true });
  operations = [];
});

const outbox = () =>
  createConvexOutbox((operation) => {
    operations.push(operation);
    return app.test.mutation(storeReference, { operation });
  });

const link = (entityId: string) =>
  app.store.commit({
    ...batch(event("customers", `cus_${entityId}`, 100)),
    records: [
      {
        kind: "claim",
        id: entityId,
        expect: 0,
        next: { ref: `cus_${entityId}`, due: null, data: {} },
      },
    ],
  });

interface Unsent {
  readonly entityId: string;
  readonly feature?: string;
  readonly at?: number;
}

const insert = (records: readonly Unsent[]) =>
  app.test.run(async ({ db }) => {
    for (const [index, { entityId, feature = "calls", at = NOW + index }] of records.entries()) {
      const [amount, billed, batch] = [2, true, null];
      const record = { entityId, feature, key: `k${at}`, amount, over: amount, billed, at, batch };
      await db.insert("backend_billing_usage_records", record);
    }
  });

const many = (count: number, entityOf: (index: number) => string): Unsent[] =>
  Array.from({ length: count }, (_, index) => ({ entityId: entityOf(index) }));

const gathering = (entityId: string, id: string, now = NOW + 60_000) => ({
  entityId,
  feature: "calls",
  meter: "api_calls",
  now,
  id,
  due: now + 60_000,
});

type Figures = { [name in keyof TransactionMetrics]?: { used: number; remaining: number } };

describe("places with something unsent", () => {
  it("are found however many cannot be sent", async () => {
    await insert([
      ...many(250, (index) => `none_${100 + index}`),
      ...many(3, () => "org_1"),
      { entityId: "org_1", feature: "other" },
      { entityId: "org_2" },
    ]);
    await link("org_1");
    await link("org_2");
    const find = () => outbox().unsent(["calls"], NOW + 60_000, 20, null);
    expect(await find()).toEqual([
      { entityId: "org_1", feature: "calls" },
      { entityId: "org_2", feature: "calls" },
    ]);
    expect(operations).toHaveLength(3); // of 252 places
    const [first] = await outbox().unsent(["calls"], NOW + 60_000, 1, null);
    expect(first).toEqual({ entityId: "org_1", feature: "calls" });
    expect(await outbox().unsent(["calls"], NOW + 60_000, 1, first ?? null)).toMatchObject([
      { entityId: "org_2" },
    ]);
    expect(await outbox().gather(gathering("org_1", "b1"))).toMatchObject({ id: "b1" });
    expect(await find()).toEqual([{ entityId: "org_2", feature: "calls" }]);
  });

  it("are left alone while a batch is under way, and for a minute after it was made", async () => {
    await link("org_1");
    await insert([{ entityId: "org_1" }]);
    const { unsent, gather } = outbox();
    const made = await gather(gathering("org_1", "b1"));
    expect(made).toMatchObject({ revision: 1, ref: "calls org_1", data: { value: 2, tries: 0 } });
    await insert([{ entityId: "org_1", at: NOW + 60_001 }]);
    const at = (now: number) => unsent(["calls"], now, 20, null);
    expect(await at(NOW + 300_000)).toEqual([]);
    expect(await gather(gathering("org_1", "b2", NOW + 300_000))).toBeUndefined();
    const records = [{ kind: "batch", id: "b1", expect: 1, next: null }] as const;
    await app.store.commit({ source: "record", now: NOW, units: [], records });
    expect(await at(NOW + 119_999)).toEqual([]);
    expect(await at(NOW + 120_000)).toHaveLength(1);
    expect(await gather(gathering("org_1", "b2", NOW + 60_000))).toBeUndefined();
    expect(await gather(gathering("org_1", "b2", NOW + 120_000))).toMatchObject({
      data: { value: 2 },
    });
  });
});

describe("a transaction", () => {
  const most = async (work: (db: Db) => Promise<unknown>): Promise<Figures> =>
    app.test.mutation(async (ctx) => {
      await work(ctx.db as unknown as Db);
      const { meta } = ctx as unknown as {
        meta: { getTransactionMetrics(): Promise<TransactionMetrics> };
      };
      return (await meta.getTransactionMetrics()) as Figures;
    });
  const shares = (figures: Figures) =>
    Object.values(figures).map(({ used, remaining }) => used / (used + remaining));

  it("gathers 2,000 records, and leaves half of each limit", async () => {
    await link("org_1");
    await insert(many(2_500, () => "org_1"));
    const figures = await most((db) =>
      gather(db, { type: "gather", gathering: gathering("org_1", "b1") }),
    );
    expect(Math.max(...shares(figures))).toBeLessThan(0.55);
    const sizes = await app.test.run(async ({ db }) => {
      const all = await db.query("backend_billing_usage_records").collect();
      return all.filter(({ batch }) => batch === "b1").map(({ at }) => at - NOW);
    });
    expect([sizes.length, Math.max(...sizes)]).toEqual([2_000, 1_999]); // the oldest
    const records = [{ kind: "batch", id: "b1", expect: 1, next: null }] as const;
    await app.store.commit({ source: "record", now: NOW, units: [], records });
    expect(await outbox().gather(gathering("org_1", "b2"))).toMatchObject({
      data: { value: 1_000 },
    });
  });

  it("walks a hundred places within a quarter of each", async () => {
    await insert(many(120, (index) => `org_${100 + index}`));
    const figures = await most((db) =>
      unsent(db, { type: "unsent", features: ["calls"], now: NOW, after: null, limit: 200 }),
    );
    expect(Math.max(...shares(figures))).toBeLessThan(0.25);
  });
});
