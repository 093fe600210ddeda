/** Disputes and fraud warnings, to the cent. Each test names where Stripe says so. */
import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errorOf, openTill, type Till } from "./money-kit.js";

let till: Till;
beforeEach(async () => {
  till = await openTill();
});
afterEach(() => till.double.close());

/** Pays 20 dollars by this card, and waits until the bank has done what it does by itself. */
async function disputed(card = "pm_card_createDispute") {
  const { latest_charge } = await till.pay(card);
  await till.double.clock.advance({ minutes: 1 });
  const charge = await till.stripe.charges.retrieve(String(latest_charge));
  const [dispute] = (await till.stripe.disputes.list({ charge: charge.id })).data;
  return { charge, dispute: dispute as Stripe.Dispute };
}
const disputeEvents = async () =>
  (await till.types()).filter((type) => type.startsWith("charge.dispute."));
const net = async () => {
  const all = await till.stripe.balanceTransactions.list({ type: "adjustment" });
  return all.data.map(({ amount, fee, net: left }) => ({ amount, fee, net: left }));
};

describe("a disputed payment", () => {
  it("takes the amount and the fee (notes of a public marketplace, measured in test mode 2026-08-17: 42 dollars, net -5700)", async () => {
    const { charge, dispute } = await disputed();
    expect(charge.disputed).toBe(true);
    expect(dispute).toMatchObject({
      amount: 2000,
      reason: "fraudulent",
      status: "needs_response",
      is_charge_refundable: false,
      payment_method_details: { card: { case_type: "chargeback", network_reason_code: "10.4" } },
      balance_transactions: [
        { amount: -2000, fee: 1500, net: -3500, reporting_category: "dispute" },
      ],
      evidence_details: { has_evidence: false, submission_count: 0 },
    });
    expect(await disputeEvents()).toEqual([
      "charge.dispute.created",
      "charge.dispute.funds_withdrawn",
    ]);
    const { pending, available } = await till.stripe.balance.retrieve();
    expect((pending[0]?.amount ?? 0) + (available[0]?.amount ?? 0)).toBe(1912 - 3500);
  });

  it("cannot be refunded (docs: error-codes#charge-disputed)", async () => {
    const { charge } = await disputed();
    const error = await errorOf(till.stripe.refunds.create({ charge: charge.id }));
    expect(error).toMatchObject({ statusCode: 400, code: "charge_disputed" });
  });

  it.each([
    ["pm_card_createDisputeProductNotReceived", "product_not_received", "13.1"],
    ["pm_card_visa_createDispute", "fraudulent", "10.4"],
  ])("%s: %s (docs: testing#disputes)", async (card, reason, network_reason_code) => {
    const { dispute } = await disputed(card);
    expect(dispute).toMatchObject({
      reason,
      payment_method_details: { card: { network_reason_code } },
    });
  });

  it("comes only once the payment is captured", async () => {
    const held = await till.pay("pm_card_createDispute", { capture_method: "manual" });
    await till.double.clock.advance({ minutes: 1 });
    expect((await till.stripe.disputes.list()).data).toEqual([]);
    await till.stripe.paymentIntents.capture(held.id, { amount_to_capture: 1200 });
    await till.double.clock.advance({ minutes: 1 });
    const { data } = await till.stripe.disputes.list({ payment_intent: held.id });
    expect(data.map(({ amount }) => amount)).toEqual([1200]);
  });
});

describe("evidence (docs: testing#evidence)", () => {
  const answer = (id: string, uncategorized_text: string, submit?: boolean) =>
    till.stripe.disputes.update(id, {
      evidence: { uncategorized_text },
      ...(submit === undefined ? {} : { submit }),
    });

  it("winning_evidence: the amount and the fee come back", async () => {
    const { dispute } = await disputed();
    expect(await answer(dispute.id, "winning_evidence")).toMatchObject({
      status: "under_review",
      evidence_details: { has_evidence: true, submission_count: 1 },
    });
    await till.double.clock.advance({ minutes: 1 });
    const won = await till.stripe.disputes.retrieve(dispute.id);
    expect(won.status).toBe("won");
    expect(won.balance_transactions.map(({ net: each }) => each)).toEqual([-3500, 3500]);
    expect(await net()).toEqual([
      { amount: 2000, fee: -1500, net: 3500 },
      { amount: -2000, fee: 1500, net: -3500 },
    ]);
    expect(await disputeEvents()).toEqual([
      "charge.dispute.created",
      "charge.dispute.funds_withdrawn",
      "charge.dispute.updated",
      "charge.dispute.funds_reinstated",
      "charge.dispute.closed",
    ]);
  });

  it("losing_evidence: nothing comes back", async () => {
    const { dispute } = await disputed();
    await answer(dispute.id, "losing_evidence");
    await till.double.clock.advance({ minutes: 1 });
    expect((await till.stripe.disputes.retrieve(dispute.id)).status).toBe("lost");
    expect(await net()).toHaveLength(1);
    expect((await errorOf(answer(dispute.id, "more"))).statusCode).toBe(400);
  });

  it("that is only staged is not sent (API reference: disputes/update#submit)", async () => {
    const { dispute } = await disputed();
    const staged = await answer(dispute.id, "winning_evidence", false);
    expect(staged).toMatchObject({
      status: "needs_response",
      evidence: { uncategorized_text: "winning_evidence" },
      evidence_details: { has_evidence: true, submission_count: 0 },
    });
    const sent = await till.stripe.disputes.update(dispute.id, { submit: true });
    expect(sent.status).toBe("under_review");
    expect((await errorOf(answer(dispute.id, "again"))).statusCode).toBe(400);
  });

  it("is not needed to say something in metadata", async () => {
    const { dispute } = await disputed();
    const noted = await till.stripe.disputes.update(dispute.id, { metadata: { case: "7" } });
    expect(noted).toMatchObject({ status: "needs_response", metadata: { case: "7" } });
  });
});

describe("without evidence", () => {
  it("closing it loses it (API reference: disputes/close)", async () => {
    const { dispute } = await disputed();
    expect((await till.stripe.disputes.close(dispute.id)).status).toBe("lost");
    expect((await errorOf(till.stripe.disputes.close(dispute.id))).statusCode).toBe(400);
  });

  it("it is lost when the time is over", async () => {
    const { dispute } = await disputed();
    await till.double.clock.advance({ days: 22 });
    expect(await till.stripe.disputes.retrieve(dispute.id)).toMatchObject({
      status: "lost",
      evidence_details: { past_due: true },
    });
  });
});

describe("an inquiry (docs: disputes/how-disputes-work#inquiries)", () => {
  const inquiry = () => disputed("pm_card_createDisputeInquiry");

  it("moves no money (measured in test mode 2026-08-17)", async () => {
    const { dispute } = await inquiry();
    expect(dispute).toMatchObject({
      status: "warning_needs_response",
      balance_transactions: [],
      is_charge_refundable: true,
      payment_method_details: { card: { case_type: "inquiry", network_reason_code: "10" } },
    });
    expect(await disputeEvents()).toEqual(["charge.dispute.created"]);
    expect(await net()).toEqual([]);
  });

  it("is over when the payment is refunded", async () => {
    const { charge, dispute } = await inquiry();
    await till.stripe.refunds.create({ charge: charge.id });
    expect((await till.stripe.disputes.retrieve(dispute.id)).status).toBe("warning_closed");
  });

  it.each([
    ["losing_evidence", "warning_closed", 0],
    ["escalate_inquiry_evidence", "needs_response", -3500],
  ])("%s makes it %s (docs: testing#evidence)", async (uncategorized_text, status, moved) => {
    const { dispute } = await inquiry();
    await till.stripe.disputes.update(dispute.id, { evidence: { uncategorized_text } });
    await till.double.clock.advance({ minutes: 1 });
    expect((await till.stripe.disputes.retrieve(dispute.id)).status).toBe(status);
    expect((await net()).reduce((sum, { net: each }) => sum + each, 0)).toBe(moved);
  });
});

describe("on demand", () => {
  it("a bank disputes a part of a payment, and decides", async () => {
    const intent = await till.pay();
    const { dashboard } = till.double;
    const { id } = dashboard.dispute(intent.id, { reason: "duplicate", amount: 500 });
    expect(await till.stripe.disputes.retrieve(id)).toMatchObject({
      amount: 500,
      reason: "duplicate",
      payment_intent: intent.id,
    });
    dashboard.decideDispute(id, "won");
    expect((await till.stripe.disputes.retrieve(id)).status).toBe("won");
    expect(() => dashboard.decideDispute(id, "lost")).toThrow("already closed");
    expect(() => dashboard.dispute(intent.id, { amount: 9000 })).toThrow("can be disputed");
  });
});

describe("an early fraud warning (docs: disputes/measuring, API reference: radar/early_fraud_warnings)", () => {
  it("comes by its test card, and is settled by a refund", async () => {
    const { charge, dispute } = await disputed("pm_card_createIssuerFraudRecord");
    expect(dispute).toBeUndefined();
    const { data } = await till.stripe.radar.earlyFraudWarnings.list({ charge: charge.id });
    expect(data).toMatchObject([{ actionable: true, charge: charge.id }]);
    await till.stripe.refunds.create({ charge: charge.id });
    const after = await till.stripe.radar.earlyFraudWarnings.retrieve(data[0]?.id ?? "");
    expect(after.actionable).toBe(false);
    expect((await till.types()).filter((type) => type.startsWith("radar."))).toEqual([
      "radar.early_fraud_warning.created",
      "radar.early_fraud_warning.updated",
    ]);
  });

  it("comes on demand, and there are no reviews without Radar's rules", async () => {
    const intent = await till.pay();
    till.double.dashboard.warnOfFraud(intent.id, "made_with_stolen_card");
    const { data } = await till.stripe.radar.earlyFraudWarnings.list({
      payment_intent: intent.id,
    });
    expect(data.map(({ fraud_type }) => fraud_type)).toEqual(["made_with_stolen_card"]);
    expect((await till.stripe.reviews.list()).data).toEqual([]);
    expect((await errorOf(till.stripe.reviews.retrieve("prv_1"))).statusCode).toBe(404);
  });
});
