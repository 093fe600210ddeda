/**
 * Usage that Stripe bills reaches its meter: counted once, whatever fails, and reported where it is not
 * known. The same on every platform.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Telemetry } from "../../packages/backend-billing/src/core/runtime/telemetry/telemetry.js";
import { sendFirst } from "../../packages/backend-billing/src/core/usage/outbox/first.js";
import { sendUsage, workAt } from "../../packages/backend-billing/src/core/usage/outbox/outbox.js";
import { meterHistories } from "./history.js";
import { judge } from "./judge.js";
import { FEATURE, type Keep } from "./keep.js";
import { openShop, RENEWAL, type Shop } from "./shop.js";

const SEND = "POST /v1/billing/meter_events";

/** `open` answers an empty one. */
export function describeMeters(open: () => Promise<Keep>): void {
  describeBatch(open);
  describePlaces(open);

  describe("random histories", () => {
    it("end with what was used, once", { tags: ["slow"] }, async () => {
      const { wrong, units } = await meterHistories({ histories: 20, seed: 1, open });
      expect(wrong).toEqual([]);
      expect(units).toBeGreaterThan(0);
    });
  });
}

const describePlaces = (open: () => Promise<Keep>) =>
  describe("more busy entities than are sent of in a minute", () => {
    it("have their turn one after another", async () => {
      const shop = await openShop(await open(), { seed: 1, entities: 25 });
      const { customers, double, runtime, stripe, usage } = shop;
      for (const entityId of customers.keys()) await shop.link(entityId);
      const worker = runtime();
      for (let minute = 1; minute <= 2; minute++) {
        for (const entityId of customers.keys()) {
          await usage.consume({ entityId, feature: FEATURE, amount: 1, key: `k${minute}` });
        }
        await sendUsage(worker); // finds twenty
        await double.clock.advance({ minutes: 1 });
      }
      await double.clock.advance({ minutes: 5 }); // the meter has sums by then
      const end_time = Math.floor(double.clock.seconds() / 60) * 60;
      const unbilled: string[] = [];
      for (const [entityId, customer] of customers) {
        const span = { customer, start_time: end_time - 600, end_time };
        const { data } = await stripe.billing.meters.listEventSummaries(shop.meterId, span);
        if (data.every(({ aggregated_value }) => aggregated_value === 0)) unbilled.push(entityId);
      }
      expect(unbilled).toEqual([]);
      await shop.close();
    });
  });

const describeBatch = (open: () => Promise<Keep>) =>
  describe("a batch", () => {
    let shop: Shop;
    let measured: unknown[];
    beforeEach(async () => {
      measured = [];
      const telemetry = usageTo(measured);
      shop = await openShop(await open(), { seed: 1, entities: 3, telemetry });
      await shop.link("org_0");
      await shop.link("org_1");
    });
    afterEach(() => shop.close());

    let keys = 0;
    const use = (amount: number, entityId = "org_0") =>
      shop.usage.consume({ entityId, feature: FEATURE, amount, key: `k${++keys}` });
    const sent = () => shop.double.requests.count(SEND);
    const later = (by: Parameters<Shop["double"]["clock"]["advance"]>[0]) =>
      shop.double.clock.advance(by);
    const kept = () => shop.keep.batches();
    const problems = async () => (await kept()).map(({ data: { problem } }) => problem);
    /** What was wrong in the end, once sums are there. */
    const judged = async () => {
      await later({ minutes: 5 });
      return (await judge(shop)).wrong;
    };

    it("is what was used since the last one", async () => {
      await use(3);
      await use(4);
      await shop.work();
      expect(sent()).toBe(1);
      await use(5);
      await shop.work();
      expect(sent()).toBe(1); // one a minute will do
      await later({ minutes: 1 });
      await shop.work();
      expect(sent()).toBe(2);
      expect(await kept()).toEqual([]);
      expect(await judged()).toEqual([]);
    });

    it("is sent at once before what bills it ends or changes", async () => {
      await use(3);
      await shop.work();
      await use(4);
      await use(5, "org_1");
      const worker = shop.runtime();
      await sendFirst(worker, "org_0");
      expect(sent()).toBe(2);
      await sendFirst(worker, "org_0");
      await sendFirst(worker, "nobody");
      expect(sent()).toBe(2);
      await sendFirst(worker, "org_1");
      expect(sent()).toBe(3);
      expect(await kept()).toEqual([]);
      expect(await judged()).toEqual([]);
    });

    it("that cannot be sent at once is waited for no longer than seconds", async () => {
      await use(3);
      shop.double.faults.add({ fault: "error_before", status: 500, on: SEND });
      const before = shop.double.clock.seconds();
      const sleep = async (milliseconds: number) => void (await later({ milliseconds }));
      await sendFirst({ ...shop.runtime(), sleep }, "org_0");
      expect(shop.double.clock.seconds() - before).toBeLessThan(10);
      shop.double.faults.clear();
      expect(await kept()).toHaveLength(1);
      await later({ minutes: 1 });
      await shop.work();
      expect(await kept()).toEqual([]);
      expect(await judged()).toEqual([]);
    });

    it("is of one day and one period", async () => {
      await shop.double.clock.advanceTo(RENEWAL - 10 * 3_600_000 - 31_000);
      await use(1);
      await later({ seconds: 2 }); // midnight
      await use(2);
      await shop.double.clock.advanceTo(RENEWAL - 1_000);
      await use(3);
      await later({ seconds: 2 });
      await use(4);
      await shop.work();
      await later({ minutes: 2 });
      await shop.work();
      expect(sent()).toBe(3);
      expect(await judged()).toEqual([]);
    });

    it("waits for a customer", async () => {
      const at = shop.double.clock.now();
      await shop.keep.insert({ entityId: "org_2", key: "before", over: 7, at });
      await shop.work();
      expect(sent()).toBe(0);
      await shop.link("org_2");
      await shop.work();
      expect(sent()).toBe(1);
      expect(await judged()).toEqual([]);
    });

    it.each([
      "error_before",
      "error_after",
      "rate_limited",
      "lock_timeout",
      "cut_before",
      "cut_after",
      "half_answer",
    ] as const)("is sent again, and counts once, after %s", async (fault) => {
      shop.double.faults.add({ fault, on: SEND, times: 2 });
      await use(5);
      for (let round = 0; round < 5; round++) {
        await shop.work();
        await later({ seconds: 30 });
      }
      expect(sent()).toBeGreaterThan(1);
      expect(await kept()).toEqual([]);
      expect(await judged()).toEqual([]);
    });

    it.each([
      ["cut_after", []],
      ["cut_before", ["missing"]],
    ] as const)(
      "is looked up when the workers were dead for 30 hours after %s",
      async (fault, told) => {
        await use(5);
        shop.double.faults.add({ fault, on: SEND });
        await shop.work("before a result is stored");
        shop.double.faults.clear();
        const before = sent();
        await later({ hours: 30 });
        await use(6);
        await shop.work();
        await shop.work();
        expect(await problems()).toEqual(told);
        expect(sent()).toBe(before + 1); // that of the later usage
        expect(await judged()).toEqual([]);
      },
    );

    it("is reported where its minute shows something else", async () => {
      await use(5);
      shop.double.faults.add({ fault: "cut_before", on: SEND });
      await shop.work();
      shop.double.faults.clear();
      const [batch] = await kept();
      await shop.stripe.billing.meterEvents.create({
        event_name: "api_calls",
        payload: { stripe_customer_id: batch?.data.customerId ?? "", value: "2" },
        timestamp: (batch?.data.timestamp ?? 0) + 30,
      });
      await later({ hours: 30 });
      await shop.work();
      expect(await problems()).toEqual(["unclear"]);
    });

    describe("of a subscription that has ended before it had a minute for it", () => {
      const begin = async () => {
        const at = shop.double.clock.now();
        await shop.keep.insert({ entityId: "org_2", key: "short", over: 7, at });
        await shop.link("org_2", { from: at - 10_000, until: at + 20_000 });
        await later({ minutes: 1 });
      };

      it("is sent at the time of its usage", async () => {
        await begin();
        await shop.work();
        expect(sent()).toBe(1);
        expect(await kept()).toEqual([]);
        expect(await judged()).toEqual([]);
      });

      it("is reported where it is not known, whatever its minute shows", async () => {
        await begin();
        shop.double.faults.add({ fault: "cut_after", on: SEND });
        await shop.work();
        shop.double.faults.clear();
        const before = sent();
        await later({ hours: 30 });
        await shop.work();
        expect(sent()).toBe(before);
        expect(await problems()).toEqual(["unclear"]);
      });
    });

    it("is put aside if Stripe refuses it, and the next one goes on", async () => {
      await shop.stripe.billing.meters.deactivate(shop.meterId);
      await use(5);
      await shop.work();
      expect(await kept()).toMatchObject([{ due: null, data: { problem: "refused", value: 5 } }]);
      await shop.stripe.billing.meters.reactivate(shop.meterId);
      await use(6);
      await later({ minutes: 1 });
      await shop.work();
      expect(sent()).toBe(2);
      expect(await problems()).toEqual(["refused"]);
    });

    it("is measured with its units, by what came of it", async () => {
      shop.double.faults.add({ fault: "error_before", on: SEND, times: 1 });
      await use(5);
      await shop.work();
      await later({ minutes: 1 });
      await shop.work();
      await shop.stripe.billing.meters.deactivate(shop.meterId);
      await use(6);
      await later({ minutes: 1 });
      await shop.work();
      const told = (value: number, outcome: string) => [value, { feature: FEATURE, outcome }];
      expect(measured).toEqual([told(5, "failed"), told(5, "sent"), told(6, "refused")]);
    });

    it("is measured by the one worker whose result is stored", async () => {
      await use(5);
      await shop.work("after a batch is stored");
      const batches = await shop.keep.store.records("batch", "", 10);
      const work = () => Promise.all(batches.map((batch) => workAt(shop.runtime(), batch)));
      await Promise.all([work(), work()]);
      expect(measured).toEqual([[5, { feature: FEATURE, outcome: "sent" }]]);
    });

    it("is reported as late if its invoice may be final", async () => {
      await shop.double.clock.advanceTo(RENEWAL - 60_000);
      await use(5);
      await later({ hours: 3 });
      await shop.work();
      expect(await problems()).toEqual(["late"]);
      expect(await judged()).toEqual([]);
    });

    it("is made and sent once by many workers", async () => {
      for (let round = 0; round < 3; round++) {
        await Promise.all([use(1), use(2), use(3, "org_1")]);
        await Promise.all(Array.from({ length: 6 }, () => shop.work()));
        await later({ minutes: 2 });
      }
      expect(sent()).toBe(6);
      expect(await judged()).toEqual([]);
    });
  });

/** Writes down what is measured of usage. */
const usageTo = (measured: unknown[]): Telemetry => ({
  measure: (metric, ...rest) => {
    if (metric === "usage.units") measured.push(rest);
  },
  span: (_, work) => work({ set: () => {}, fail: () => {} }),
});
