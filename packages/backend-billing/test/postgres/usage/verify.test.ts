// `verify` compares what was sent of usage with what Stripe's meter has counted.
import { afterEach, beforeEach, expect, it } from "vitest";
import { FEATURE } from "../../../../../support/meters/keep.js";
import { openShop, RENEWAL, type Shop } from "../../../../../support/meters/shop.js";
import { verify } from "../../../src/core/sync/sync.js";
import { keepsIn } from "./keeps.js";

const schema = "shop";
const SEND = "POST /v1/billing/meter_events";
const SUMS = "GET /v1/billing/meters/:meter/event_summaries";
const keeps = keepsIn(schema);
let shop: Shop;
beforeEach(async () => {
  shop = await openShop(await keeps.open(), { seed: 1, entities: 3 });
  await shop.link("org_0");
  await shop.link("org_1");
});
afterEach(() => shop.close());

let keys = 0;
const use = (amount: number, entityId = "org_0") =>
  shop.usage.consume({ entityId, feature: FEATURE, amount, key: `k${++keys}` });
const later = (by: Parameters<Shop["double"]["clock"]["advance"]>[0]) =>
  shop.double.clock.advance(by);
const verified = async () => (await verify(shop.runtime())).usage;
const customer = (entityId = "org_0") => shop.customers.get(entityId) ?? "";

it("agrees where everything was sent", async () => {
  await use(3);
  await use(4, "org_1");
  await shop.work();
  await later({ days: 1 });
  await use(5);
  await shop.work();
  await later({ days: 2 });
  expect(await verified()).toMatchObject({ state: "done", rows: 2, differing: 0, examples: [] });
});

it("finds what Stripe has not counted, and what something else has fed", async () => {
  await use(3);
  await shop.work();
  await later({ days: 2 });
  await keeps.pool.query(`UPDATE ${schema}.backend_billing_usage_records SET over = 10`);
  const [meter, stripe_customer_id] = ["api_calls", customer()];
  await shop.stripe.billing.meterEvents.create({
    event_name: meter,
    payload: { stripe_customer_id, value: "2" },
    timestamp: shop.double.clock.now() / 1000,
  });
  await later({ days: 2 });
  const of = { customerId: stripe_customer_id, meter };
  expect(await verified()).toMatchObject({
    differing: 2,
    examples: [
      { ...of, day: "2026-01-08", ours: 10, stripe: 3 },
      { ...of, day: "2026-01-10", ours: 0, stripe: 2 },
    ],
  });
});

it("counts what was refused, or waits, as not sent", async () => {
  await use(3);
  await shop.work();
  await shop.stripe.billing.meters.deactivate(shop.meterId);
  await later({ minutes: 2 });
  await use(4);
  await shop.work();
  await shop.stripe.billing.meters.reactivate(shop.meterId);
  await later({ days: 3 });
  expect(await verified()).toMatchObject({ rows: 1, differing: 0 });
  const gone = `DELETE FROM ${schema}.backend_billing_records WHERE kind = 'batch'`;
  expect((await keeps.pool.query(gone)).rowCount).toBe(1);
  expect(await verified()).toMatchObject({ differing: 1, examples: [{ ours: 7, stripe: 3 }] });
  await keeps.pool.query(
    `UPDATE ${schema}.backend_billing_usage_records SET batch = NULL WHERE amount = 4`,
  );
  expect(await verified()).toMatchObject({ differing: 0 });
});

it("counts what is late as sent", async () => {
  await shop.double.clock.advanceTo(RENEWAL - 60_000);
  await use(5);
  await later({ hours: 3 });
  await shop.work();
  const { rows } = await keeps.pool.query(
    `SELECT data ->> 'problem' AS problem FROM ${schema}.backend_billing_records WHERE kind = 'batch'`,
  );
  expect(rows).toEqual([{ problem: "late" }]);
  await later({ days: 3 });
  expect(await verified()).toMatchObject({ rows: 1, differing: 0 });
});

it("leaves out days of which a batch is under way", async () => {
  await use(3);
  shop.double.faults.add({ fault: "cut_after", on: SEND });
  await shop.work();
  shop.double.faults.clear();
  await later({ days: 3 });
  expect(await verified()).toMatchObject({ differing: 0 });
  await keeps.pool.query(`UPDATE ${schema}.backend_billing_records SET due = NULL,
    data = data || '{"problem": "missing"}' WHERE kind = 'batch'`);
  expect(await verified()).toMatchObject({ differing: 1, examples: [{ ours: 0, stripe: 3 }] });
});

it("asks once for each customer of a meter, and again only for what differs", async () => {
  await use(3);
  await use(3, "org_1");
  await shop.work();
  await later({ days: 3 });
  const before = shop.double.requests.count(SUMS);
  await verified();
  expect(shop.double.requests.count(SUMS) - before).toBe(2);
});

it("is left out of a sample", async () => {
  const { usage } = await verify(shop.runtime(), { sample: 5 });
  expect(usage).toBeUndefined();
});
