/** The account's balance: every movement of money is a balance transaction. */
import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { feeOf } from "../src/billing/balance/balance.js";
import { secondWorkingDay } from "../src/billing/balance/working-days.js";
import { expanded } from "./kit.js";
import { openTill, type Till } from "./money-kit.js";

let till: Till;
beforeEach(async () => {
  till = await openTill();
});
afterEach(() => till.double.close());

const amounts = async () => {
  const { available, pending } = await till.stripe.balance.retrieve();
  return { available: available[0]?.amount, pending: pending[0]?.amount };
};

describe("fees and days", () => {
  it.each([
    [2000, 88],
    [1000, 59],
    [50, 31],
    [99_999_999, 2_900_030],
  ])("a charge of %i costs %i", (amount, fee) => {
    expect(feeOf(amount)).toBe(fee);
  });

  it.each([
    ["2026-03-02T10:00:00Z", "2026-03-04T00:00:00Z"],
    ["2026-03-06T10:00:00Z", "2026-03-10T00:00:00Z"],
    ["2026-03-07T10:00:00Z", "2026-03-10T00:00:00Z"],
  ])("what is paid at %s is available at %s", (paid, available) => {
    expect(secondWorkingDay(Date.parse(paid) / 1000)).toBe(Date.parse(available) / 1000);
  });
});

describe("a charge (API reference: balance_transactions/object)", () => {
  const pay = (more: Partial<Stripe.PaymentIntentCreateParams> = {}, card = "pm_card_visa") =>
    till.pay(card, {
      capture_method: "automatic",
      expand: ["latest_charge.balance_transaction"],
      ...more,
    });

  it("brings its amount less the fee, pending until the second working day", async () => {
    const { latest_charge: charge } = await pay({ description: "Repair" });
    const booked = expanded(expanded(charge).balance_transaction);
    expect(booked).toMatchObject({
      amount: 2000,
      fee: 88,
      net: 1912,
      fee_details: [{ amount: 88, type: "stripe_fee" }],
      type: "charge",
      reporting_category: "charge",
      source: expanded(charge).id,
      status: "pending",
      description: "Repair",
    });
    expect(await amounts()).toEqual({ available: 0, pending: 1912 });
    await till.double.clock.advance({ days: 3 });
    const { status } = await till.stripe.balanceTransactions.retrieve(booked.id);
    expect(status).toBe("available");
    expect(await amounts()).toEqual({ available: 1912, pending: 0 });
  });

  it("is available at once by the card for that (docs: testing#available-balance)", async () => {
    await pay({}, "pm_card_bypassPending");
    expect(await amounts()).toEqual({ available: 1912, pending: 0 });
  });

  it("that is captured in part brings that part", async () => {
    const held = await pay({ capture_method: "manual" });
    expect(await amounts()).toEqual({ available: 0, pending: 0 });
    await till.stripe.paymentIntents.capture(held.id, { amount_to_capture: 1000 });
    expect(await amounts()).toEqual({ available: 0, pending: 941 });
  });
});

describe("what takes money away", () => {
  it("refunds, failed ones and payouts, each with its transaction", async () => {
    const { id } = await till.pay("pm_card_visa", { capture_method: "automatic" });
    const refund = await till.stripe.refunds.create({ payment_intent: id, amount: 700 });
    till.double.dashboard.failRefund(refund.id);
    const payout = await till.stripe.payouts.create({ amount: 900, currency: "usd" });
    await till.stripe.payouts.cancel(payout.id);
    const { data } = await till.stripe.balanceTransactions.list();
    expect(data.map(({ type, amount, net }) => ({ type, amount, net }))).toEqual([
      { type: "payout_cancel", amount: 900, net: 900 },
      { type: "payout", amount: -900, net: -900 },
      { type: "refund_failure", amount: 700, net: 700 },
      { type: "refund", amount: -700, net: -700 },
      { type: "charge", amount: 2000, net: 1912 },
    ]);
    const only = await till.stripe.balanceTransactions.list({
      type: "refund",
      expand: ["data.source"],
    });
    expect(only.data.map(({ source }) => expanded(source).id)).toEqual([refund.id]);
    const own = await till.stripe.balanceTransactions.list({ source: payout.id });
    expect(own.data.map(({ type }) => type)).toEqual(["payout_cancel", "payout"]);
    expect(await till.types()).not.toContain("balance.available");
  });
});
