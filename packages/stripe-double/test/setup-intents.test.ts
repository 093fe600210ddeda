/** Setup intents: a card is saved and nothing is paid. Each test names where Stripe says so. */
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { expanded, type Rig, raisedBy, rig } from "./kit.js";
import { errorOf } from "./money-kit.js";

const RETURN = "https://app.example/back";
const ASKS = "pm_card_authenticationRequired";

async function saving(it: Rig, params: Stripe.SetupIntentCreateParams = {}) {
  const customer = await it.stripe.customers.create({ email: "ada@example.com" });
  const intent = await it.stripe.setupIntents.create({ customer: customer.id, ...params });
  return { customer: customer.id, intent };
}

describe("a setup intent (API reference: setup_intents)", () => {
  it("waits for a card, then for a confirmation, and attaches the card", async () => {
    const it = await rig();
    const { customer, intent } = await saving(it, { metadata: { order: "1" } });
    expect(intent).toMatchObject({
      status: "requires_payment_method",
      usage: "off_session",
      client_secret: expect.stringMatching(new RegExp(`^${intent.id}_secret_`)),
      metadata: { order: "1" },
    });
    const ready = await it.stripe.setupIntents.update(intent.id, {
      payment_method: "pm_card_visa",
      metadata: { order: "2" },
    });
    expect(ready).toMatchObject({ status: "requires_confirmation", metadata: { order: "2" } });
    const types = await raisedBy(it.stripe, () =>
      it.stripe.setupIntents.confirm(intent.id, { return_url: RETURN }),
    );
    expect(types).toEqual(["payment_method.attached", "setup_intent.succeeded"]);
    const done = await it.stripe.setupIntents.retrieve(intent.id, { expand: ["latest_attempt"] });
    expect(done.status).toBe("succeeded");
    expect(expanded(done.latest_attempt)).toMatchObject({ status: "succeeded", setup_error: null });
    const owner = await it.stripe.customers.retrieve(customer);
    expect(owner).toMatchObject({ invoice_settings: { default_payment_method: null } });
    const { data } = await it.stripe.paymentMethods.list({ customer });
    expect(data.map(({ id }) => id)).toEqual([done.payment_method]);
  });

  it("tells a declined card with 402, and takes another one (docs: declines)", async () => {
    const it = await rig();
    const { intent } = await saving(it);
    const confirm = (payment_method: string) =>
      it.stripe.setupIntents.confirm(intent.id, { payment_method, return_url: RETURN });
    const error = await errorOf(confirm("pm_card_visa_chargeDeclinedInsufficientFunds"));
    expect(error).toMatchObject({ statusCode: 402, code: "card_declined" });
    expect(error.decline_code).toBe("insufficient_funds");
    expect(error.setup_intent).toMatchObject({
      id: intent.id,
      status: "requires_payment_method",
      last_setup_error: { code: "card_declined", type: "card_error" },
    });
    expect((await confirm("pm_card_visa")).status).toBe("succeeded");
    const attempts = await it.stripe.setupAttempts.list({ setup_intent: intent.id });
    expect(attempts.data.map(({ status }) => status)).toEqual(["succeeded", "failed"]);
  });

  it("saves a card that only charges refuse (docs: testing#declined-payments, 0341)", async () => {
    const { stripe } = await rig();
    const { status } = await stripe.setupIntents.create({
      payment_method: "pm_card_chargeCustomerFail",
      confirm: true,
      return_url: RETURN,
    });
    expect(status).toBe("succeeded");
  });

  it("is final once it succeeded or was canceled (docs: error-codes#setup-intent-unexpected-state)", async () => {
    const it = await rig();
    const { intent } = await saving(it);
    const canceled = await it.stripe.setupIntents.cancel(intent.id, {
      cancellation_reason: "abandoned",
    });
    expect(canceled).toMatchObject({ status: "canceled", cancellation_reason: "abandoned" });
    const done = await it.stripe.setupIntents.create({
      payment_method: "pm_card_visa",
      confirm: true,
      return_url: RETURN,
    });
    for (const call of [
      () => it.stripe.setupIntents.confirm(intent.id, { payment_method: "pm_card_visa" }),
      () => it.stripe.setupIntents.cancel(intent.id),
      () => it.stripe.setupIntents.confirm(done.id),
      () => it.stripe.setupIntents.cancel(done.id),
      () => it.stripe.setupIntents.update(done.id, { payment_method: "pm_card_visa" }),
    ]) {
      expect((await errorOf(call())).code).toBe("setup_intent_unexpected_state");
    }
  });

  it("is listed by customer and by payment method (API reference: setup_intents/list)", async () => {
    const it = await rig();
    const one = await saving(it, {
      payment_method: "pm_card_visa",
      confirm: true,
      return_url: RETURN,
    });
    await saving(it);
    const { stripe } = it;
    const ids = async (params: Stripe.SetupIntentListParams) =>
      (await stripe.setupIntents.list(params)).data.map(({ id }) => id);
    expect(await ids({ customer: one.customer })).toEqual([one.intent.id]);
    expect(await ids({ payment_method: String(one.intent.payment_method) })).toEqual([
      one.intent.id,
    ]);
    expect(await ids({})).toHaveLength(2);
    expect((await errorOf(stripe.setupIntents.retrieve("seti_none"))).statusCode).toBe(404);
  });

  it("shows again what has no effect on it", async () => {
    const it = await rig();
    const { intent } = await saving(it, { on_behalf_of: "acct_1", flow_directions: ["inbound"] });
    const read = await it.stripe.setupIntents.retrieve(intent.id);
    expect(read).toMatchObject({ on_behalf_of: "acct_1", flow_directions: ["inbound"] });
  });

  it("keeps to the card of its own customer", async () => {
    const it = await rig();
    const first = await saving(it, {
      payment_method: "pm_card_visa",
      confirm: true,
      return_url: RETURN,
    });
    const second = await saving(it);
    const error = await errorOf(
      it.stripe.setupIntents.confirm(second.intent.id, {
        payment_method: String(first.intent.payment_method),
        return_url: RETURN,
      }),
    );
    expect(error).toMatchObject({ statusCode: 400, param: "payment_method" });
  });
});

describe("authentication (docs: testing#authentication-and-setup)", () => {
  it("is waited for, and lets the card be charged off session afterwards", async () => {
    const it = await rig();
    const { customer, intent } = await saving(it, {
      payment_method: "pm_card_authenticationRequiredOnSetup",
      confirm: true,
      return_url: RETURN,
    });
    expect(intent).toMatchObject({
      status: "requires_action",
      next_action: { type: "redirect_to_url", redirect_to_url: { return_url: RETURN } },
    });
    const types = await raisedBy(it.stripe, async () =>
      it.double.dashboard.authenticate(intent.id, "succeed"),
    );
    expect(types).toEqual(["payment_method.attached", "setup_intent.succeeded"]);
    const paid = await it.stripe.paymentIntents.create({
      amount: 500,
      currency: "usd",
      customer,
      payment_method: String(intent.payment_method),
      off_session: true,
      confirm: true,
    });
    expect(paid.status).toBe("succeeded");
  });

  it("that fails asks for another card", async () => {
    const it = await rig();
    const { intent } = await saving(it, {
      payment_method: ASKS,
      confirm: true,
      return_url: RETURN,
    });
    it.double.dashboard.authenticate(intent.id, "fail");
    expect(await it.stripe.setupIntents.retrieve(intent.id)).toMatchObject({
      status: "requires_payment_method",
      payment_method: null,
      last_setup_error: { code: "setup_intent_authentication_failure" },
    });
    expect(() => it.double.dashboard.authenticate(intent.id, "succeed")).toThrow("no action");
  });
});

describe("a subscription without a first payment (stripe/stripe-go#1155, stripe/stripe-react-native#964)", () => {
  async function trial(card: string | null, params: Partial<Stripe.SubscriptionCreateParams> = {}) {
    const { stripe, double } = await rig();
    const product = await stripe.products.create({ name: "Pro" });
    const price = await stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount: 1000,
      recurring: { interval: "month" },
    });
    const customer = await stripe.customers.create({ email: "ada@example.com" });
    const method = card && (await stripe.paymentMethods.attach(card, { customer: customer.id })).id;
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
      trial_period_days: 7,
      ...(method === null ? {} : { default_payment_method: method }),
      expand: ["pending_setup_intent"],
      ...params,
    });
    return { stripe, double, subscription };
  }

  it("asks for a card by its pending setup intent, and keeps the card if told to", async () => {
    const { stripe, subscription } = await trial(null, {
      payment_behavior: "default_incomplete",
      payment_settings: { save_default_payment_method: "on_subscription" },
    });
    const pending = expanded(subscription.pending_setup_intent);
    expect(pending).toMatchObject({ status: "requires_payment_method", usage: "off_session" });
    const { payment_method: card } = await stripe.setupIntents.confirm(pending.id, {
      payment_method: "pm_card_visa",
      return_url: RETURN,
    });
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      status: "trialing",
      pending_setup_intent: null,
      default_payment_method: card,
    });
  });

  it("has the card that it was given authenticated", async () => {
    const { stripe, double, subscription } = await trial("pm_card_authenticationRequiredOnSetup");
    const pending = expanded(subscription.pending_setup_intent);
    expect(pending.status).toBe("requires_action");
    double.dashboard.authenticate(pending.id, "succeed");
    const after = await stripe.subscriptions.retrieve(subscription.id);
    expect(after.pending_setup_intent).toBeNull();
  });

  it("has none for a card that needs nothing", async () => {
    expect((await trial("pm_card_visa")).subscription.pending_setup_intent).toBeNull();
  });
});
