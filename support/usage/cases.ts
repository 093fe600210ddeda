// What usage does on every platform: what is taken, refused, held and given back; each key once, in any
// race. A platform's own test file calls `describeUsage`.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { billingErrorOf } from "../../packages/backend-billing/src/core/runtime/errors.js";
import type { GateReads } from "../../packages/backend-billing/src/core/subscriptions/gates.js";
import type {
  UsageReads,
  UsageWrites,
} from "../../packages/backend-billing/src/core/usage/usage.js";
import type { UsageRecord } from "../../packages/backend-billing/src/core/usage/wallet.js";
import type { Subscribed } from "./world.js";

/** 15 January 2026, noon. */
export const NOW = Date.UTC(2026, 0, 15, 12);
/** A month that it lies in. */
export const JANUARY = { from: Date.UTC(2026, 0, 10), until: Date.UTC(2026, 1, 10) };
const DAY = 86_400_000;

/** Usage of the catalogue in world.ts, on a platform. */
export interface UsageSubject {
  /** Each call is a transaction of its own. */
  readonly usage: UsageReads & UsageWrites & Pick<GateReads, "can">;
  /** What the calls go by; it stands at `NOW`. */
  readonly clock: { now: number };
  /** What the mirror has of an entity from now on. */
  subscribe(entityId: string, of: Subscribed): Promise<void>;
  /** What was counted of an entity, by its key. */
  records(entityId: string): Promise<readonly Omit<UsageRecord, "at">[]>;
  /** Does something in a transaction of the application, which is then taken back. */
  undone(work: (usage: Pick<UsageWrites, "consume" | "grant">) => Promise<void>): Promise<void>;
  close?(): Promise<void>;
}

export function describeUsage(open: () => Promise<UsageSubject>): void {
  let kit: UsageSubject;
  beforeAll(async () => {
    kit = await open();
  });
  afterAll(() => kit.close?.());
  const subscribe = (entityId: string, of: Partial<Subscribed> & Pick<Subscribed, "plan">) =>
    kit.subscribe(entityId, { ...JANUARY, ...of });
  let entities = 0;
  const entity = () => `user_${++entities}`;
  const credits = (entityId: string, key: string, amount = 1) =>
    ({ entityId, feature: "credits", key, amount }) as const;

  describe("consume", () => {
    it("takes what the default plan includes, and then refuses", async () => {
      const entityId = entity();
      expect(await kit.usage.can(entityId, "credits")).toBe(true);
      expect(await kit.usage.consume(credits(entityId, "a", 4))).toEqual({
        allowed: true,
        balance: 6,
      });
      expect(await kit.usage.consume(credits(entityId, "b", 6))).toEqual({
        allowed: true,
        balance: 0,
      });
      expect(await kit.usage.consume(credits(entityId, "c", 1))).toEqual({
        allowed: false,
        balance: 0,
        reason: "limit_reached",
      });
      expect(await kit.usage.can(entityId, "credits")).toBe(false);
      expect(await kit.usage.usageOf(entityId)).toMatchObject({
        credits: { granted: 10, used: 10, held: 0, remaining: 0, overage: 0 },
        calls: { granted: 0, remaining: 0, resetsAt: null },
      });
    });

    it("counts a key once, also one that came before the limit", async () => {
      const entityId = entity();
      for (let time = 0; time < 3; time++) {
        expect(await kit.usage.consume(credits(entityId, "a", 10))).toEqual({
          allowed: true,
          balance: 0,
        });
      }
    });

    it("says what no plan includes", async () => {
      const use = { entityId: entity(), feature: "calls", key: "a" };
      expect(await kit.usage.consume(use)).toMatchObject({
        allowed: false,
        reason: "not_included",
      });
    });

    it("never takes more than there is from many at once", async () => {
      const entityId = entity();
      const all = await Promise.all(
        Array.from({ length: 60 }, (_, at) => kit.usage.consume(credits(entityId, `k${at % 30}`))),
      );
      const keys = new Set(all.flatMap(({ allowed }, at) => (allowed ? at % 30 : [])));
      expect(keys.size).toBe(10);
      expect(await kit.usage.usageOf(entityId)).toMatchObject({
        credits: { used: 10, remaining: 0 },
      });
    });

    it("follows a subscription that begins, and one of another plan, at once", async () => {
      const entityId = entity();
      await kit.usage.consume(credits(entityId, "a", 3));
      await subscribe(entityId, { plan: "pro" });
      expect(await kit.usage.consume(credits(entityId, "b", 5))).toEqual({
        allowed: true,
        balance: 95,
      });
      await subscribe(entityId, { plan: "team" });
      expect(await kit.usage.consume(credits(entityId, "c", 5))).toEqual({
        allowed: true,
        balance: 490,
      });
      await subscribe(entityId, { plan: "pro" });
      expect(await kit.usage.consume(credits(entityId, "d"))).toEqual({
        allowed: true,
        balance: 489,
      });
      await subscribe(entityId, { plan: "pro", status: "canceled" });
      expect(await kit.usage.consume(credits(entityId, "e"))).toEqual({
        allowed: true,
        balance: 6,
      });
    });

    it("sells what is beyond, up to the cap", async () => {
      const entityId = entity();
      await subscribe(entityId, { plan: "pro" });
      const calls = (key: string, amount: number) =>
        kit.usage.consume({ entityId, feature: "calls", key, amount });
      expect(await calls("a", 1_200)).toEqual({ allowed: true, balance: 0 });
      expect(await calls("b", 300)).toEqual({ allowed: true, balance: 0 });
      expect(await calls("c", 1)).toMatchObject({ allowed: false, reason: "limit_reached" });
      expect(await kit.records(entityId)).toEqual([
        { key: "a", amount: 1_200, over: 200, billed: true },
        { key: "b", amount: 300, over: 300, billed: true },
      ]);
      await kit.usage.track({ entityId, feature: "calls", key: "d", amount: 50 });
      expect(await kit.usage.usageOf(entityId)).toMatchObject({ calls: { overage: 550 } });
    });

    it("sells up to the cap once, also to one who leaves the plan and comes back", async () => {
      const entityId = entity();
      const calls = (key: string) =>
        kit.usage.consume({ entityId, feature: "calls", key, amount: 1 });
      await subscribe(entityId, { plan: "pro" });
      await kit.usage.track({ entityId, feature: "calls", key: "a", amount: 1_500 });
      await subscribe(entityId, { plan: "pro", status: "unpaid" });
      expect(await calls("b")).toMatchObject({ allowed: false, reason: "not_included" });
      expect(await kit.usage.usageOf(entityId)).toMatchObject({ calls: { overage: 0 } });
      await subscribe(entityId, { plan: "pro" });
      expect(await calls("b")).toMatchObject({ allowed: false, reason: "limit_reached" });
      expect(await kit.usage.usageOf(entityId)).toMatchObject({ calls: { overage: 500 } });
    });

    it("sells no unit that the plan includes while a payment is late, and gives nothing where none is sold", async () => {
      const entityId = entity();
      const calls = (key: string, amount: number) =>
        kit.usage.consume({ entityId, feature: "calls", key, amount });
      await subscribe(entityId, { plan: "pro", status: "past_due" });
      expect(await kit.usage.consume(credits(entityId, "a"))).toMatchObject({ allowed: false });
      expect(await calls("b", 400)).toEqual({ allowed: true, balance: 600 });
      expect(await calls("c", 700)).toEqual({ allowed: true, balance: 0 });
      await subscribe(entityId, { plan: "pro" }); // it is paid
      expect(await calls("d", 10)).toEqual({ allowed: true, balance: 0 });
      expect(await kit.records(entityId)).toEqual([
        { key: "b", amount: 400, over: 0, billed: false },
        { key: "c", amount: 700, over: 100, billed: true },
        { key: "d", amount: 10, over: 10, billed: true },
      ]);
      expect(await kit.usage.consume(credits(entityId, "e"))).toMatchObject({ allowed: true });
    });

    it("includes again when the next period's time has come, before the mirror shows it", async () => {
      const entityId = entity();
      await subscribe(entityId, { plan: "pro" });
      await kit.usage.consume(credits(entityId, "a", 100));
      expect(await kit.usage.consume(credits(entityId, "b"))).toMatchObject({ allowed: false });
      kit.clock.now = Date.UTC(2026, 1, 10);
      expect(await kit.usage.consume(credits(entityId, "b"))).toEqual({
        allowed: true,
        balance: 99,
      });
      const period = { from: Date.UTC(2026, 1, 10), until: Date.UTC(2026, 2, 10) };
      await subscribe(entityId, { plan: "pro", ...period });
      expect(await kit.usage.consume(credits(entityId, "c"))).toEqual({
        allowed: true,
        balance: 98,
      });
      kit.clock.now = NOW;
    });

    it("is part of the application's transaction", async () => {
      const entityId = entity();
      await kit.undone(async ({ consume }) => {
        expect(await consume(credits(entityId, "a", 8))).toEqual({ allowed: true, balance: 2 });
        expect(await consume(credits(entityId, "b", 8))).toMatchObject({ allowed: false });
      });
      expect(await kit.records(entityId)).toEqual([]);
      expect(await kit.usage.consume(credits(entityId, "a", 8))).toEqual({
        allowed: true,
        balance: 2,
      });
    });
  });

  it("counts once what one transaction takes and gives together, and takes no more than there is", async () => {
    const entityId = entity();
    await kit.undone(async ({ consume, grant }) => {
      const taking = (key: string) => consume(credits(entityId, key, 4));
      const refused = consume({ ...credits(entityId, "", 4), feature: "none" }).catch(() => "none");
      const all = await Promise.all([taking("a"), taking("b"), taking("c"), taking("a")]);
      expect(await refused).toBe("none");
      const answers = all.map(({ allowed, balance }) => [allowed, balance]);
      expect(answers).toEqual([
        [true, 6],
        [true, 2],
        [false, 2],
        [true, 2],
      ]);
      const give = () => grant(credits(entityId, "gift", 5));
      expect(await Promise.all([give(), give()])).toEqual([{ balance: 7 }, { balance: 7 }]);
    });
  });

  describe("reserve", () => {
    const reserve = async (entityId: string, key: string, amount: number, expiresAt?: number) => {
      const held = await kit.usage.reserve({ ...credits(entityId, key, amount), expiresAt });
      if (!held.allowed) throw new Error(held.reason);
      return held;
    };

    it("holds, and takes what the work cost", async () => {
      const entityId = entity();
      const { reservationId, balance } = await reserve(entityId, "a", 7);
      expect(balance).toBe(3);
      expect(await kit.usage.consume(credits(entityId, "b", 4))).toMatchObject({ allowed: false });
      expect(await kit.usage.finish({ reservationId, amount: 2 })).toEqual({ balance: 8 });
      expect(await kit.usage.finish({ reservationId, amount: 2 })).toEqual({ balance: 8 });
      expect(await kit.usage.usageOf(entityId)).toMatchObject({ credits: { used: 2, held: 0 } });
    });

    it("gives back what is released, or over", async () => {
      const entityId = entity();
      const { reservationId } = await reserve(entityId, "a", 7);
      await kit.usage.release({ reservationId });
      await kit.usage.release({ reservationId });
      await reserve(entityId, "b", 10, kit.clock.now + 1_000);
      kit.clock.now += 1_000;
      expect(await kit.usage.consume(credits(entityId, "c", 10))).toEqual({
        allowed: true,
        balance: 0,
      });
      kit.clock.now = NOW;
    });

    it("does not sell beyond what a reservation that is over has given back", async () => {
      const entityId = entity();
      await subscribe(entityId, { plan: "pro" });
      const calls = (key: string, amount: number) =>
        ({ entityId, feature: "calls", key, amount }) as const;
      for (const key of ["a", "b"]) {
        await kit.usage.reserve({ ...calls(key, 500), expiresAt: kit.clock.now + 1_000 });
        // The second time the sums are looked at once more before it is over.
        const other = key === "b" ? await kit.usage.reserve(calls("other", 1)) : undefined;
        if (other?.allowed) await kit.usage.release(other);
        kit.clock.now += 1_000;
        await kit.usage.consume(calls(`${key} done`, key === "a" ? 600 : 400));
      }
      kit.clock.now = NOW;
      expect(await kit.records(entityId)).toMatchObject([{ over: 0 }, { over: 0 }]);
    });

    it("ends nothing by an id that it did not answer", async () => {
      const entityId = entity();
      const { reservationId: own } = await reserve(entityId, "a", 7);
      const made = own.replace('"a"', '"b"');
      const codeOf = (reservationId: string) =>
        kit.usage.finish({ reservationId, amount: 1 }).then(
          () => "none",
          (error: unknown) => billingErrorOf(error)?.code,
        );
      for (const id of ["", "a", "[]", "null", own.slice(1), made]) {
        expect(await codeOf(id), id).toBe("invalid_argument");
      }
      await kit.usage.release({ reservationId: made });
      expect(await kit.usage.usageOf(entityId)).toMatchObject({ credits: { used: 0, held: 7 } });
    });

    it("finishes on the grants that it holds, also when they have ended", async () => {
      const entityId = entity();
      kit.clock.now = Date.UTC(2026, 0, 31, 23, 59);
      const { reservationId } = await reserve(entityId, "a", 7);
      kit.clock.now += 2 * 60_000;
      expect(await kit.usage.finish({ reservationId, amount: 5 })).toEqual({ balance: 10 });
      kit.clock.now = NOW;
    });
  });

  describe("grant", () => {
    it("adds units once for a key, which are taken after what ends sooner", async () => {
      const entityId = entity();
      const give = () => kit.usage.grant({ ...credits(entityId, "gift", 5), expiresAt: null });
      expect(await give()).toEqual({ balance: 15 });
      expect(await give()).toEqual({ balance: 15 });
      await kit.usage.consume(credits(entityId, "a", 12));
      kit.clock.now += 31 * DAY;
      expect(await kit.usage.usageOf(entityId)).toMatchObject({
        credits: { granted: 15, used: 2, remaining: 13 },
      });
      kit.clock.now = NOW;
    });

    it("carries the last of those that are used up, and gives once for the key of any", async () => {
      const entityId = entity();
      const give = (key: string, amount: number) => kit.usage.grant(credits(entityId, key, amount));
      for (let at = 0; at < 25; at++) {
        await give(`g${at}`, 1);
        kit.clock.now += 1;
      }
      expect(await kit.usage.consume(credits(entityId, "a", 35))).toEqual({
        allowed: true,
        balance: 0,
      });
      expect(await give("g0", 1)).toEqual({ balance: 0 });
      expect(await give("g0", 1)).toEqual({ balance: 0 }); // closed by now
      expect(await give("more", 2)).toEqual({ balance: 2 });
      expect(await kit.usage.usageOf(entityId)).toMatchObject({
        credits: { granted: 32, used: 30, remaining: 2 },
      });
      kit.clock.now = NOW;
    });
  });
}
