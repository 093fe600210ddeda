import { afterEach, beforeEach, expect, it } from "vitest";
import { confirmPaymentIntent, createPaymentIntent } from "../src/billing/payments/payments.js";
import {
  cancelRefund,
  createRefund,
  failRefund,
  settleRefund,
} from "../src/billing/payments/refunds.js";
import type { World } from "../src/world/world.js";
import { bareWorld, errorOf, openTill, type Till } from "./money-kit.js";

let till: Till;
beforeEach(async () => {
  till = await openTill();
});
afterEach(() => till.double.close());

it("a part and then the rest of a payment can be refunded, and no more", async () => {
  const intent = await till.pay();
  const charge = String(intent.latest_charge);
  const part = await till.stripe.refunds.create({
    payment_intent: intent.id,
    amount: 500,
    reason: "duplicate",
  });
  expect(part).toMatchObject({ status: "succeeded", amount: 500, charge, reason: "duplicate" });
  expect(await till.stripe.charges.retrieve(charge)).toMatchObject({
    amount_refunded: 500,
    refunded: false,
  });
  const tooMuch = await errorOf(till.stripe.refunds.create({ charge, amount: 1600 }));
  expect(tooMuch).toMatchObject({ statusCode: 400, param: "amount" });
  expect(tooMuch.code).toBeUndefined();
  expect(tooMuch.message).toBe(
    "Refund amount ($16.00) is greater than unrefunded amount on charge ($15.00)",
  );
  const rest = await till.stripe.refunds.create({ charge });
  expect(rest.amount).toBe(1500);
  expect(await till.stripe.charges.retrieve(charge, { expand: ["refunds"] })).toMatchObject({
    amount_refunded: 2000,
    refunded: true,
    refunds: { data: [{ id: rest.id }, { id: part.id }] },
  });
  const again = await errorOf(till.stripe.refunds.create({ charge }));
  expect(again.code).toBe("charge_already_refunded");
  const listed = await till.stripe.refunds.list({ charge, limit: 1 });
  expect(listed.data.map(({ id }) => id)).toEqual([rest.id]);
  expect(listed.has_more).toBe(true);
});

it("raises refund.created and charge.refunded, and later that the bank's reference is there", async () => {
  const intent = await till.pay();
  const refund = await till.stripe.refunds.create({ payment_intent: intent.id });
  const events = (await till.events()).slice(-2);
  expect(events.map(({ type }) => type)).toEqual(["refund.created", "charge.refunded"]);
  expect(events[1]?.data.previous_attributes).toEqual({ amount_refunded: 0, refunded: false });
  expect(refund.destination_details?.card?.reference_status).toBe("pending");
  await till.double.clock.advance({ seconds: 30 });
  expect((await till.types()).slice(-2)).toEqual(["refund.updated", "charge.refund.updated"]);
  const later = await till.stripe.refunds.retrieve(refund.id);
  expect(later.destination_details?.card?.reference_status).toBe("available");
});

it("a refund can be pending and succeed later", async () => {
  const intent = await till.pay("pm_card_pendingRefund");
  const refund = await till.stripe.refunds.create({ payment_intent: intent.id });
  expect(refund).toMatchObject({ status: "pending", pending_reason: "processing" });
  await till.double.clock.advance({ minutes: 2 });
  const later = await till.stripe.refunds.retrieve(refund.id);
  expect(later.status).toBe("succeeded");
  expect(later).not.toHaveProperty("pending_reason");
  const updated = (await till.events()).find(({ type }) => type === "refund.updated");
  expect(updated?.data.previous_attributes).toMatchObject({ status: "pending" });
});

it("a refund can fail after it had succeeded, which gives the charge its money back", async () => {
  const intent = await till.pay("pm_card_refundFail");
  const refund = await till.stripe.refunds.create({ payment_intent: intent.id });
  expect(refund.status).toBe("succeeded");
  await till.double.clock.advance({ minutes: 2 });
  expect(await till.stripe.refunds.retrieve(refund.id)).toMatchObject({
    status: "failed",
    failure_reason: "expired_or_canceled_card",
    failure_balance_transaction: expect.stringMatching(/^txn_/),
  });
  expect((await till.types()).slice(-3)).toEqual([
    "refund.failed",
    "refund.updated",
    "charge.refund.updated",
  ]);
  const charge = await till.stripe.charges.retrieve(String(intent.latest_charge));
  expect(charge).toMatchObject({ amount_refunded: 0, refunded: false });
});

it("only a refund that requires action can be canceled", async () => {
  const intent = await till.pay();
  const refund = await till.stripe.refunds.create({ payment_intent: intent.id });
  const error = await errorOf(till.stripe.refunds.cancel(refund.id));
  expect(error.message).toBe("Canceling this refund is unsupported.");
});

it("what cannot be refunded is refused as Stripe refuses it", async () => {
  expect((await errorOf(till.stripe.refunds.create({}))).message).toContain(
    "payment_intent or charge",
  );
  const missing = await errorOf(till.stripe.refunds.create({ charge: "ch_none" }));
  expect(missing).toMatchObject({ statusCode: 404, param: "id" });
  const declined = await errorOf(till.pay("pm_card_chargeDeclined"));
  const intent = declined.payment_intent?.id ?? "";
  expect((await errorOf(till.stripe.refunds.create({ payment_intent: intent }))).message).toContain(
    "does not have a successful charge to refund",
  );
  const held = await till.pay("pm_card_visa", { capture_method: "manual" });
  expect(
    (await errorOf(till.stripe.refunds.create({ payment_intent: held.id }))).message,
  ).toContain("You must cancel the PaymentIntent");
});

it("metadata of a refund can be changed", async () => {
  const intent = await till.pay();
  const refund = await till.stripe.refunds.create({
    payment_intent: intent.id,
    metadata: { a: "1" },
  });
  const changed = await till.stripe.refunds.update(refund.id, { metadata: { b: "2" } });
  expect(changed.metadata).toEqual({ a: "1", b: "2" });
  const updated = (await till.events()).find(({ type }) => type === "refund.updated");
  expect(updated?.data.previous_attributes).toEqual({ metadata: { b: null } });
});

function paid(world: World): string {
  const intent = createPaymentIntent(world, { amount: 700, currency: "eur" });
  confirmPaymentIntent(world, intent.id, { payment_method: "pm_card_visa" });
  return intent.id;
}

it("a test can make refunds that wait for it", () => {
  const { world } = bareWorld();
  const slow = createRefund(world, { payment_intent: paid(world), status: "pending" });
  expect(settleRefund(world, slow.id).status).toBe("succeeded");
  const failing = createRefund(world, { payment_intent: paid(world), status: "pending" });
  expect(failRefund(world, failing.id, "declined")).toMatchObject({
    status: "failed",
    failure_reason: "declined",
  });
  expect(() => failRefund(world, failing.id)).toThrow("failed already");
  const asking = createRefund(world, { payment_intent: paid(world), status: "requires_action" });
  expect(cancelRefund(world, asking.id).status).toBe("canceled");
});
