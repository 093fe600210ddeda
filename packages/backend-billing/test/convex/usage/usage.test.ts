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
