// What a plan included of its period when a subscription changes, on every platform: the same, whether or
// not something was taken before. A platform's own test file calls `describeShares`.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Batch, Store } from "../../packages/backend-billing/src/core/mirror/store.js";
import { behindGateway } from "../../packages/backend-billing/src/core/runtime/commit/commit.js";
import type { SharesStore } from "../../packages/backend-billing/src/core/runtime/records/shares.js";
import type { Runtime } from "../../packages/backend-billing/src/core/runtime/runtime.js";
import { followShares } from "../../packages/backend-billing/src/core/usage/shares/follow.js";
import { JANUARY, NOW, type UsageSubject } from "./cases.js";
import { type Subscribed, subscriber } from "./world.js";

export interface SharesSubject extends UsageSubject {
  readonly store: Store;
  readonly shares: SharesStore;
}

const FEBRUARY = { from: JANUARY.until, until: Date.UTC(2026, 2, 10) };

export function describeShares(open: () => Promise<SharesSubject>): void {
  let kit: SharesSubject;
  beforeAll(async () => {
    kit = await open();
  });
  afterAll(() => kit.close?.());
  let entities = 0;
  const entity = () => `sharer_${++entities}`;

  /** Commits of an application whose plans include something. */
  const including = (commit: Store["commit"] = kit.store.commit) => ({
    record: kit.store.record,
    commit: (batch: Batch) => commit({ ...batch, shares: true }),
  });
  const subscribe = (entityId: string, of: Partial<Subscribed> & Pick<Subscribed, "plan">) =>
    shown(entityId, { ...JANUARY, ...of });
  let shown: ReturnType<typeof subscriber>;
  beforeAll(() => {
    shown = subscriber(including());
  });

  /** The job, as long as there is something to do. */
  async function follow(shares: SharesStore = kit.shares): Promise<readonly string[]> {
    const lines: string[] = [];
    const say = (_: object, line: string) => void lines.push(line);
    const store = behindGateway(kit.store, () => {});
    const log = { info: say, warn: say, error: say, debug: say };
    const own = { store, shares, log, now: () => kit.clock.now, wake: () => {} };
    await followShares(own as unknown as Runtime);
    return lines;
  }
  const left = async () => (await kit.store.records("share", "", 100)).length;
  const granted = async (entityId: string) =>
    (await kit.usage.usageOf(entityId)).credits?.granted ?? 0;

  type Step = Partial<Subscribed> & Pick<Subscribed, "plan">;
  const histories: readonly [what: string, included: number, steps: readonly Step[]][] = [
    ["a lesser plan", 500, [{ plan: "team" }, { plan: "pro" }]],
    ["a better plan", 500, [{ plan: "pro" }, { plan: "team" }]],
    ["a better plan for a while", 500, [{ plan: "pro" }, { plan: "team" }, { plan: "pro" }]],
    [
      "a pause, and a lesser plan meanwhile",
      500,
      [
        { plan: "team" },
        { plan: "team", status: "paused" },
        { plan: "pro", status: "paused" },
        { plan: "pro" },
      ],
    ],
    ["another period", 100, [{ plan: "team" }, { plan: "pro", from: NOW - 1000 }]],
    ["a renewal", 100, [{ plan: "team" }, { plan: "pro", ...FEBRUARY }]],
  ];

  describe("what a plan included of its period", () => {
    it.each(histories)("is the same whatever was taken: %s", async (_, included, steps) => {
      const [idle, busy] = [entity(), entity()];
      for (const [at, step] of steps.entries()) {
        for (const entityId of [idle, busy]) await subscribe(entityId, step);
        const use = { entityId: busy, feature: "credits", key: `k${at}` } as const;
        await kit.usage.consume(use);
        await follow();
      }
      expect([await granted(idle), await granted(busy)]).toEqual([included, included]);
      expect(await left()).toBe(0);
    });

    it("is given soon after a change, and what was used meanwhile stays used", async () => {
      const entityId = entity();
      await subscribe(entityId, { plan: "team" });
      await subscribe(entityId, { plan: "pro" });
      expect(await granted(entityId)).toBe(100); // until the job has run
      await kit.usage.consume({ entityId, feature: "credits", key: "a", amount: 60 });
      await follow();
      expect(await kit.usage.usageOf(entityId)).toMatchObject({
        credits: { granted: 500, used: 60, remaining: 440 },
      });
      kit.clock.now = JANUARY.until;
      expect(await granted(entityId)).toBe(100);
      kit.clock.now = NOW;
    });

    it("is that of the best plan, where one commit shows several", async () => {
      const entityId = entity();
      const shows: Batch[] = [];
      const collecting = subscriber(
        including(async (batch) => {
          shows.push(batch);
          return { committed: true, units: [] };
        }),
      );
      await subscribe(entityId, { plan: "pro" });
      for (const plan of ["pro", "team", "pro"] as const) {
        await collecting(entityId, { plan, ...JANUARY });
      }
      const later = shows.flatMap(({ units }) => units.map(inTheFuture));
      await kit.store.commit({ source: "event", now: NOW, shares: true, units: later });
      expect(await left()).toBe(2);
      await follow();
      expect(await granted(entityId)).toBe(500);
    });

    it("is not given twice, nor after its period, nor to an entity that is gone", async () => {
      const entityId = entity();
      await subscribe(entityId, { plan: "team" });
      await subscribe(entityId, { plan: "pro" });
      const [record] = await kit.store.records("share", "", 1);
      const former = { entityId, ...(record?.data as { before: object; at: number }) };
      for (let time = 0; time < 3; time++) await kit.shares.settle(former, NOW);
      expect(await granted(entityId)).toBe(500);
      const other = entity();
      await kit.shares.settle({ ...former, entityId: other }, JANUARY.until);
      expect(await granted(other)).toBe(10);
      const own = { kind: "share", id: "gone", expect: 0 } as const;
      const next = { ref: "cus_gone", due: NOW, data: record?.data ?? {} };
      const records = [{ ...own, next }];
      await kit.store.commit({ source: "record", now: NOW, units: [], records });
      await follow();
      expect(await left()).toBe(0);
    });
  });

  describe("the record that has it given", () => {
    it("stays until it is given, whatever fails", async () => {
      const entityId = entity();
      await subscribe(entityId, { plan: "team" });
      await subscribe(entityId, { plan: "pro" });
      const failing = async () => Promise.reject(new Error("no database"));
      expect(await follow({ settle: failing })).toEqual([
        "What a plan included could not be given; trying again",
      ]);
      expect([await left(), await granted(entityId)]).toEqual([1, 100]);
      kit.clock.now += 31_000;
      expect(await follow()).toEqual([]);
      expect([await left(), await granted(entityId)]).toEqual([0, 500]);
      kit.clock.now = NOW;
    });

    it("is not requested by what changes no plan, nor where plans include nothing", async () => {
      const entityId = entity();
      await subscribe(entityId, { plan: "team" });
      await subscribe(entityId, { plan: "team", cancelAt: JANUARY.until });
      await subscribe(entityId, { plan: "team", ...FEBRUARY });
      await subscribe(entityId, { plan: "team", ...FEBRUARY, status: "canceled" });
      expect(await left()).toBe(0);
      const other = entity();
      await kit.subscribe(other, { plan: "team", ...JANUARY });
      await kit.subscribe(other, { plan: "pro", ...JANUARY });
      expect(await left()).toBe(0);
    });
  });
}

/** A unit as Stripe would tell it long after everything else. */
function inTheFuture(unit: Batch["units"][number]): Batch["units"][number] {
  const later = 1_000_000;
  const snapshots = (unit.snapshots ?? []).map((each) => ({
    ...each,
    lo: each.lo + later,
    hi: each.hi + later,
  }));
  return { ...unit, snapshots };
}
