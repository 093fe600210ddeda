import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import {
  DAY,
  errorOf,
  eventsOf,
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

const subscription = (id: string) => stripe.subscriptions.retrieve(id);

function start(
  customer: string,
  missing?: "cancel" | "create_invoice" | "pause",
  params: Partial<Stripe.SubscriptionCreateParams> = { trial_period_days: 10 },
): Promise<Stripe.Subscription> {
  return stripe.subscriptions.create({
    customer,
    items: [{ price: shop.monthly.id }],
    ...(missing ? { trial_settings: { end_behavior: { missing_payment_method: missing } } } : {}),
    ...params,
  });
}

describe("a trial", () => {
  it("is free, and its end is the anchor of what follows", async () => {
    const customer = await payer(stripe);
    const made = await start(customer.id);
    expect(made).toMatchObject({
      status: "trialing",
      trial_start: START,
      trial_end: START + 10 * DAY,
      billing_cycle_anchor: START + 10 * DAY,
    });
    expect(made.items.data[0]).toMatchObject({
      current_period_start: START,
      current_period_end: START + 10 * DAY,
    });
    const invoice = await stripe.invoices.retrieve(String(made.latest_invoice));
    expect(invoice).toMatchObject({
      total: 0,
      status: "paid",
      billing_reason: "subscription_create",
    });
    expect((await stripe.charges.list()).data).toEqual([]);
  });

  it("is announced three days before it ends, then becomes a paid period", async () => {
    const customer = await payer(stripe);
    const made = await start(customer.id);
    await it_.double.clock.advance({ days: 6 });
    const noticed = await raisedBy(stripe, () => it_.double.clock.advance({ days: 1 }));
    expect(noticed).toEqual(["customer.subscription.trial_will_end"]);
    await it_.double.clock.advance({ days: 2 });
    const ended = await raisedBy(stripe, () => it_.double.clock.advance({ days: 1, hours: 2 }));
    expect(ended).toEqual(
      [
        "invoice.created",
        "customer.subscription.updated",
        "customer.updated",
        "payment_intent.created",
        "invoice.finalized",
        "charge.succeeded",
        "payment_intent.succeeded",
        "invoice_payment.paid",
        "invoice.updated",
        "invoice.paid",
        "invoice.payment_succeeded",
      ].filter((type) => type !== "customer.updated"),
    );
    expect(await subscription(made.id)).toMatchObject({
      status: "active",
      trial_end: START + 10 * DAY,
    });
    const [invoice] = (await stripe.invoices.list()).data;
    expect(invoice).toMatchObject({ total: 2000, billing_reason: "subscription_cycle" });
  });

  it("that is shorter than three days is announced at once", async () => {
    const customer = await payer(stripe);
    await start(customer.id, undefined, { trial_end: START + 2 * DAY });
    await it_.double.settle();
    expect((await eventsOf(stripe)).at(-1)?.type).toBe("customer.subscription.trial_will_end");
    await it_.double.clock.advance({ days: 1 });
    const all = (await eventsOf(stripe)).filter(({ type }) => type.endsWith("trial_will_end"));
    expect(all).toHaveLength(1);
  });

  it("can be moved, and ended at once, which bills at once", async () => {
    const customer = await payer(stripe);
    const made = await start(customer.id);
    const moved = await stripe.subscriptions.update(made.id, { trial_end: START + 20 * DAY });
    expect(moved).toMatchObject({ status: "trialing", trial_end: START + 20 * DAY });
    await it_.double.clock.advance({ days: 12 });
    expect((await subscription(made.id)).status).toBe("trialing");
    const raised = await raisedBy(stripe, () =>
      stripe.subscriptions.update(made.id, { trial_end: "now" }),
    );
    expect(raised).toContain("invoice.paid");
    expect(raised.filter((type) => type.startsWith("customer.subscription"))).toEqual([
      "customer.subscription.trial_will_end",
      "customer.subscription.updated",
    ]);
    const now = await subscription(made.id);
    expect(now).toMatchObject({ status: "active", trial_end: START + 12 * DAY });
    expect(now.items.data[0]?.current_period_start).toBe(START + 12 * DAY);
    expect((await stripe.charges.list()).data).toMatchObject([{ amount: 2000 }]);
    const past = start(customer.id, undefined, { trial_end: START });
    expect(await errorOf(past)).toMatchObject({ statusCode: 400, param: "trial_end" });
    const both = { trial_end: START + 40 * DAY, trial_period_days: 3 };
    expect((await errorOf(start(customer.id, undefined, both))).statusCode).toBe(400);
  });

  it("that ends at once with a card that is declined leaves a debt", async () => {
    const customer = await payer(stripe, "pm_card_chargeCustomerFail");
    const made = await start(customer.id);
    await stripe.subscriptions.update(made.id, { trial_end: "now" });
    expect((await subscription(made.id)).status).toBe("past_due");
  });
});

describe("a trial that ends with nothing to pay with", () => {
  it("ends the subscription, when it is to cancel", async () => {
    const customer = await stripe.customers.create();
    const made = await start(customer.id, "cancel");
    await it_.double.clock.advance({ days: 9 });
    const raised = await raisedBy(stripe, () => it_.double.clock.advance({ days: 1 }));
    expect(raised).toEqual(["customer.subscription.deleted"]);
    expect(await subscription(made.id)).toMatchObject({
      status: "canceled",
      ended_at: START + 10 * DAY,
    });
    expect((await stripe.invoices.list()).data).toHaveLength(1);
  });

  it("makes an invoice that cannot be paid, when it is to create one", async () => {
    const customer = await stripe.customers.create();
    const made = await start(customer.id, "create_invoice");
    await it_.double.clock.advance({ days: 10, hours: 2 });
    expect((await subscription(made.id)).status).toBe("past_due");
    const [invoice] = (await stripe.invoices.list()).data;
    expect(invoice).toMatchObject({ status: "open", amount_due: 2000, attempt_count: 1 });
    expect((await stripe.events.list({ type: "invoice.payment_failed" })).data).toHaveLength(1);
  });

  it("pauses the subscription, which can be resumed once there is a card", async () => {
    const customer = await stripe.customers.create();
    const made = await start(customer.id, "pause");
    await it_.double.clock.advance({ days: 9 });
    const raised = await raisedBy(stripe, () => it_.double.clock.advance({ days: 1 }));
    expect(raised).toEqual(["customer.subscription.updated", "customer.subscription.paused"]);
    expect(await subscription(made.id)).toMatchObject({
      status: "paused",
      status_details: {
        paused: {
          subscription: { type: "trial_end_without_payment_method" },
          transitioned_at: START + 10 * DAY,
        },
      },
    });
    await it_.double.clock.advance({ days: 60 });
    expect((await stripe.invoices.list()).data).toHaveLength(1);

    // With a card that is declined it stays paused.
    const method = async (card: string) => {
      const attached = await stripe.paymentMethods.attach(card, { customer: customer.id });
      const settings = { default_payment_method: attached.id };
      await stripe.customers.update(customer.id, { invoice_settings: settings });
    };
    await method("pm_card_chargeCustomerFail");
    const tried = await stripe.subscriptions.resume(made.id, {
      billing_cycle_anchor: { type: "now" },
      payment_behavior: "resume_on_payment_success",
    });
    expect(tried.status).toBe("paused");
    const open = await stripe.invoices.retrieve(String(tried.latest_invoice));
    expect(open.status).toBe("open");
    await it_.double.clock.advance({ days: 1 });
    expect((await stripe.invoices.retrieve(open.id ?? "")).status).toBe("void");

    await method("pm_card_visa");
    const resumed = await raisedBy(stripe, () => stripe.subscriptions.resume(made.id));
    expect(resumed.slice(-2)).toEqual([
      "customer.subscription.updated",
      "customer.subscription.resumed",
    ]);
    const active = await subscription(made.id);
    expect(active.status).toBe("active");
    expect(active).not.toHaveProperty("status_details");
    expect(active.items.data[0]?.current_period_start).toBe(START + 71 * DAY);
    expect((await errorOf(stripe.subscriptions.resume(made.id))).statusCode).toBe(400);
  });

  it("that was resumed and not paid becomes active when its invoice is paid", async () => {
    const customer = await stripe.customers.create();
    const made = await start(customer.id, "pause");
    await it_.double.clock.advance({ days: 11 });
    // What becomes of a failed attempt by default is not known.
    expect((await errorOf(stripe.subscriptions.resume(made.id))).statusCode).toBe(501);
    const tried = await stripe.subscriptions.resume(made.id, {
      payment_behavior: "resume_on_payment_success",
    });
    expect(tried.status).toBe("paused");
    const card = await stripe.paymentMethods.attach("pm_card_visa", { customer: customer.id });
    await stripe.invoices.pay(String(tried.latest_invoice), { payment_method: card.id });
    expect((await subscription(made.id)).status).toBe("active");
  });
});

describe("a trial that is ended now", () => {
  it("tells that it will end, and bills (SDK types: customer.subscription.trial_will_end)", async () => {
    const customer = await payer(stripe);
    const { id } = await start(customer.id);
    const raised = await raisedBy(stripe, () =>
      stripe.subscriptions.update(id, { trial_end: "now" }),
    );
    expect(raised).toContain("customer.subscription.trial_will_end");
    expect(raised.at(-1)).toBe("customer.subscription.updated");
  });

  it.each([
    ["pause", "paused", "customer.subscription.paused"],
    ["cancel", "canceled", "customer.subscription.deleted"],
  ] as const)(
    "obeys the choice for a missing card: %s (stripe/stripe-cli: trigger customer.subscription.paused)",
    async (missing, status, last) => {
      const { id: customer } = await stripe.customers.create();
      const { id } = await start(customer, missing);
      const raised = await raisedBy(stripe, () =>
        stripe.subscriptions.update(id, { trial_end: "now" }),
      );
      expect(raised).toEqual([
        "customer.subscription.trial_will_end",
        "customer.subscription.updated",
        last,
      ]);
      expect(await subscription(id)).toMatchObject({ status, trial_end: START });
      expect((await stripe.invoices.list({ customer })).data).toHaveLength(1);
    },
  );
});

describe("the longest trial is two years (stripe/stripe-ruby#804, arlyon/async-stripe#445)", () => {
  const message = "The maximum number of trial period days is 730 (2 years).";

  it("however it is asked for", async () => {
    const customer = await payer(stripe);
    const { id } = await start(customer.id, undefined, { trial_period_days: 730 });
    const end = START + 731 * DAY;
    for (const call of [
      start(customer.id, undefined, { trial_period_days: 731 }),
      start(customer.id, undefined, { trial_end: end }),
      stripe.subscriptions.update(id, { trial_end: end }),
      stripe.checkout.sessions.create({
        mode: "subscription",
        line_items: [{ price: shop.monthly.id, quantity: 1 }],
        subscription_data: { trial_period_days: 731 },
        success_url: "https://app.example",
      }),
    ]) {
      expect(await errorOf(call)).toMatchObject({ statusCode: 400, message });
    }
  });
});

it("takes the days of its price with trial_from_plan, and only then (SDK types: prices)", async () => {
  const customer = await payer(stripe);
  const { id: price } = await stripe.prices.create({
    product: shop.product.id,
    currency: "usd",
    unit_amount: 700,
    recurring: { interval: "month", trial_period_days: 5 },
  });
  const items = [{ price }];
  const trial = await start(customer.id, undefined, { items, trial_from_plan: true });
  expect(trial).toMatchObject({ status: "trialing", trial_end: START + 5 * DAY });
  expect((await start(customer.id, undefined, { items })).status).toBe("active");
});
