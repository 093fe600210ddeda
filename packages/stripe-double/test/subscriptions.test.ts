import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import {
  DAY,
  errorOf,
  eventsOf,
  expanded,
  objectOf,
  openShop,
  payer,
  type Rig,
  raisedBy,
  rig,
  type Shop,
  START,
} from "./kit.js";

let it_: Rig;
let stripe: Stripe;
let shop: Shop;

beforeEach(async () => {
  it_ = await rig();
  stripe = it_.stripe;
  shop = await openShop(stripe);
});

async function subscribe(
  params: Partial<Stripe.SubscriptionCreateParams> = {},
  card = "pm_card_visa",
): Promise<Stripe.Subscription> {
  const customer = params.customer ?? (await payer(stripe, card)).id;
  return stripe.subscriptions.create({ customer, items: [{ price: shop.monthly.id }], ...params });
}

const subscription = (id: string) => stripe.subscriptions.retrieve(id);
const invoiceOf = (made: Stripe.Subscription) =>
  stripe.invoices.retrieve(String(made.latest_invoice), { expand: ["payments"] });

describe("creating", () => {
  it("charges the card on file and begins the first period", async () => {
    const customer = await payer(stripe);
    const raised = await raisedBy(stripe, () => subscribe({ customer: customer.id }));
    expect(raised).toEqual([
      "invoice.created",
      "customer.updated",
      "payment_intent.created",
      "invoice.finalized",
      "charge.succeeded",
      "payment_intent.succeeded",
      "invoice_payment.paid",
      "invoice.updated",
      "invoice.paid",
      "invoice.payment_succeeded",
      "customer.subscription.created",
    ]);
    const [made] = (await stripe.subscriptions.list()).data;
    expect(made).toMatchObject({
      status: "active",
      customer: customer.id,
      created: START,
      start_date: START,
      billing_cycle_anchor: START,
      currency: "usd",
      collection_method: "charge_automatically",
      cancel_at: null,
      trial_end: null,
    });
    expect(made?.items.data[0]).toMatchObject({
      quantity: 1,
      current_period_start: START,
      current_period_end: Date.parse("2026-02-15T10:00:00Z") / 1000,
      price: { id: shop.monthly.id },
    });
    const invoice = await invoiceOf(made as Stripe.Subscription);
    expect(invoice).toMatchObject({
      status: "paid",
      billing_reason: "subscription_create",
      amount_due: 2000,
      amount_paid: 2000,
      attempt_count: 1,
      parent: { subscription_details: { subscription: made?.id } },
    });
    const created = (await eventsOf(stripe)).at(-1);
    expect(objectOf<Stripe.Subscription>(created)).toMatchObject({
      status: "active",
      latest_invoice: invoice.id,
    });
    const updated = (await eventsOf(stripe)).find(({ type }) => type === "customer.updated");
    expect(updated?.data.previous_attributes).toEqual({ currency: null });
  });

  it("multiplies by quantities and sums several items", async () => {
    const other = await stripe.prices.create({
      product: shop.product.id,
      currency: "usd",
      unit_amount: 500,
      recurring: { interval: "month" },
    });
    const made = await subscribe({
      items: [
        { price: shop.monthly.id, quantity: 2 },
        { price: other.id, quantity: 3 },
      ],
    });
    expect(made.items.data.map(({ quantity }) => quantity)).toEqual([2, 3]);
    expect((await invoiceOf(made)).total).toBe(2 * 2000 + 3 * 500);
  });

  it("stays incomplete when the card is declined, and becomes active when it is paid", async () => {
    const made = await subscribe({}, "pm_card_chargeCustomerFail");
    expect(made.status).toBe("incomplete");
    const invoice = await invoiceOf(made);
    expect(invoice).toMatchObject({ status: "open", attempt_count: 1 });
    const visa = await stripe.paymentMethods.attach("pm_card_visa", {
      customer: String(made.customer),
    });
    const raised = await raisedBy(stripe, () =>
      stripe.invoices.pay(invoice.id ?? "", { payment_method: visa.id }),
    );
    expect(raised).toContain("invoice.paid");
    expect(raised.at(-1)).toBe("customer.subscription.updated");
    expect((await subscription(made.id)).status).toBe("active");
  });

  it("expires after 23 hours when nobody pays, and its invoice is void", async () => {
    const made = await subscribe({}, "pm_card_chargeCustomerFail");
    await it_.double.clock.advance({ hours: 22, minutes: 59 });
    expect((await subscription(made.id)).status).toBe("incomplete");
    await it_.double.clock.advance({ minutes: 1 });
    const expired = await subscription(made.id);
    expect(expired).toMatchObject({ status: "incomplete_expired", ended_at: START + 23 * 3600 });
    expect((await invoiceOf(made)).status).toBe("void");
    const last = (await eventsOf(stripe)).at(-1);
    expect(last?.type).toBe("customer.subscription.updated");
    expect(last?.data.previous_attributes).toMatchObject({ status: "incomplete" });
    expect(last?.request).toEqual({ id: null, idempotency_key: null });
    await it_.double.clock.advance({ days: 60 });
    expect((await eventsOf(stripe)).filter(({ created }) => created > START + DAY)).toEqual([]);
  });

  it("with default_incomplete waits for the customer to confirm the payment", async () => {
    const customer = await stripe.customers.create();
    const made = await subscribe({
      customer: customer.id,
      payment_behavior: "default_incomplete",
      payment_settings: { save_default_payment_method: "on_subscription" },
      expand: ["latest_invoice.confirmation_secret"],
    });
    expect(made.status).toBe("incomplete");
    const invoice = expanded<Stripe.Invoice>(made.latest_invoice);
    expect(invoice).toMatchObject({ status: "open", attempted: false });
    const secret = invoice.confirmation_secret?.client_secret ?? "";
    const intent = secret.split("_secret_")[0] ?? "";
    const declined = await errorOf(
      stripe.paymentIntents.confirm(intent, { payment_method: "pm_card_visa_chargeDeclined" }),
    );
    expect(declined.code).toBe("card_declined");
    expect((await subscription(made.id)).status).toBe("incomplete");
    const raised = await raisedBy(stripe, () =>
      stripe.paymentIntents.confirm(intent, { payment_method: "pm_card_visa" }),
    );
    expect(raised).toContain("invoice.paid");
    const active = await subscription(made.id);
    expect(active.status).toBe("active");
    const method = await stripe.paymentMethods.retrieve(String(active.default_payment_method));
    expect(method.customer).toBe(customer.id);
    expect((await invoiceOf(active)).attempt_count).toBe(1);
  });

  it("waits for a customer who has to answer their bank", async () => {
    const made = await subscribe({}, "pm_card_authenticationRequired");
    expect(made.status).toBe("incomplete");
    const [asked] = (await stripe.events.list({ type: "invoice.payment_action_required" })).data;
    expect(objectOf<Stripe.Invoice>(asked).id).toBe(made.latest_invoice);
    const invoice = await invoiceOf(made);
    const intent = String(invoice.payments?.data[0]?.payment.payment_intent);
    it_.double.dashboard.authenticate(intent, "succeed");
    expect((await subscription(made.id)).status).toBe("active");
    expect((await invoiceOf(made)).status).toBe("paid");
  });

  it("with error_if_incomplete leaves nothing behind but the refused payment", async () => {
    const params = { payment_behavior: "error_if_incomplete" } as const;
    const customer = await payer(stripe, "pm_card_chargeCustomerFail");
    const call = subscribe({ ...params, customer: customer.id });
    expect(await errorOf(call)).toMatchObject({
      statusCode: 402,
      type: "StripeCardError",
      code: "card_declined",
      decline_code: "generic_decline",
    });
    expect((await stripe.subscriptions.list({ status: "all" })).data).toEqual([]);
    expect((await stripe.invoices.list()).data).toEqual([]);
    expect((await stripe.charges.list()).data).toMatchObject([{ status: "failed" }]);
    const asks = await errorOf(subscribe(params, "pm_card_authenticationRequired"));
    expect(asks).toMatchObject({
      statusCode: 402,
      code: "subscription_payment_intent_requires_action",
    });
    expect((await subscribe(params)).status).toBe("active");
  });

  it("needs something to charge, unless it is free, on trial, or billed by letter", async () => {
    const customer = (await stripe.customers.create()).id;
    expect(await errorOf(subscribe({ customer }))).toMatchObject({
      statusCode: 400,
      code: "resource_missing",
    });
    const free = await stripe.prices.create({
      product: shop.product.id,
      currency: "usd",
      unit_amount: 0,
      recurring: { interval: "month" },
    });
    expect((await subscribe({ customer, items: [{ price: free.id }] })).status).toBe("active");
    expect((await subscribe({ customer, trial_period_days: 3 })).status).toBe("trialing");
    const letter = { collection_method: "send_invoice", days_until_due: 30 } as const;
    expect((await subscribe({ customer, ...letter })).status).toBe("active");
    const dateless = subscribe({ customer, collection_method: "send_invoice" });
    expect((await errorOf(dateless)).param).toBe("days_until_due");
  });

  it("refuses prices that do not go together or may not be sold", async () => {
    const make = (params: Partial<Stripe.PriceCreateParams>) =>
      stripe.prices.create({
        product: shop.product.id,
        currency: "usd",
        unit_amount: 100,
        recurring: { interval: "month" },
        ...params,
      });
    const euro = await make({ currency: "eur" });
    const weekly = await make({ recurring: { interval: "week" } });
    const inactive = await make({ active: false });
    const once = await stripe.prices.create({
      product: shop.product.id,
      currency: "usd",
      unit_amount: 100,
    });
    const monthly = { price: shop.monthly.id };
    for (const items of [
      [monthly, { price: weekly.id }],
      [monthly, { price: euro.id }],
      [{ price: inactive.id }],
      [{ price: once.id }],
      [monthly, monthly],
      Array(21).fill(monthly),
    ]) {
      expect((await errorOf(subscribe({ items }))).statusCode).toBe(400);
    }
    expect((await stripe.subscriptions.list({ status: "all" })).data).toEqual([]);
  });

  it("refuses another currency while the customer has a subscription (woocommerce-payments issue 7732)", async () => {
    const { id } = await payer(stripe);
    const euro = await stripe.prices.create({
      product: shop.product.id,
      currency: "eur",
      unit_amount: 100,
      recurring: { interval: "month" },
    });
    const other = () => subscribe({ customer: id, items: [{ price: euro.id }] });
    const made = await subscribe({ customer: id });
    expect(await errorOf(other())).toMatchObject({
      statusCode: 400,
      message:
        "You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency usd.",
    });
    await stripe.subscriptions.cancel(made.id);
    expect((await other()).currency).toBe("eur");
  });

  it("redeems a coupon, and not when the subscription is refused", async () => {
    await stripe.coupons.create({ id: "HALF", percent_off: 50, duration: "once" });
    const customer = (await stripe.customers.create()).id;
    const discounts = [{ coupon: "HALF" }];
    await errorOf(subscribe({ customer, discounts }));
    expect((await stripe.coupons.retrieve("HALF")).times_redeemed).toBe(0);
    const made = await subscribe({ discounts });
    expect((await stripe.coupons.retrieve("HALF")).times_redeemed).toBe(1);
    expect(await invoiceOf(made)).toMatchObject({ subtotal: 2000, total: 1000, amount_paid: 1000 });
    await it_.double.clock.advance({ days: 32 });
    expect((await subscription(made.id)).discounts).toEqual([]);
    const [renewal] = (await stripe.invoices.list({ subscription: made.id })).data;
    expect(renewal?.total).toBe(2000);
  });
});

describe("ending", () => {
  it("at once raises deleted, and the subscription stays as canceled", async () => {
    const made = await subscribe();
    const raised = await raisedBy(stripe, () =>
      stripe.subscriptions.cancel(made.id, {
        cancellation_details: { comment: "bye", feedback: "too_expensive" },
      }),
    );
    expect(raised).toEqual(["customer.subscription.deleted"]);
    expect(await subscription(made.id)).toMatchObject({
      status: "canceled",
      canceled_at: START,
      ended_at: START,
      cancellation_details: {
        comment: "bye",
        feedback: "too_expensive",
        reason: "cancellation_requested",
      },
    });
    expect((await errorOf(stripe.subscriptions.cancel(made.id))).statusCode).toBe(404);
    const again = stripe.subscriptions.update(made.id, { cancel_at_period_end: false });
    expect((await errorOf(again)).message).toContain("canceled subscription can only update");
    const noted = await stripe.subscriptions.update(made.id, { metadata: { why: "moved" } });
    expect(noted.metadata).toEqual({ why: "moved" });
    await it_.double.clock.advance({ days: 90 });
    expect((await stripe.invoices.list()).data).toHaveLength(1);
  });

  it("at the end of the period, which can be taken back until then", async () => {
    const made = await subscribe();
    const end = made.items.data[0]?.current_period_end ?? 0;
    const ends = await stripe.subscriptions.update(made.id, { cancel_at_period_end: true });
    expect(ends).toMatchObject({
      status: "active",
      cancel_at_period_end: true,
      cancel_at: end,
      canceled_at: START,
      cancellation_details: { reason: "cancellation_requested" },
    });
    const stays = await stripe.subscriptions.update(made.id, { cancel_at_period_end: false });
    expect(stays).toMatchObject({
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
    });
    await stripe.subscriptions.update(made.id, { cancel_at_period_end: true });
    await it_.double.clock.advanceTo((end - 1) * 1000);
    expect((await subscription(made.id)).status).toBe("active");
    const raised = await raisedBy(stripe, () => it_.double.clock.advance({ seconds: 1 }));
    expect(raised).toEqual(["customer.subscription.deleted"]);
    expect(await subscription(made.id)).toMatchObject({ status: "canceled", ended_at: end });
    expect((await stripe.events.list({ type: "invoice.upcoming" })).data).toEqual([]);
  });

  it("at a chosen time, before or after the end of the period", async () => {
    const made = await subscribe();
    const at = START + 45 * DAY;
    const ends = await stripe.subscriptions.update(made.id, { cancel_at: at });
    expect(ends).toMatchObject({ cancel_at: at, cancel_at_period_end: false });
    await it_.double.clock.advance({ days: 44 });
    expect((await subscription(made.id)).status).toBe("active");
    expect((await stripe.invoices.list()).data).toHaveLength(2);
    await it_.double.clock.advance({ days: 1 });
    expect(await subscription(made.id)).toMatchObject({ status: "canceled", ended_at: at });
    const past = subscribe({ cancel_at: START });
    expect(await errorOf(past)).toMatchObject({ statusCode: 400, param: "cancel_at" });
    const born = await subscribe({ cancel_at: at + DAY });
    expect(born.cancel_at).toBe(at + DAY);
    const cleared = await stripe.subscriptions.update(born.id, { cancel_at: "" });
    expect(cleared).toMatchObject({ cancel_at: null, canceled_at: null });
  });

  it("with their customer, before the customer goes", async () => {
    const made = await subscribe();
    const raised = await raisedBy(stripe, () => stripe.customers.del(String(made.customer)));
    expect(raised).toEqual(["customer.subscription.deleted", "customer.deleted"]);
    expect((await subscription(made.id)).status).toBe("canceled");
    await it_.double.clock.advance({ days: 90 });
  });

  it("stops what was about to be collected", async () => {
    const made = await subscribe();
    await it_.double.clock.advanceTo("2026-02-15T10:30:00Z"); // the renewal is a draft
    const raised = await raisedBy(stripe, () => stripe.subscriptions.cancel(made.id));
    expect(raised).toEqual(["customer.subscription.deleted", "invoice.updated"]);
    await it_.double.clock.advance({ days: 30 });
    const [draft] = (await stripe.invoices.list({ limit: 1 })).data;
    expect(draft).toMatchObject({ status: "draft", auto_advance: false });
  });
});

describe("changing", () => {
  it("raises one event, and none when nothing changes", async () => {
    const made = await subscribe({ metadata: { a: "1" } });
    const change = { metadata: { a: "", b: "2" }, description: "Team plan" };
    const raised = await raisedBy(stripe, () => stripe.subscriptions.update(made.id, change));
    expect(raised).toEqual(["customer.subscription.updated"]);
    const [event] = (await stripe.events.list({ limit: 1 })).data;
    expect(event?.data.previous_attributes).toEqual({
      description: null,
      metadata: { a: "1", b: null },
    });
    expect((await subscription(made.id)).metadata).toEqual({ b: "2" });
    expect(
      await raisedBy(stripe, () =>
        stripe.subscriptions.update(made.id, { description: "Team plan" }),
      ),
    ).toEqual([]);
  });

  it("keeps the settings that it is given", async () => {
    const made = await subscribe();
    const method = await stripe.paymentMethods.attach("pm_card_mastercard", {
      customer: String(made.customer),
    });
    const changed = await stripe.subscriptions.update(made.id, {
      default_payment_method: method.id,
      payment_settings: { save_default_payment_method: "on_subscription" },
      trial_settings: { end_behavior: { missing_payment_method: "pause" } },
      collection_method: "send_invoice",
      days_until_due: 14,
    });
    expect(changed).toMatchObject({
      default_payment_method: method.id,
      payment_settings: { save_default_payment_method: "on_subscription" },
      trial_settings: { end_behavior: { missing_payment_method: "pause" } },
      collection_method: "send_invoice",
      days_until_due: 14,
    });
    const stranger = await stripe.paymentMethods.attach("pm_card_visa", {
      customer: (await stripe.customers.create()).id,
    });
    const wrong = stripe.subscriptions.update(made.id, { default_payment_method: stranger.id });
    expect(await errorOf(wrong)).toMatchObject({ statusCode: 400, code: "resource_missing" });
  });

  it("is refused with 501 where the double has no truth to tell", async () => {
    const made = await subscribe();
    const again = stripe.subscriptions.update(made.id, { trial_end: START + DAY });
    expect((await errorOf(again)).statusCode).toBe(501);
  });
});
