import { afterEach, beforeEach, expect, it } from "vitest";
import { createAutomaticPayout, failPayout } from "../src/resources/payments/payouts.js";
import { bareWorld, errorOf, NOW, openTill, type Till } from "./money-kit.js";

let till: Till;
beforeEach(async () => {
  till = await openTill();
});
afterEach(() => till.double.close());

const seconds = (moment: string) => Date.parse(moment) / 1000;

it("a payout is pending, on its way and paid as the days go by", async () => {
  const payout = await till.stripe.payouts.create({
    amount: 5000,
    currency: "usd",
    metadata: { run: "1" },
  });
  // Made on a Sunday, it arrives on Tuesday.
  expect(payout).toMatchObject({
    status: "pending",
    automatic: false,
    reconciliation_status: "not_applicable",
    arrival_date: seconds("2026-03-03T00:00:00Z"),
  });
  await till.double.clock.advanceTo("2026-03-02T00:00:00Z");
  expect((await till.stripe.payouts.retrieve(payout.id)).status).toBe("in_transit");
  await till.double.clock.advance({ days: 5 });
  expect((await till.stripe.payouts.retrieve(payout.id)).status).toBe("paid");
  const events = await till.events();
  expect(events.map(({ type }) => type)).toEqual([
    "payout.created",
    "payout.updated",
    "payout.paid",
  ]);
  expect(events[1]?.data.previous_attributes).toEqual({ status: "pending", trace_id: null });
});

it("an automatic payout is reconciled after it is paid", async () => {
  const { world, clock, types } = bareWorld();
  const payout = createAutomaticPayout(world, 900, "eur");
  expect(payout).toMatchObject({ automatic: true, reconciliation_status: "in_progress" });
  await clock.advance({ days: 3 });
  expect(types()).toEqual([
    "payout.created",
    "payout.updated",
    "payout.paid",
    "payout.reconciliation_completed",
  ]);
  expect(world.find("payout", payout.id).reconciliation_status).toBe("completed");
});

it("a payout can fail, also once it is paid, and then goes nowhere", async () => {
  const { world, clock, types } = bareWorld();
  const early = createAutomaticPayout(world, 900, "eur");
  failPayout(world, early.id, "account_closed");
  await clock.advance({ days: 4 });
  expect(world.find("payout", early.id)).toMatchObject({
    status: "failed",
    failure_code: "account_closed",
    failure_balance_transaction: expect.stringMatching(/^txn_/),
  });
  expect(types()).toEqual(["payout.created", "payout.failed"]);
  const late = createAutomaticPayout(world, 900, "eur");
  await clock.advance({ days: 6 });
  expect(failPayout(world, late.id).status).toBe("failed");
});

it("a payout can be canceled only while it is pending", async () => {
  const payout = await till.stripe.payouts.create({ amount: 5000, currency: "usd" });
  const canceled = await till.stripe.payouts.cancel(payout.id);
  expect(canceled.status).toBe("canceled");
  expect((await errorOf(till.stripe.payouts.cancel(payout.id))).statusCode).toBe(400);
  await till.double.clock.advance({ days: 5 });
  expect(await till.types()).toEqual(["payout.created", "payout.canceled"]);
});

it("payouts are listed by status, arrival and creation", async () => {
  const first = await till.stripe.payouts.create({ amount: 1, currency: "usd" });
  await till.double.clock.advance({ days: 2 });
  const second = await till.stripe.payouts.create({ amount: 2, currency: "usd" });
  const ids = async (params: Parameters<typeof till.stripe.payouts.list>[0]) =>
    (await till.stripe.payouts.list(params)).data.map(({ id }) => id);
  expect(await ids({})).toEqual([second.id, first.id]);
  expect(await ids({ status: "paid" })).toEqual([first.id]);
  expect(await ids({ arrival_date: { gt: first.arrival_date } })).toEqual([second.id]);
  expect(await ids({ created: { lte: seconds(NOW) } })).toEqual([first.id]);
  expect(
    (await errorOf(till.stripe.payouts.create({ amount: 1, currency: "usd", method: "instant" })))
      .statusCode,
  ).toBe(501);
});
