// What a person does about a batch of usage that was reported.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { judge } from "../../../../../support/meters/judge.js";
import { FEATURE } from "../../../../../support/meters/keep.js";
import { openShop, RENEWAL, type Shop } from "../../../../../support/meters/shop.js";
import type { StoredRecord } from "../../../src/core/mirror/store.js";
import { verify } from "../../../src/core/sync/sync.js";
import { batchIn, dropBatch, sendAnew } from "../../../src/core/usage/books/batches.js";
import { keepsIn } from "./keeps.js";

const schema = "shop";
const SEND = "POST /v1/billing/meter_events";
const keeps = keepsIn(schema);
let shop: Shop;
beforeEach(async () => {
  shop = await openShop(await keeps.open(), { seed: 1, entities: 1 });
  await shop.link("org_0");
});
afterEach(() => shop.close());

let keys = 0;
const use = (amount: number) =>
  shop.usage.consume({ entityId: "org_0", feature: FEATURE, amount, key: `k${++keys}` });
const later = (by: Parameters<Shop["double"]["clock"]["advance"]>[0]) =>
  shop.double.clock.advance(by);
const kept = () => shop.runtime().store.records("batch", "", 10);
const only = async (): Promise<StoredRecord> => {
  const [record, ...others] = await kept();
  if (record === undefined || others.length > 0) throw new Error("There is not one batch");
  return record;
};
const billed = async () =>
  (await keeps.pool.query(`SELECT billed FROM ${schema}.backend_billing_usage_records`)).rows.map(
    (row) => row.billed,
  );
const differing = async () => (await verify(shop.runtime())).usage?.differing;

/** A batch of which nothing reached Stripe, as it is found a day later. */
async function missing(): Promise<StoredRecord> {
  await use(5);
  shop.double.faults.add({ fault: "cut_before", on: SEND });
  await shop.work();
  shop.double.faults.clear();
  await later({ hours: 22 });
  await shop.work();
  const record = await only();
  expect(batchIn(record)).toMatchObject({ problem: "missing", value: 5 });
  return record;
}

describe("a batch that is missing", () => {
  it("is sent anew in its own minute, under another identifier", async () => {
    const record = await missing();
    const resent = await sendAnew(shop.runtime(), record);
    expect(resent).toEqual({ id: expect.any(String), outcome: "sent" });
    expect(resent.id).not.toBe(record.id);
    expect(await kept()).toEqual([]);
    await later({ minutes: 5 });
    const { timestamp, customerId } = batchIn(record);
    const span = { customer: customerId, start_time: timestamp, end_time: timestamp + 60 };
    const { data } = await shop.stripe.billing.meters.listEventSummaries(shop.meterId, span);
    expect(data).toMatchObject([{ aggregated_value: 5 }]);
    expect((await judge(shop)).wrong).toEqual([]);
    await later({ days: 3 });
    expect(await differing()).toBe(0);
  });

  it("is sent anew by one of two that try", async () => {
    const record = await missing();
    const both = [1, 2].map(() => sendAnew(shop.runtime(), record));
    const ends = (await Promise.allSettled(both)).map(({ status }) => status).sort();
    expect(ends).toEqual(["fulfilled", "rejected"]);
    await later({ minutes: 5 });
    expect((await judge(shop)).wrong).toEqual([]);
  });

  it("goes on to be sent by the application if the answer is lost, and counts once", async () => {
    const record = await missing();
    shop.double.faults.add({ fault: "cut_after", on: SEND });
    expect(await sendAnew(shop.runtime(), record)).toMatchObject({ outcome: "under_way" });
    shop.double.faults.clear();
    await later({ minutes: 2 });
    await shop.work();
    expect(await kept()).toEqual([]);
    await later({ minutes: 5 });
    expect((await judge(shop)).wrong).toEqual([]);
  });

  it("is not sent where the meter shows something in its minute by now", async () => {
    const record = await missing();
    const { customerId, timestamp } = batchIn(record);
    await shop.stripe.billing.meterEvents.create({
      event_name: "api_calls",
      payload: { stripe_customer_id: customerId, value: "5" },
      timestamp,
    });
    await later({ minutes: 5 });
    await expect(sendAnew(shop.runtime(), record)).rejects.toThrow("shows 5 units");
    await dropBatch(shop.runtime(), record, true);
    expect(await kept()).toEqual([]);
    expect(await billed()).toEqual([true]);
    await later({ days: 3 });
    expect(await differing()).toBe(0);
  });

  it.each([
    ["its minute is shared", { isShared: true }],
    ["its period is over, so that others may share its minute", { closesAt: 1 }],
  ])("is not said to be counted where %s", async (_, more) => {
    const record = await missing();
    const { customerId, timestamp } = batchIn(record);
    await shop.stripe.billing.meterEvents.create({
      event_name: "api_calls",
      payload: { stripe_customer_id: customerId, value: "5" },
      timestamp,
    });
    await later({ minutes: 5 });
    const shared = { ...record, data: { ...record.data, ...more } };
    await expect(sendAnew(shop.runtime(), shared)).rejects.toThrow("Other batches may have");
  });

  it("is dropped, and is billed by no meter then", async () => {
    await dropBatch(shop.runtime(), await missing(), false);
    expect(await kept()).toEqual([]);
    expect(await billed()).toEqual([false]);
    await shop.work();
    await later({ days: 3 });
    expect(await differing()).toBe(0);
  });
});

it("what is refused is reported again, with its reason, while that lasts", async () => {
  await shop.stripe.billing.meters.deactivate(shop.meterId);
  await use(5);
  await shop.work();
  const again = await sendAnew(shop.runtime(), await only());
  expect(again).toMatchObject({ outcome: "refused" });
  await shop.stripe.billing.meters.reactivate(shop.meterId);
  const record = await only();
  expect(record.id).toBe(again.id);
  expect(await sendAnew(shop.runtime(), record)).toMatchObject({ outcome: "sent" });
});

it("what is late was counted, and is not sent", async () => {
  await shop.double.clock.advanceTo(RENEWAL - 60_000);
  await use(5);
  await later({ hours: 3 });
  await shop.work();
  await expect(sendAnew(shop.runtime(), await only())).rejects.toThrow("twice");
});

it("what is under way is left to the application", async () => {
  await use(5);
  shop.double.faults.add({ fault: "cut_before", on: SEND });
  await shop.work();
  const record = await only();
  await expect(sendAnew(shop.runtime(), record)).rejects.toThrow("by itself");
  await expect(dropBatch(shop.runtime(), record, false)).rejects.toThrow("by itself");
});
