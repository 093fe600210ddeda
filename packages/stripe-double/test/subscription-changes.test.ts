import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import {
  changeCard,
  DAY,
  errorOf,
  idsOf,
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
let customer: Stripe.Customer;
let made: Stripe.Subscription;
let item: string;

/** Half of February's period, which has 31 days. */
const HALF = { days: 15, hours: 12 };

beforeEach(async () => {
  it_ = await rig();
  stripe = it_.stripe;
  shop = await openShop(stripe);
  customer = await payer(stripe);
  made = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: shop.monthly.id, quantity: 2 }],
  });
  item = made.items.data[0]?.id ?? "";
});

const subscription = () => stripe.subscriptions.retrieve(made.id);
const latest = async () => (await stripe.invoices.list({ limit: 1 })).data[0] as Stripe.Invoice;
const monthly = (unit_amount: number) =>
  stripe.prices.create({
    product: shop.product.id,
    currency: "usd",
    unit_amount,
    recurring: { interval: "month" },
  });

describe("a change of quantity", () => {
  it("is credited and charged for the rest of the period, on the next invoice", async () => {
    await it_.double.clock.advance(HALF);
    const raised = await raisedBy(stripe, () =>
      stripe.subscriptions.update(made.id, { items: [{ id: item, quantity: 3 }] }),
    );
    expect(raised).toEqual([
      "invoiceitem.created",
      "invoiceitem.created",
      "customer.subscription.updated",
    ]);
    const pending = await stripe.invoiceItems.list({ customer: customer.id, pending: true });
    expect(pending.data.map(({ amount, proration }) => [amount, proration]).reverse()).toEqual([
      [-2000, true],
      [3000, true],
    ]);
    expect((await stripe.charges.list()).data).toHaveLength(1);
    await it_.double.clock.advance({ days: 16 });
    const invoice = await latest();
    expect(invoice.lines.data.map(({ amount }) => amount)).toEqual([-2000, 3000, 6000]);
    expect(invoice).toMatchObject({ total: 7000, status: "paid" });
    const rest = await stripe.invoiceItems.list({ customer: customer.id, pending: true });
    expect(rest.data).toEqual([]);
    expect((await subscription()).items.data[0]?.quantity).toBe(3);
  });

  it("is invoiced at once, or not at all, if that is asked for", async () => {
    await it_.double.clock.advance(HALF);
    const update = (quantity: number, proration_behavior: "always_invoice" | "none") =>
      stripe.subscriptions.update(made.id, { items: [{ id: item, quantity }], proration_behavior });
    await update(4, "always_invoice");
    expect(await latest()).toMatchObject({
      total: 2000,
      status: "paid",
      billing_reason: "subscription_update",
    });
    await update(9, "none");
    const pending = await stripe.invoiceItems.list({ customer: customer.id, pending: true });
    expect(pending.data).toEqual([]);
  });

  it("downwards at once leaves a credit that pays the next invoice", async () => {
    await it_.double.clock.advance(HALF);
    await stripe.subscriptions.update(made.id, {
      items: [{ id: item, quantity: 1 }],
      proration_behavior: "always_invoice",
    });
    expect(await latest()).toMatchObject({
      total: -1000,
      amount_due: 0,
      status: "paid",
      ending_balance: -1000,
    });
    const owed = (await stripe.customers.retrieve(customer.id)) as Stripe.Customer;
    expect(owed.balance).toBe(-1000);
    await it_.double.clock.advance({ days: 16 });
    expect(await latest()).toMatchObject({
      total: 2000,
      starting_balance: -1000,
      ending_balance: 0,
      amount_due: 1000,
      amount_paid: 1000,
    });
  });

  it("during a trial costs nothing", async () => {
    const trial = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: shop.monthly.id }],
      trial_period_days: 10,
    });
    const id = trial.items.data[0]?.id ?? "";
    await stripe.subscriptions.update(trial.id, {
      items: [{ id, quantity: 50 }],
      proration_behavior: "always_invoice",
    });
    expect((await stripe.invoiceItems.list({ customer: customer.id })).data).toEqual([]);
  });
});

describe("a change of price", () => {
  it("within the interval keeps the period", async () => {
    const pro = await monthly(5000);
    await it_.double.clock.advance(HALF);
    const after = await stripe.subscriptions.update(made.id, {
      items: [{ id: item, price: pro.id, quantity: 1 }],
    });
    expect(after.items.data[0]).toMatchObject({
      id: item,
      price: { id: pro.id },
      plan: { id: pro.id, amount: 5000 },
      current_period_start: START,
    });
    expect(after.billing_cycle_anchor).toBe(START);
    await it_.double.clock.advance({ days: 16 });
    expect((await latest()).lines.data.map(({ amount }) => amount)).toEqual([-2000, 2500, 5000]);
  });

  it("to another interval begins a new period now, and bills it less what was not used", async () => {
    await it_.double.clock.advance(HALF);
    const now = START + 15.5 * DAY;
    const after = await stripe.subscriptions.update(made.id, {
      items: [{ id: item, price: shop.yearly.id, quantity: 1 }],
    });
    expect(after.billing_cycle_anchor).toBe(now);
    expect(after.items.data[0]).toMatchObject({
      current_period_start: now,
      current_period_end: now + 365 * DAY,
    });
    const invoice = await latest();
    expect(invoice.lines.data.map(({ amount }) => amount)).toEqual([-2000, 20_000]);
    expect(invoice).toMatchObject({ status: "paid", amount_paid: 18_000 });
    await it_.double.clock.advance({ days: 300 });
    expect((await latest()).id).toBe(invoice.id);
  });

  it("moves the end with the period, if it ends with the period", async () => {
    await stripe.subscriptions.update(made.id, { cancel_at_period_end: true });
    const after = await stripe.subscriptions.update(made.id, {
      items: [{ id: item, price: shop.yearly.id, quantity: 1 }],
    });
    expect(after).toMatchObject({
      cancel_at_period_end: true,
      cancel_at: after.items.data[0]?.current_period_end,
    });
  });

  it("to one that may not be sold any more is refused, and keeping such a one is not", async () => {
    await stripe.prices.update(shop.monthly.id, { active: false });
    await stripe.subscriptions.update(made.id, { items: [{ id: item, quantity: 5 }] });
    const pro = await monthly(5000);
    await stripe.prices.update(pro.id, { active: false });
    const wrong = stripe.subscriptions.update(made.id, { items: [{ price: pro.id }] });
    expect(await errorOf(wrong)).toMatchObject({ statusCode: 400, param: "items[0][price]" });
  });
});

describe("items", () => {
  it("are added, changed, moved to another price and deleted", async () => {
    const extra = await monthly(700);
    const after = await stripe.subscriptions.update(made.id, {
      items: [{ price: extra.id, quantity: 4, metadata: { seat: "1" } }],
    });
    expect(after.items.data).toHaveLength(2);
    const [, added] = after.items.data;
    expect(added).toMatchObject({ quantity: 4, metadata: { seat: "1" }, price: { id: extra.id } });
    const changed = await stripe.subscriptions.update(made.id, {
      items: [{ id: added?.id ?? "", metadata: { room: "2" } }],
    });
    expect(changed.items.data[1]?.metadata).toEqual({ seat: "1", room: "2" });
    const less = await stripe.subscriptions.update(made.id, {
      items: [{ id: item, deleted: true }],
    });
    expect(idsOf(less.items)).toEqual([added?.id]);
    const none = stripe.subscriptions.update(made.id, {
      items: [{ id: added?.id ?? "", deleted: true }],
    });
    expect((await errorOf(none)).message).toContain("at least one active plan");
    const unknown = stripe.subscriptions.update(made.id, { items: [{ id: "si_never" }] });
    expect(await errorOf(unknown)).toMatchObject({ code: "resource_missing" });
  });

  it("have requests of their own, each of which is a change of the subscription", async () => {
    const extra = await monthly(700);
    const added = await stripe.subscriptionItems.create({
      subscription: made.id,
      price: extra.id,
    });
    expect(added).toMatchObject({ object: "subscription_item", price: { id: extra.id } });
    const raised = await raisedBy(stripe, () =>
      stripe.subscriptionItems.update(added.id, { quantity: 2, proration_behavior: "none" }),
    );
    expect(raised).toEqual(["customer.subscription.updated"]);
    expect((await stripe.subscriptionItems.retrieve(added.id)).quantity).toBe(2);
    const gone = await stripe.subscriptionItems.del(added.id, { proration_behavior: "none" });
    expect(gone).toMatchObject({ id: added.id, deleted: true });
    expect((await subscription()).items.data).toHaveLength(1);
    expect((await errorOf(stripe.subscriptionItems.retrieve(added.id))).statusCode).toBe(404);
  });
});

describe("a change that cannot be paid for", () => {
  beforeEach(async () => {
    await it_.double.clock.advance(HALF);
    await changeCard(stripe, customer.id, "pm_card_chargeCustomerFail");
  });
  const upgrade = (payment_behavior: Stripe.SubscriptionUpdateParams.PaymentBehavior) =>
    stripe.subscriptions.update(made.id, {
      items: [{ id: item, quantity: 4 }],
      proration_behavior: "always_invoice",
      payment_behavior,
    });

  it("is made all the same by default, and the subscription is past due", async () => {
    const after = await upgrade("allow_incomplete");
    expect(after.status).toBe("past_due");
    expect(after.items.data[0]?.quantity).toBe(4);
    const card = await stripe.paymentMethods.attach("pm_card_visa", { customer: customer.id });
    await stripe.invoices.pay((await latest()).id ?? "", { payment_method: card.id });
    expect((await subscription()).status).toBe("active");
  });

  it("is refused with 402 and leaves nothing changed, with error_if_incomplete", async () => {
    const before = await subscription();
    const error = await errorOf(upgrade("error_if_incomplete"));
    expect(error).toMatchObject({ statusCode: 402, code: "card_declined" });
    expect(await subscription()).toEqual(before);
    const pending = await stripe.invoiceItems.list({ customer: customer.id });
    expect(pending.data).toEqual([]);
    expect((await stripe.invoices.list()).data).toHaveLength(1);
    await changeCard(stripe, customer.id, "pm_card_visa");
    expect((await upgrade("error_if_incomplete")).items.data[0]?.quantity).toBe(4);
  });

  it("waits, with pending_if_incomplete, and is applied when it is paid", async () => {
    const waits = await upgrade("pending_if_incomplete");
    expect(waits).toMatchObject({ status: "active", items: { data: [{ quantity: 2 }] } });
    expect(waits.pending_update).toMatchObject({
      expires_at: START + 15.5 * DAY + 23 * 3600,
      subscription_items: [{ id: item, quantity: 4 }],
    });
    const card = await stripe.paymentMethods.attach("pm_card_visa", { customer: customer.id });
    const raised = await raisedBy(stripe, () =>
      stripe.invoices.pay(String(waits.latest_invoice), { payment_method: card.id }),
    );
    expect(raised.slice(-2)).toEqual([
      "customer.subscription.updated",
      "customer.subscription.pending_update_applied",
    ]);
    expect(await subscription()).toMatchObject({
      status: "active",
      pending_update: null,
      items: { data: [{ quantity: 4 }] },
    });
  });

  it("holds metadata back too, with pending_if_incomplete (changelog 2026-05-27: pending updates)", async () => {
    const change = (apiVersion: string) =>
      stripe.subscriptions.update(
        made.id,
        {
          items: [{ id: item, quantity: 4 }],
          metadata: { plan: "team" },
          payment_behavior: "pending_if_incomplete",
          proration_behavior: "always_invoice",
        },
        { apiVersion },
      );
    const waits = await change("2026-05-27.dahlia");
    expect(waits.metadata).toEqual({});
    expect(waits.pending_update?.metadata).toEqual({ plan: "team" });
    const card = await stripe.paymentMethods.attach("pm_card_visa", { customer: customer.id });
    await stripe.invoices.pay(String(waits.latest_invoice), { payment_method: card.id });
    expect(await subscription()).toMatchObject({
      metadata: { plan: "team" },
      pending_update: null,
      items: { data: [{ quantity: 4 }] },
    });
  });

  it("leaves metadata as it is when it expires, and is refused with it by older versions (the same changelog)", async () => {
    const change = (apiVersion: string) =>
      stripe.subscriptions.update(
        made.id,
        {
          items: [{ id: item, quantity: 4 }],
          metadata: { [apiVersion]: "asked" },
          payment_behavior: "pending_if_incomplete",
        },
        { apiVersion },
      );
    await change("2026-05-27.dahlia");
    await it_.double.clock.advance({ days: 1 });
    expect((await subscription()).metadata).toEqual({});
    expect(await errorOf(change("2026-04-22.dahlia"))).toMatchObject({
      statusCode: 400,
      param: "metadata",
    });
  });

  it("cannot hold a description, with pending_if_incomplete (docs: pending updates reference)", async () => {
    const change = stripe.subscriptions.update(made.id, {
      items: [{ id: item, quantity: 4 }],
      description: "Team",
      payment_behavior: "pending_if_incomplete",
    });
    expect(await errorOf(change)).toMatchObject({ statusCode: 400, param: "description" });
    const held = await stripe.subscriptions.update(made.id, {
      items: [{ id: item, quantity: 4 }],
      payment_behavior: "pending_if_incomplete",
      expand: ["latest_invoice"],
    });
    expect(held.pending_update).not.toBeNull();
  });

  it("expires after 23 hours, with pending_if_incomplete, and nothing has changed", async () => {
    const waits = await upgrade("pending_if_incomplete");
    await it_.double.clock.advance({ hours: 22 });
    const raised = await raisedBy(stripe, () => it_.double.clock.advance({ hours: 1 }));
    expect(raised).toContain("customer.subscription.pending_update_expired");
    expect(await subscription()).toMatchObject({
      status: "active",
      pending_update: null,
      items: { data: [{ quantity: 2 }] },
    });
    const invoice = await stripe.invoices.retrieve(String(waits.latest_invoice));
    expect(invoice.status).toBe("void");
  });

  // Source: docs billing/subscriptions/pending-updates, "Cancel or change pending updates".
  it("is given up by voiding its invoice, with pending_if_incomplete", async () => {
    const waits = await upgrade("pending_if_incomplete");
    const raised = await raisedBy(stripe, () =>
      stripe.invoices.voidInvoice(String(waits.latest_invoice)),
    );
    expect(raised).toContain("customer.subscription.updated");
    expect(await subscription()).toMatchObject({
      status: "active",
      pending_update: null,
      items: { data: [{ quantity: 2 }] },
    });
    const items = await stripe.invoiceItems.list({ customer: customer.id, pending: true });
    expect(items.data).toEqual([]);
  });

  it("gives way to another one, and its invoice is void, with pending_if_incomplete", async () => {
    const first = await upgrade("pending_if_incomplete");
    await changeCard(stripe, customer.id, "pm_card_visa");
    const second = await stripe.subscriptions.update(made.id, {
      items: [{ id: item, quantity: 5 }],
      proration_behavior: "always_invoice",
      payment_behavior: "pending_if_incomplete",
    });
    expect(second).toMatchObject({ pending_update: null, items: { data: [{ quantity: 5 }] } });
    const invoice = await stripe.invoices.retrieve(String(first.latest_invoice));
    expect(invoice.status).toBe("void");
    expect(await latest()).toMatchObject({ status: "paid", total: 3000 });
  });

  it("expires with the period if that ends within 23 hours, with pending_if_incomplete", async () => {
    await it_.double.clock.advance({ days: 15, hours: 2 });
    const end = (await subscription()).items.data[0]?.current_period_end;
    const waits = await upgrade("pending_if_incomplete");
    expect(waits.pending_update?.expires_at).toBe(end);
  });

  // Source: docs billing/subscriptions/pending-updates, "Before you begin".
  it("cannot wait where invoices are sent, with pending_if_incomplete", async () => {
    await stripe.subscriptions.update(made.id, {
      collection_method: "send_invoice",
      days_until_due: 7,
    });
    const error = await errorOf(upgrade("pending_if_incomplete"));
    expect(error).toMatchObject({ statusCode: 400, param: "payment_behavior" });
  });

  // Source: docs billing/subscriptions/pending-updates, "Pending updates and subscription schedules".
  it("is given up when a phase of a schedule begins, with pending_if_incomplete", async () => {
    const schedule = await stripe.subscriptionSchedules.create({ from_subscription: made.id });
    const [phase] = schedule.phases;
    const soon = Math.floor(it_.double.clock.now() / 1000) + 3600;
    const items = [{ price: shop.monthly.id, quantity: 2 }];
    await stripe.subscriptionSchedules.update(schedule.id, {
      phases: [
        { items, start_date: phase?.start_date ?? 0, end_date: soon },
        { items: [{ price: shop.monthly.id, quantity: 3 }], start_date: soon },
      ],
    });
    const waits = await upgrade("pending_if_incomplete");
    const raised = await raisedBy(stripe, () => it_.double.clock.advance({ hours: 1 }));
    expect(raised).toContain("customer.subscription.pending_update_expired");
    expect((await subscription()).pending_update).toBeNull();
    const invoice = await stripe.invoices.retrieve(String(waits.latest_invoice));
    expect(invoice.status).toBe("void");
  });

  it("to another interval begins its period only when it is paid, with pending_if_incomplete", async () => {
    const waits = await stripe.subscriptions.update(made.id, {
      items: [{ id: item, price: shop.yearly.id, quantity: 1 }],
      payment_behavior: "pending_if_incomplete",
    });
    expect(waits.billing_cycle_anchor).toBe(START);
    const card = await stripe.paymentMethods.attach("pm_card_visa", { customer: customer.id });
    await stripe.invoices.pay(String(waits.latest_invoice), { payment_method: card.id });
    const now = await subscription();
    expect(now.billing_cycle_anchor).toBe(START + 15.5 * DAY);
    expect(now.items.data[0]?.price.id).toBe(shop.yearly.id);
    await it_.double.clock.advance({ days: 200 });
    expect((await subscription()).items.data[0]?.current_period_start).toBe(START + 15.5 * DAY);
  });
});

describe("a pause", () => {
  it("credits what was not used, and a resumption bills a new period less the credit", async () => {
    await it_.double.clock.advance(HALF);
    const raised = await raisedBy(stripe, () => stripe.subscriptions.pause(made.id));
    expect(raised).toEqual([
      "invoiceitem.created",
      "customer.subscription.updated",
      "customer.subscription.paused",
    ]);
    expect(await subscription()).toMatchObject({
      status: "paused",
      status_details: { paused: { subscription: { type: "pause_requested" } } },
    });
    await it_.double.clock.advance({ days: 100 });
    expect((await stripe.invoices.list()).data).toHaveLength(1);
    const back = await stripe.subscriptions.resume(made.id);
    expect(back.status).toBe("active");
    expect(await latest()).toMatchObject({ total: 4000 - 2000, status: "paid" });
    const { data } = await stripe.subscriptions.list({ status: "active" });
    expect(idsOf({ data })).toEqual([made.id]);
  });

  it("ends when the invoice of the resumption is given up, and goes on when it is void", async () => {
    await it_.double.clock.advance(HALF);
    await stripe.subscriptions.pause(made.id);
    await changeCard(stripe, customer.id, "pm_card_chargeCustomerFail");
    const params = { payment_behavior: "resume_on_payment_success" } as const;
    const tried = await stripe.subscriptions.resume(made.id, params);
    await stripe.invoices.voidInvoice(String(tried.latest_invoice));
    expect((await subscription()).status).toBe("paused");
    const again = await stripe.subscriptions.resume(made.id, params);
    await stripe.invoices.markUncollectible(String(again.latest_invoice));
    expect((await subscription()).status).toBe("active");
  });
});

it("an incomplete subscription takes no change but of its metadata and payment method", async () => {
  const fails = await payer(stripe, "pm_card_chargeCustomerFail");
  const { id } = await stripe.subscriptions.create({
    customer: fails.id,
    items: [{ price: shop.monthly.id }],
  });
  const change = stripe.subscriptions.update(id, { cancel_at_period_end: true });
  expect((await errorOf(change)).statusCode).toBe(400);
  expect((await stripe.subscriptions.update(id, { metadata: { a: "1" } })).metadata).toEqual({
    a: "1",
  });
});
