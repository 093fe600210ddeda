/** Confirming and capturing payment intents by hand, and what their state forbids. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errorOf, openTill, type Till } from "./money-kit.js";

let till: Till;
beforeEach(async () => {
  till = await openTill();
});
afterEach(() => till.double.close());

describe("capturing less than was authorized (docs: payments/place-a-hold-on-a-payment-method)", () => {
  it("lets go of the rest, which counts as refunded (woocommerce-gateway-stripe, is_partial_capture)", async () => {
    const held = await till.pay("pm_card_visa", { capture_method: "manual" });
    const done = await till.stripe.paymentIntents.capture(held.id, {
      amount_to_capture: 1300,
      expand: ["latest_charge.refunds"],
    });
    expect(done).toMatchObject({
      status: "succeeded",
      amount: 2000,
      amount_capturable: 0,
      amount_received: 1300,
      latest_charge: {
        amount: 2000,
        amount_captured: 1300,
        amount_refunded: 700,
        captured: true,
        refunded: false,
        refunds: { data: [{ amount: 700, status: "succeeded", balance_transaction: null }] },
      },
    });
    const [event] = (await till.events()).filter(({ type }) => type === "charge.captured");
    expect(event?.data.object).toMatchObject({ amount_captured: 1300, amount_refunded: 700 });
  });

  it("leaves what was captured to be refunded, and no more", async () => {
    const held = await till.pay("pm_card_visa", { capture_method: "manual" });
    await till.stripe.paymentIntents.capture(held.id, { amount_to_capture: 1300 });
    const refund = (amount: number) =>
      till.stripe.refunds.create({ payment_intent: held.id, amount });
    expect((await errorOf(refund(1301))).message).toContain("($13.00)");
    await refund(1300);
    const charge = await till.stripe.charges.retrieve(String(held.latest_charge));
    expect(charge).toMatchObject({ amount_refunded: 2000, refunded: true });
  });

  it("refuses more than was authorized, and nothing at all", async () => {
    const held = await till.pay("pm_card_visa", { capture_method: "manual" });
    for (const amount_to_capture of [2001, 0]) {
      const call = till.stripe.paymentIntents.capture(held.id, { amount_to_capture });
      expect(await errorOf(call)).toMatchObject({ statusCode: 400, param: "amount_to_capture" });
    }
    const { status } = await till.stripe.paymentIntents.retrieve(held.id);
    expect(status).toBe("requires_capture");
  });
});

describe("what cannot be confirmed any more (docs: error-codes#payment-intent-unexpected-state)", () => {
  it("is refused for its state before anything else, such as a missing return_url", async () => {
    const { paymentIntents } = till.stripe;
    const canceled = await paymentIntents.create({ amount: 500, currency: "usd" });
    await paymentIntents.cancel(canceled.id);
    const paid = await paymentIntents.create({
      amount: 500,
      currency: "usd",
      payment_method: "pm_card_visa",
      confirm: true,
      return_url: "https://app.example/back",
    });
    const held = await till.pay("pm_card_visa", { capture_method: "manual" });
    for (const { id } of [canceled, paid, held]) {
      const error = await errorOf(paymentIntents.confirm(id, { payment_method: "pm_card_visa" }));
      expect(error).toMatchObject({ statusCode: 400, code: "payment_intent_unexpected_state" });
      expect(error.payment_intent?.id).toBe(id);
    }
    expect((await errorOf(paymentIntents.capture(paid.id))).code).toBe(
      "payment_intent_unexpected_state",
    );
  });
});

describe("confirmation_method (API reference: payment_intents/object#confirmation_method)", () => {
  it("manual: after authentication the server confirms again", async () => {
    const waiting = await till.pay("pm_card_authenticationRequired", {
      confirmation_method: "manual",
      use_stripe_sdk: true,
      return_url: "https://app.example/back",
    });
    expect(waiting).toMatchObject({
      confirmation_method: "manual",
      status: "requires_action",
      next_action: { type: "use_stripe_sdk" },
    });
    till.double.dashboard.authenticate(waiting.id, "succeed");
    const ready = await till.stripe.paymentIntents.retrieve(waiting.id);
    expect(ready).toMatchObject({ status: "requires_confirmation", next_action: null });
    const done = await till.stripe.paymentIntents.confirm(waiting.id, {
      expand: ["latest_charge"],
    });
    expect(done).toMatchObject({
      status: "succeeded",
      latest_charge: {
        payment_method_details: { card: { three_d_secure: { result: "authenticated" } } },
      },
    });
  });

  it("automatic: authentication completes the payment", async () => {
    const { id, confirmation_method } = await till.pay("pm_card_authenticationRequired");
    expect(confirmation_method).toBe("automatic");
    till.double.dashboard.authenticate(id, "succeed");
    expect((await till.stripe.paymentIntents.retrieve(id)).status).toBe("succeeded");
  });
});

describe("payment_method_types", () => {
  const before = { apiVersion: "2026-08-26.dahlia" };
  const named = (payment_method_types: string[]) => ({
    amount: 500,
    currency: "usd",
    payment_method_types,
  });

  it("are shown as they were named, and a method of another type is not taken", async () => {
    const { paymentIntents } = till.stripe;
    const both = await paymentIntents.create(named(["card", "link"]), before);
    expect(both.payment_method_types).toEqual(["card", "link"]);
    const link = await paymentIntents.create(named(["link"]), before);
    const error = await errorOf(
      paymentIntents.confirm(link.id, { payment_method: "pm_card_visa" }, before),
    );
    expect(error).toMatchObject({
      statusCode: 400,
      code: "payment_intent_incompatible_payment_method",
    });
    expect(error.message).toContain("one of the following types: link");
  });

  it("that Stripe does not have are refused", async () => {
    const call = till.stripe.paymentIntents.create(named(["cheque"]), before);
    expect(await errorOf(call)).toMatchObject({
      statusCode: 400,
      param: "payment_method_types[0]",
    });
  });
});
