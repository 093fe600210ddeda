import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { cycleEnd, cyclesAfter } from "../src/billing/period.js";
import {
  changeCard,
  DAY,
  eventsOf,
  objectOf,
  openShop,
  payer,
  type Rig,
  raisedBy,
  receiver,
  rig,
  type Shop,
  START,
} from "./kit.js";

let it_: Rig;
let stripe: Stripe;
let shop: Shop;

async function open(now?: string): Promise<void> {
  it_ = await rig(now === undefined ? {} : { now });
  stripe = it_.stripe;
  shop = await openShop(stripe);
}
beforeEach(() => open());

const subscription = (id: string) => stripe.subscriptions.retrieve(id);
const date = (seconds: number | undefined) => new Date((seconds ?? 0) * 1000).toISOString();

async function subscribe(
  params: Partial<Stripe.SubscriptionCreateParams> = {},
): Promise<Stripe.Subscription> {
  const customer = params.customer ?? (await payer(stripe)).id;
  return stripe.subscriptions.create({ customer, items: [{ price: shop.monthly.id }], ...params });
}

describe("a renewal", () => {
  it("is announced, drafted, finalized and paid, in Stripe's order", async () => {
    const made = await subscribe();
    const hook = await receiver(it_);
    await it_.double.clock.advance({ days: 32 });
    expect(hook.types()).toEqual([
      "invoice.upcoming",
      "invoice.created",
      "customer.subscription.updated",
      "payment_intent.created",
      "invoice.finalized",
      "charge.succeeded",
      "payment_intent.succeeded",
      "invoice_payment.paid",
      "invoice.updated",
      "invoice.paid",
      "invoice.payment_succeeded",
    ]);
    const at = (type: string) =>
      date(hook.received.find(({ event }) => event.type === type)?.event.created);
    expect(at("invoice.upcoming")).toBe("2026-02-08T10:00:00.000Z");
    expect(at("invoice.created")).toBe("2026-02-15T10:00:00.000Z");
    expect(at("invoice.paid")).toBe("2026-02-15T11:00:00.000Z");
    const draft = hook.received.find(({ event }) => event.type === "invoice.created")?.event;
    expect(objectOf<Stripe.Invoice>(draft)).toMatchObject({
      status: "draft",
      auto_advance: true,
      billing_reason: "subscription_cycle",
      automatically_finalizes_at: Date.parse("2026-02-15T11:00:00Z") / 1000,
    });
    const change = hook.received.find(({ event }) => event.type.endsWith("n.updated"))?.event;
    expect(change?.data.previous_attributes).toMatchObject({ latest_invoice: made.latest_invoice });
    expect(hook.received.every(({ event }) => event.request?.id === null)).toBe(true);
  });

  it("announces an invoice without an id", async () => {
    await subscribe();
    await it_.double.clock.advance({ days: 25 });
    const [event] = (await stripe.events.list({ type: "invoice.upcoming" })).data;
    const upcoming = objectOf<Stripe.Invoice>(event);
    expect(upcoming).not.toHaveProperty("id");
    expect(upcoming).toMatchObject({ object: "invoice", total: 2000, status: "draft" });
    expect(date(upcoming.period_start)).toBe("2026-02-15T10:00:00.000Z");
    expect((await stripe.invoices.list()).data).toHaveLength(1);
  });

  it("comes every month for a year, with no gap between the periods", async () => {
    const made = await subscribe();
    await it_.double.clock.advance({ days: 366 });
    const invoices = (await stripe.invoices.list({ limit: 100 })).data.reverse();
    expect(invoices).toHaveLength(13);
    expect(invoices.every(({ status }) => status === "paid")).toBe(true);
    const periods = invoices.map(({ lines }) => lines.data[0]?.period);
    expect(periods.slice(1).map((period) => period?.start)).toEqual(
      periods.slice(0, -1).map((period) => period?.end),
    );
    expect(date(periods[12]?.start)).toBe("2027-01-15T10:00:00.000Z");
    expect(new Set(invoices.map(({ number }) => number)).size).toBe(13);
    const now = await subscription(made.id);
    expect(date(now.items.data[0]?.current_period_end)).toBe("2027-02-15T10:00:00.000Z");
  });

  it("keeps to the end of the month, and does not drift when a month is short", async () => {
    await open("2026-01-31T08:30:00Z");
    await subscribe();
    await it_.double.clock.advance({ days: 366 });
    const starts = (await stripe.invoices.list({ limit: 100 })).data
      .reverse()
      .map(({ lines }) => date(lines.data[0]?.period.start).slice(0, 16));
    expect(starts).toEqual(
      ["01-31", "02-28", "03-31", "04-30", "05-31", "06-30", "07-31", "08-31", "09-30", "10-31"]
        .map((day) => `2026-${day}T08:30`)
        .concat("2026-11-30T08:30", "2026-12-31T08:30", "2027-01-31T08:30"),
    );
  });

  it("comes every year on the day, also of a leap day", async () => {
    await open("2028-02-29T00:00:00Z");
    await subscribe({ items: [{ price: shop.yearly.id }] });
    await it_.double.clock.advance({ days: 4 * 365 + 2 });
    const starts = (await stripe.invoices.list()).data
      .reverse()
      .map(({ lines }) => date(lines.data[0]?.period.start).slice(0, 10));
    expect(starts).toEqual(["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]);
  });

  it("leaves out what a customer put off", async () => {
    const made = await subscribe();
    await stripe.subscriptions.update(made.id, {
      pause_collection: { behavior: "void", resumes_at: START + 40 * DAY },
    });
    await it_.double.clock.advance({ days: 33 });
    expect((await stripe.invoices.list()).data[0]?.status).toBe("void");
    expect((await subscription(made.id)).status).toBe("active");
    const raised = await raisedBy(stripe, () => it_.double.clock.advance({ days: 8 }));
    expect(raised).toEqual(["customer.subscription.updated"]);
    expect((await subscription(made.id)).pause_collection).toBeNull();
    await it_.double.clock.advance({ days: 31 });
    expect((await stripe.invoices.list()).data[0]?.status).toBe("paid");
  });

  it("keeps its invoice as a draft, or marks it uncollectible, if collection is paused so", async () => {
    const made = await subscribe();
    const pause = (behavior: "keep_as_draft" | "mark_uncollectible") =>
      stripe.subscriptions.update(made.id, { pause_collection: { behavior } });
    await pause("keep_as_draft");
    await it_.double.clock.advance({ days: 35 });
    const [draft] = (await stripe.invoices.list()).data;
    expect(draft).toMatchObject({ status: "draft", auto_advance: false });
    await pause("mark_uncollectible");
    await it_.double.clock.advance({ days: 30 });
    expect((await stripe.invoices.list()).data[0]?.status).toBe("uncollectible");
    const resumed = await stripe.subscriptions.update(made.id, { pause_collection: "" });
    expect(resumed.pause_collection).toBeNull();
  });

  it("of a bill sent by letter is sent, and overdue when nobody pays it in time", async () => {
    const customer = await stripe.customers.create({ email: "ada@example.com" });
    const made = await subscribe({
      customer: customer.id,
      collection_method: "send_invoice",
      days_until_due: 7,
    });
    const invoice = () => stripe.invoices.retrieve(String(made.latest_invoice));
    expect((await invoice()).status).toBe("draft");
    const sent = await raisedBy(stripe, () => it_.double.clock.advance({ hours: 1 }));
    expect(sent).toContain("invoice.sent");
    expect(await invoice()).toMatchObject({ status: "open", due_date: START + 7 * DAY });
    expect((await subscription(made.id)).status).toBe("active");
    const late = await raisedBy(stripe, () => it_.double.clock.advance({ days: 7 }));
    expect(late).toContain("invoice.overdue");
    expect((await subscription(made.id)).status).toBe("past_due");
    expect((await stripe.customers.retrieve(customer.id)) as Stripe.Customer).toMatchObject({
      delinquent: true,
    });
    await stripe.invoices.pay(String(made.latest_invoice), { paid_out_of_band: true });
    expect((await subscription(made.id)).status).toBe("active");
  });

  it("shows a coupon's months running out", async () => {
    await stripe.coupons.create({
      id: "Q1",
      percent_off: 25,
      duration: "repeating",
      duration_in_months: 2,
    });
    await subscribe({ discounts: [{ coupon: "Q1" }] });
    await it_.double.clock.advance({ days: 95 });
    const totals = (await stripe.invoices.list()).data.map(({ total }) => total).reverse();
    expect(totals).toEqual([1500, 1500, 2000, 2000]);
  });
});

describe("a renewal that cannot be collected", () => {
  async function failing(): Promise<Stripe.Subscription> {
    const made = await subscribe();
    await changeCard(stripe, String(made.customer), "pm_card_chargeCustomerFail");
    return made;
  }

  it("makes the subscription past due, is tried again three times, and ends it", async () => {
    const made = await failing();
    const hook = await receiver(it_);
    await it_.double.clock.advanceTo("2026-02-15T11:00:00Z");
    expect((await subscription(made.id)).status).toBe("past_due");
    const [invoice] = (await stripe.invoices.list()).data;
    expect(invoice).toMatchObject({ status: "open", attempt_count: 1, attempted: true });
    const failures = () =>
      hook.received
        .filter(({ event }) => event.type === "invoice.payment_failed")
        .map(({ event }) => objectOf<Stripe.Invoice>(event));
    // The event itself tells when Stripe tries again.
    expect(date(failures()[0]?.next_payment_attempt ?? 0)).toBe("2026-02-18T11:00:00.000Z");
    const customer = (await stripe.customers.retrieve(String(made.customer))) as Stripe.Customer;
    expect(customer.delinquent).toBe(true);
    await it_.double.clock.advance({ days: 20 });
    expect(failures().map(({ attempt_count: count }) => count)).toEqual([1, 2, 3, 4]);
    expect(failures().at(-1)?.next_payment_attempt).toBeNull();
    const dead = await subscription(made.id);
    expect(dead).toMatchObject({
      status: "canceled",
      cancellation_details: { reason: "payment_failed" },
    });
    expect(date(dead.ended_at ?? 0)).toBe("2026-03-02T11:00:00.000Z");
    expect(hook.types()).toContain("customer.subscription.deleted");
    expect((await stripe.invoices.retrieve(invoice?.id ?? "")).status).toBe("open");
  });

  it("recovers when a retry finds a better card", async () => {
    const made = await failing();
    await it_.double.clock.advance({ days: 32 });
    expect((await subscription(made.id)).status).toBe("past_due");
    await changeCard(stripe, String(made.customer), "pm_card_visa");
    const raised = await raisedBy(stripe, () => it_.double.clock.advance({ days: 3 }));
    expect(raised).toContain("invoice.paid");
    expect(raised.at(-1)).toBe("customer.subscription.updated");
    expect((await subscription(made.id)).status).toBe("active");
    const customer = (await stripe.customers.retrieve(String(made.customer))) as Stripe.Customer;
    expect(customer.delinquent).toBe(false);
  });

  it("recovers when the invoice is paid, but only by the latest one", async () => {
    const made = await failing();
    await it_.double.clock.advance({ days: 32 });
    const [first] = (await stripe.invoices.list()).data;
    // Another invoice of the same customer says nothing about the subscription.
    await it_.double.clock.advance({ hours: 1 });
    const card = await stripe.paymentMethods.attach("pm_card_visa", {
      customer: String(made.customer),
    });
    const before = (await stripe.invoices.list()).data[1];
    expect(before?.status).toBe("paid");
    await stripe.invoices.pay(first?.id ?? "", { payment_method: card.id });
    expect((await subscription(made.id)).status).toBe("active");
  });

  it("stays past due while a newer invoice is unpaid", async () => {
    await stripe.prices.list();
    const weekly = await stripe.prices.create({
      product: shop.product.id,
      currency: "usd",
      unit_amount: 300,
      recurring: { interval: "week" },
    });
    const made = await subscribe({ items: [{ price: weekly.id }] });
    await changeCard(stripe, String(made.customer), "pm_card_chargeCustomerFail");
    await it_.double.clock.advance({ days: 14, hours: 2 });
    const [newer, older] = (await stripe.invoices.list({ status: "open" })).data;
    const card = await stripe.paymentMethods.attach("pm_card_visa", {
      customer: String(made.customer),
    });
    await stripe.invoices.pay(older?.id ?? "", { payment_method: card.id });
    expect((await subscription(made.id)).status).toBe("past_due");
    await stripe.invoices.pay(newer?.id ?? "", { payment_method: card.id });
    expect((await subscription(made.id)).status).toBe("active");
  });

  it("raises every event of the month once", async () => {
    await failing();
    await it_.double.clock.advance({ days: 60 });
    const ids = (await eventsOf(stripe)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("periods", () => {
  const at = (text: string) => Date.parse(text) / 1000;
  it.each([
    ["day", 3, "2026-02-27T12:00:00Z", "2026-03-02T12:00:00Z"],
    ["week", 2, "2026-12-25T00:00:00Z", "2027-01-08T00:00:00Z"],
    ["month", 1, "2024-01-31T23:59:59Z", "2024-02-29T23:59:59Z"],
    ["month", 3, "2025-11-30T00:00:00Z", "2026-02-28T00:00:00Z"],
    ["month", 12, "2024-02-29T00:00:00Z", "2025-02-28T00:00:00Z"],
    ["year", 1, "2024-02-29T00:00:00Z", "2025-02-28T00:00:00Z"],
  ] as const)("of %s times %i after %s end %s", (interval, interval_count, from, to) => {
    expect(date(cyclesAfter(at(from), { interval, interval_count }, 1))).toBe(date(at(to)));
  });

  it("are found on the grid of their anchor", () => {
    const anchor = at("2026-01-31T00:00:00Z");
    const cycle = { interval: "month", interval_count: 1 } as const;
    expect(date(cycleEnd(anchor, cycle, at("2026-02-28T00:00:00Z")))).toBe(
      "2026-03-31T00:00:00.000Z",
    );
    expect(date(cycleEnd(anchor, cycle, at("2026-02-27T00:00:00Z")))).toBe(
      "2026-02-28T00:00:00.000Z",
    );
  });
});
