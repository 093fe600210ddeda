// Usage on Convex: as on every platform, and what a call reads and writes.
import type { TransactionMetrics } from "convex/server";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { deployUsage, type UsageDeployment } from "../../../../../support/convex/usage.js";
import { describeUsage, JANUARY, NOW } from "../../../../../support/usage/cases.js";
import { describeCredits } from "../../../../../support/usage/credits.js";
import { describeShares } from "../../../../../support/usage/shares.js";
import { catalogue } from "../../../../../support/usage/world.js";
import { createLocal } from "../../../src/convex/local.js";

const local = createLocal({ catalogue });
const clock = {
  get now() {
    return Date.now();
  },
  set now(at: number) {
    vi.setSystemTime(at);
  },
};
const open = (): UsageDeployment => {
  clock.now = NOW;
  return deployUsage(local, clock);
};
afterAll(() => void vi.useRealTimers());

describeUsage(async () => open());
describeCredits(async () => open());
describeShares(async () => open());

describe("documents read and written", () => {
  let kit: UsageDeployment;
  beforeEach(() => {
    kit = open();
  });

  interface Metered {
    readonly meta: { getTransactionMetrics(): Promise<TransactionMetrics> };
  }
  const used = async (ctx: unknown) => {
    const { meta } = ctx as Metered;
    const { documentsRead, documentsWritten } = await meta.getTransactionMetrics();
    return { read: documentsRead.used, written: documentsWritten.used };
  };
  const consume = (entityId: string, key: string) =>
    kit.app.test.mutation(async (ctx) => {
      await local.consume(ctx, { entityId, feature: "credits", key });
      return used(ctx);
    });
  const usageOf = (entityId: string) =>
    kit.app.test.query(async (ctx) => {
      await local.usageOf(ctx, entityId);
      return used(ctx);
    });

  // What is patched is read for it once more. A key is new, comes again for the first time, when what was
  // taken before is booked on a grant, and again after that.
  it("of an entity without a subscription", async () => {
    expect(await consume("user_1", "a")).toEqual({ read: 0, written: 3 });
    expect(await consume("user_1", "b")).toEqual({ read: 4, written: 3 });
    expect(await consume("user_1", "b")).toEqual({ read: 4, written: 1 });
    expect(await consume("user_1", "b")).toEqual({ read: 3, written: 0 });
    expect(await usageOf("user_1")).toEqual({ read: 2, written: 0 });
  });

  it("of one with a subscription, however many keys were counted", async () => {
    await kit.subscribe("user_1", { ...JANUARY, plan: "pro" });
    for (let at = 0; at < 20; at++) await consume("user_1", `k${at}`);
    expect(await consume("user_1", "a")).toEqual({ read: 6, written: 3 });
    expect(await consume("user_1", "k7")).toEqual({ read: 6, written: 1 });
    expect(await consume("user_1", "k7")).toEqual({ read: 5, written: 0 });
    expect(await usageOf("user_1")).toEqual({ read: 4, written: 0 });
    expect(await usageOf("none")).toEqual({ read: 0, written: 0 });
  });
});

describe("very many open reservations and grants", () => {
  const insertHolds = (kit: UsageDeployment, feature: string, count: number) =>
    kit.app.test.run(async ({ db }) => {
      const hold = { entityId: "user_1", feature, amount: 0, parts: [], over: 0 };
      const ends = { state: "held", expiresAt: NOW + 3_600_000 } as const;
      for (let at = 0; at < count; at++) {
        await db.insert("backend_billing_usage_holds", { ...hold, ...ends, key: `k${at}` });
      }
    });
  const use = (key: string) => ({ entityId: "user_1", feature: "credits", key }) as const;
  const refused = { data: { code: "limit_reached", message: expect.stringContaining("4000") } };

  it("are refused before a balance could no longer be read", async () => {
    const kit = open();
    const { usage } = kit;
    await insertHolds(kit, "credits", 3_999);
    const last = await usage.reserve(use("last"));
    await expect(usage.reserve(use("more"))).rejects.toMatchObject(refused);
    expect(await usage.consume(use("a"))).toEqual({ allowed: true, balance: 8 });
    if (last.allowed) await usage.release(last);
    expect(await usage.reserve(use("more"))).toMatchObject({ allowed: true, balance: 8 });
  });

  it("are refused of grants by hand, and not of what a plan includes", async () => {
    const { usage, app } = open();
    await app.test.run(async ({ db }) => {
      const one = { original: 1, amount: 1, used: 0, held: 0, createdAt: NOW, expiresAt: null };
      const given = { source: "given", live: true, closed: false, ...one } as const;
      for (let at = 0; at < 4_000; at++) {
        await db.insert("backend_billing_usage_grants", { ...given, ...use(`given k${at}`) });
      }
    });
    await expect(usage.grant({ ...use("more"), amount: 1 })).rejects.toMatchObject(refused);
    expect(await usage.consume(use("a"))).toEqual({ allowed: true, balance: 4_009 });
  });

  it("of several features together are read", async () => {
    const kit = open();
    const { usage } = kit;
    await usage.consume(use("a"));
    await usage.track({ ...use("a"), feature: "calls" });
    for (const feature of ["credits", "calls"]) await insertHolds(kit, feature, 2_500);
    expect(await usage.usageOf("user_1")).toMatchObject({ credits: { remaining: 9 } });
  });
});
