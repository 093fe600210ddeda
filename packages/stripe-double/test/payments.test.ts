import Stripe22 from "stripe-22";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { attachPaymentMethod } from "../src/billing/payments/payment-methods.js";
import {
  authenticatePaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
} from "../src/billing/payments/payments.js";
import { createCustomer } from "../src/resources/customers.js";
import { bareWorld, errorOf, openTill, type Till } from "./money-kit.js";

let till: Till;
beforeEach(async () => {
  till = await openTill();
});
afterEach(() => till.double.close());

describe("a payment that succeeds", () => {
  it("raises created, charge.succeeded and succeeded, in that order", async () => {
    const intent = await till.pay();
    expect(intent.status).toBe("succeeded");
    expect(intent.amount_received).toBe(2000);
    expect(await till.types()).toEqual([
      "payment_intent.created",
      "charge.succeeded",
      "payment_intent.succeeded",
    ]);
  });

  it("is captured asynchronously by default: the balance transaction follows in charge.updated", async () => {
    const intent = await till.pay();
    expect(intent.capture_method).toBe("automatic_async");
    const before = await till.stripe.charges.retrieve(String(intent.latest_charge));
    expect(before).toMatchObject({ paid: true, captured: true, balance_transaction: null });
    await till.double.clock.advance({ seconds: 2 });
    const after = await till.stripe.charges.retrieve(before.id);
    expect(after.balance_transaction).toMatch(/^txn_/);
    const last = (await till.events()).at(-1);
    expect(last?.type).toBe("charge.updated");
    expect(last?.data.previous_attributes).toEqual({ balance_transaction: null });
    expect(last?.request).toEqual({ id: null, idempotency_key: null });
  });

  it("has its balance transaction at once when captured synchronously", async () => {
    const intent = await till.pay("pm_card_visa", {
      capture_method: "automatic",
      expand: ["latest_charge"],
    });
    expect(intent.latest_charge).toMatchObject({
      balance_transaction: expect.stringMatching(/^txn_/),
      outcome: { type: "authorized", network_status: "approved_by_network" },
      payment_method_details: { type: "card", card: { brand: "visa", last4: "4242" } },
      receipt_url: expect.stringContaining("https://"),
    });
  });

  it("needs a return_url as long as redirects are possible", async () => {
    const call = till.stripe.paymentIntents.create({
      amount: 2000,
      currency: "usd",
      payment_method: "pm_card_visa",
      confirm: true,
    });
    expect((await errorOf(call)).message).toContain("you must provide a `return_url`");
    expect(await till.types()).toEqual([]);
  });

  it("saves the card for the customer when asked to", async () => {
    const customer = await till.stripe.customers.create({ email: "ada@example.com" });
    await till.pay("pm_card_visa", { customer: customer.id, setup_future_usage: "off_session" });
    const methods = await till.stripe.customers.listPaymentMethods(customer.id);
    expect(methods.data.map(({ customer: owner }) => owner)).toEqual([customer.id]);
    expect((await till.types()).slice(1)).toEqual([
      "payment_intent.created",
      "charge.succeeded",
      "payment_method.attached",
      "payment_intent.succeeded",
    ]);
  });

  it("uses a card without a customer up", async () => {
    const method = await till.stripe.paymentMethods.create({
      type: "card",
      card: { token: "tok_visa" },
    });
    await till.pay(method.id);
    const again = await errorOf(till.pay(method.id));
    expect(again.message).toContain("It may not be used again");
  });
});

describe("a payment that the bank refuses", () => {
  it("answers 402 and stays as it happened", async () => {
    const error = await errorOf(till.pay("pm_card_chargeDeclinedInsufficientFunds"));
    expect(error).toMatchObject({
      statusCode: 402,
      type: "StripeCardError",
      code: "card_declined",
      decline_code: "insufficient_funds",
    });
    const id = error.payment_intent?.id ?? "";
    const intent = await till.stripe.paymentIntents.retrieve(id);
    expect(intent).toMatchObject({
      status: "requires_payment_method",
      payment_method: null,
      latest_charge: error.charge,
      last_payment_error: { code: "card_declined", decline_code: "insufficient_funds" },
    });
    const charge = await till.stripe.charges.retrieve(error.charge ?? "");
    expect(charge).toMatchObject({ status: "failed", paid: false, failure_code: "card_declined" });
    expect(await till.types()).toEqual([
      "payment_intent.created",
      "charge.failed",
      "payment_intent.payment_failed",
    ]);
  });

  it("is answered the same again under the same idempotency key, with no second attempt", async () => {
    const params = {
      amount: 2000,
      currency: "usd",
      payment_method: "pm_card_chargeDeclined",
      confirm: true,
      automatic_payment_methods: { enabled: true, allow_redirects: "never" as const },
    };
    const options = { idempotencyKey: "declined-once" };
    const first = await errorOf(till.stripe.paymentIntents.create(params, options));
    const again = await errorOf(till.stripe.paymentIntents.create(params, options));
    expect(again.statusCode).toBe(402);
    expect(again.charge).toBe(first.charge);
    expect(again.headers?.["idempotent-replayed"]).toBe("true");
    expect(till.double.objects("charge")).toHaveLength(1);
  });

  it("can be confirmed again with a better card", async () => {
    const error = await errorOf(till.pay("pm_card_chargeDeclined"));
    const intent = await till.stripe.paymentIntents.confirm(error.payment_intent?.id ?? "", {
      payment_method: "pm_card_visa",
    });
    expect(intent).toMatchObject({ status: "succeeded", last_payment_error: null });
    const charges = await till.stripe.charges.list({ payment_intent: intent.id });
    expect(charges.data.map(({ status }) => status)).toEqual(["succeeded", "failed"]);
  });
});

describe("a payment that wants the customer", () => {
  it("waits in requires_action", async () => {
    const intent = await till.pay("pm_card_authenticationRequired");
    expect(intent.status).toBe("requires_action");
    expect(intent.next_action?.type).toBe("use_stripe_sdk");
    expect(await till.types()).toEqual([
      "payment_intent.created",
      "payment_intent.requires_action",
    ]);
  });

  it("fails off session with authentication_required", async () => {
    const customer = await till.stripe.customers.create({
      payment_method: "pm_card_authenticationRequired",
    });
    const { data } = await till.stripe.customers.listPaymentMethods(customer.id);
    const method = data[0]?.id ?? "";
    const error = await errorOf(till.pay(method, { customer: customer.id, off_session: true }));
    expect(error).toMatchObject({ statusCode: 402, code: "authentication_required" });
    expect(error.payment_intent?.status).toBe("requires_payment_method");
  });

  it("goes on or fails as the customer does, and a card once set up is charged without them", () => {
    const { world, types } = bareWorld();
    const customer = createCustomer(world, {});
    const method = attachPaymentMethod(world, "pm_card_authenticationRequiredOnSetup", customer.id);
    const pay = () => {
      const intent = createPaymentIntent(world, {
        amount: 900,
        currency: "usd",
        customer: customer.id,
      });
      return confirmPaymentIntent(world, intent.id, {
        payment_method: method.id,
        off_session: true,
      });
    };
    const refusedOne = pay();
    expect(refusedOne.status).toBe("requires_action");
    expect(authenticatePaymentIntent(world, refusedOne.id, "fail")).toMatchObject({
      status: "requires_payment_method",
      latest_charge: null,
      last_payment_error: { code: "payment_intent_authentication_failure" },
    });
    expect(types().slice(-2)).toEqual([
      "payment_intent.requires_action",
      "payment_intent.payment_failed",
    ]);
    const waiting = pay();
    expect(authenticatePaymentIntent(world, waiting.id, "succeed").status).toBe("succeeded");
    expect(types().slice(-2)).toEqual(["charge.succeeded", "payment_intent.succeeded"]);
    expect(pay().status).toBe("succeeded");
  });
});

describe("manual capture", () => {
  it("holds the money until it is captured", async () => {
    const held = await till.pay("pm_card_visa", { capture_method: "manual" });
    expect(held).toMatchObject({
      status: "requires_capture",
      amount_capturable: 2000,
      amount_received: 0,
    });
    const done = await till.stripe.paymentIntents.capture(held.id);
    expect(done).toMatchObject({
      status: "succeeded",
      amount_capturable: 0,
      amount_received: 2000,
    });
    expect(await till.types()).toEqual([
      "payment_intent.created",
      "charge.succeeded",
      "payment_intent.amount_capturable_updated",
      "charge.captured",
      "payment_intent.succeeded",
    ]);
  });

  it("gives the money back when canceled, or after seven days", async () => {
    const first = await till.pay("pm_card_visa", { capture_method: "manual" });
    const canceled = await till.stripe.paymentIntents.cancel(first.id, {
      cancellation_reason: "duplicate",
    });
    expect(canceled).toMatchObject({ status: "canceled", cancellation_reason: "duplicate" });
    expect((await till.types()).slice(-3)).toEqual([
      "refund.created",
      "charge.refunded",
      "payment_intent.canceled",
    ]);
    const second = await till.pay("pm_card_visa", { capture_method: "manual" });
    await till.double.clock.advance({ days: 7, seconds: 1 });
    const expired = await till.stripe.paymentIntents.retrieve(second.id);
    expect(expired).toMatchObject({ status: "canceled", cancellation_reason: "automatic" });
    expect(await till.types()).toContain("charge.expired");
  });

  it("refuses what the state forbids", async () => {
    const paid = await till.pay();
    const error = await errorOf(till.stripe.paymentIntents.cancel(paid.id));
    expect(error).toMatchObject({ statusCode: 400, code: "payment_intent_unexpected_state" });
    const missing = await errorOf(till.stripe.paymentIntents.retrieve("pi_none"));
    expect(missing).toMatchObject({ statusCode: 404, code: "resource_missing", param: "intent" });
    expect(missing.message).toBe("No such payment_intent: 'pi_none'");
  });
});

it("payment_method_types are taken until 2026-09-30, and unknown since", async () => {
  const params = {
    amount: 2000,
    currency: "usd",
    payment_method: "pm_card_visa",
    confirm: true,
    payment_method_types: ["card"],
  };
  const before = new Stripe22(till.double.secretKey, till.double.stripeConfig);
  const intent = await before.paymentIntents.create(params);
  expect(intent).toMatchObject({ status: "succeeded", automatic_payment_methods: null });
  const since = await errorOf(till.stripe.paymentIntents.create(params));
  expect(since).toMatchObject({ code: "parameter_unknown", param: "payment_method_types" });
});

it("updates of a payment intent raise no event", async () => {
  const intent = await till.stripe.paymentIntents.create({ amount: 500, currency: "usd" });
  const changed = await till.stripe.paymentIntents.update(intent.id, {
    metadata: { order: "7" },
    amount: 600,
  });
  expect(changed).toMatchObject({ amount: 600, metadata: { order: "7" } });
  expect(await till.types()).toEqual(["payment_intent.created"]);
});
