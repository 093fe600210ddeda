// What requests for subscriptions may say beside their items. Amounts are of a month of 30 days.
import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { nextAnchor } from "../src/billing/anchor.js";
import { DAY, errorOf, openShop, payer, type Rig, rig, type Shop } from "./kit.js";

const APRIL = Date.parse("2026-04-01T00:00:00Z") / 1000;
const HALF = { days: 15 };

let it_: Rig;
let stripe: Stripe;
let shop: Shop;
let customer: Stripe.Customer;
let fee: string;

beforeEach(async () => {
  it_ = await rig({ now: "2026-04-01T00:00:00Z" });
  stripe = it_.stripe;
  shop = await openShop(stripe);
  customer = await payer(stripe);
  const params = { product: shop.product.id, currency: "usd", unit_amount: 300 };
  fee = (await stripe.prices.create(params)).id;
});

const subscribe = (params: Partial<Stripe.SubscriptionCreateParams> = {}) =>
  stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: shop.monthly.id }],
    ...params,
  });

async function totals(): Promise<number[]> {
  const { data } = await stripe.invoices.list({ customer: customer.id });
  return data.map(({ total }) => total).reverse();
}

it("another price sets the quantity back to 1 (stripe/stripe-python#388, remi-stripe)", async () => {
  const { id, items } = await subscribe({ items: [{ price: shop.monthly.id, quantity: 4 }] });
  const item = items.data[0]?.id ?? "";
  const same = await stripe.subscriptions.update(id, {
    items: [{ id: item, price: shop.monthly.id }],
  });
  expect(same.items.data[0]?.quantity).toBe(4);
  const other = await stripe.subscriptions.update(id, {
    items: [{ id: item, price: shop.yearly.id }],
  });
  expect(other.items.data[0]?.quantity).toBe(1);
});

it("pending_if_incomplete is only for updates (API reference: subscriptions/create)", async () => {
  const error = await errorOf(subscribe({ payment_behavior: "pending_if_incomplete" }));
  expect(error).toMatchObject({ statusCode: 400, param: "payment_behavior" });
});

it("a coupon of another currency is refused (restrictcontentpro/restrict-content-pro#382)", async () => {
  const { id: coupon } = await stripe.coupons.create({
    amount_off: 100,
    currency: "eur",
    duration: "once",
  });
  const discounts = [{ coupon }];
  expect((await errorOf(subscribe({ discounts }))).statusCode).toBe(400);
  const { id } = await subscribe();
  const later = stripe.subscriptions.update(id, { discounts });
  expect((await errorOf(later)).statusCode).toBe(400);
});

describe("add_invoice_items", () => {
  it("is on the first invoice, once (docs: subscription invoices)", async () => {
    const { id, latest_invoice: invoice } = await subscribe({
      add_invoice_items: [
        { price: fee, quantity: 2 },
        {
          price_data: { currency: "usd", product: shop.product.id, unit_amount: 50 },
        },
      ],
    });
    const { lines } = await stripe.invoices.retrieve(String(invoice));
    expect(lines.data.map(({ amount, quantity }) => [amount, quantity])).toEqual([
      [600, 2],
      [50, 1],
      [2000, 1],
    ]);
    expect(lines.data[0]?.parent).toMatchObject({
      type: "invoice_item_details",
      invoice_item_details: { proration: false, subscription: id },
    });
    await it_.double.clock.advance({ days: 31 });
    expect(await totals()).toEqual([2650, 2000]);
  });

  it("takes no recurring price, and nothing is made", async () => {
    const error = await errorOf(subscribe({ add_invoice_items: [{ price: shop.monthly.id }] }));
    expect(error).toMatchObject({ statusCode: 400, param: "add_invoice_items[0][price]" });
    expect((await stripe.subscriptions.list()).data).toEqual([]);
  });

  it("leaves nothing behind when the rest of the update is refused", async () => {
    const { id, items } = await subscribe();
    const item = items.data[0]?.id ?? "";
    const update = (params: Stripe.SubscriptionUpdateParams) =>
      stripe.subscriptions.update(id, { add_invoice_items: [{ price: fee }], ...params });
    const wrong = await errorOf(update({ items: [{ id: item, price: fee }] }));
    expect(wrong).toMatchObject({ statusCode: 400, param: "items[0][price]" });
    await stripe.customers.update(customer.id, {
      invoice_settings: {
        default_payment_method: (
          await stripe.paymentMethods.attach("pm_card_chargeCustomerFail", {
            customer: customer.id,
          })
        ).id,
      },
    });
    const unpaid = update({
      items: [{ id: item, quantity: 2 }],
      payment_behavior: "error_if_incomplete",
      proration_behavior: "always_invoice",
    });
    expect((await errorOf(unpaid)).statusCode).toBe(402);
    expect((await stripe.invoiceItems.list({ pending: true })).data).toEqual([]);
  });

  it("of an update waits for the next invoice", async () => {
    const { id } = await subscribe();
    await stripe.subscriptions.update(id, { add_invoice_items: [{ price: fee }] });
    expect(await totals()).toEqual([2000]);
    await it_.double.clock.advance({ days: 31 });
    expect(await totals()).toEqual([2000, 2300]);
  });

  it("of an update that invoices at once does so in classic mode only (docs: pending updates)", async () => {
    for (const type of ["classic", "flexible"] as const) {
      const { id } = await subscribe({ billing_mode: { type } });
      await stripe.subscriptions.update(id, {
        add_invoice_items: [{ price: fee }],
        proration_behavior: "always_invoice",
      });
    }
    expect(await totals()).toEqual([2000, 300, 2000]);
  });
});

describe("canceling at once", () => {
  it("credits nothing unless it is asked to (SDK types: SubscriptionCancelParams)", async () => {
    const { id } = await subscribe();
    await it_.double.clock.advance(HALF);
    await stripe.subscriptions.cancel(id);
    expect(await totals()).toEqual([2000]);
    expect((await stripe.invoiceItems.list({ pending: true })).data).toEqual([]);
  });

  it("leaves the credit pending with prorate, and invoices it with invoice_now", async () => {
    const [first, second] = [await subscribe(), await subscribe()];
    await it_.double.clock.advance(HALF);
    await stripe.subscriptions.cancel(first.id, { prorate: true });
    const { data } = await stripe.invoiceItems.list({ pending: true });
    expect(data.map(({ amount }) => amount)).toEqual([-1000]);
    const ended = await stripe.subscriptions.cancel(second.id, {
      prorate: true,
      invoice_now: true,
    });
    const invoice = await stripe.invoices.retrieve(String(ended.latest_invoice));
    expect(invoice).toMatchObject({ total: -1000, status: "paid" });
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: -1000 });
  });
});

describe("the anchor of a new subscription", () => {
  it("is where the first whole cycle begins, and the time until then costs its part", async () => {
    const anchor = APRIL + 15 * DAY;
    const made = await subscribe({ billing_cycle_anchor: anchor });
    expect(made).toMatchObject({ billing_cycle_anchor: anchor, status: "active" });
    expect(made.items.data[0]).toMatchObject({
      current_period_start: APRIL,
      current_period_end: anchor,
    });
    await it_.double.clock.advance({ days: 16 });
    // 15 of the 31 days from March 16.
    expect(await totals()).toEqual([Math.round((2000 * 15) / 31), 2000]);
  });

  it("leaves that time free with proration_behavior none (docs: billing cycle)", async () => {
    await subscribe({ billing_cycle_anchor: APRIL + 15 * DAY, proration_behavior: "none" });
    await it_.double.clock.advance({ days: 16 });
    expect(await totals()).toEqual([0, 2000]);
  });

  it("prorates a change before it by the same cycle", async () => {
    const { id, items } = await subscribe({ billing_cycle_anchor: APRIL + 15 * DAY });
    await it_.double.clock.advance({ days: 5 });
    await stripe.subscriptions.update(id, {
      items: [{ id: items.data[0]?.id ?? "", quantity: 2 }],
    });
    const { data } = await stripe.invoiceItems.list({ pending: true });
    const left = 10 / 31;
    expect(data.map(({ amount }) => amount).sort((a, b) => a - b)).toEqual([
      -Math.round(2000 * left),
      Math.round(4000 * left),
    ]);
  });

  it("is refused in the past, and beyond the next billing date", async () => {
    for (const billing_cycle_anchor of [APRIL - DAY, APRIL + 31 * DAY]) {
      expect(await errorOf(subscribe({ billing_cycle_anchor }))).toMatchObject({
        statusCode: 400,
        param: "billing_cycle_anchor",
      });
    }
  });

  it("can be a day of the month (SDK types: billing_cycle_anchor_config)", async () => {
    const made = await subscribe({
      billing_cycle_anchor_config: { day_of_month: 16, hour: 0, minute: 0, second: 0 },
    });
    expect(made).toMatchObject({
      billing_cycle_anchor: APRIL + 15 * DAY,
      billing_cycle_anchor_config: { day_of_month: 16, hour: 0, month: null },
    });
    const error = await errorOf(subscribe({ billing_cycle_anchor_config: { day_of_month: 32 } }));
    expect(error.statusCode).toBe(400);
  });

  it.each([
    ["2026-04-01T10:30:15Z", { day_of_month: 16 }, "2026-04-16T10:30:15Z"],
    ["2026-04-16T10:30:15Z", { day_of_month: 16 }, "2026-05-16T10:30:15Z"],
    ["2026-02-10T00:00:00Z", { day_of_month: 31 }, "2026-03-31T00:00:00Z"],
    ["2026-12-20T00:00:00Z", { day_of_month: 5, hour: 9 }, "2027-01-05T09:00:00Z"],
    ["2026-04-01T00:00:00Z", { day_of_month: 31, month: 2 }, "2027-02-28T00:00:00Z"],
  ])("from %s, %j is %s", (now, config, expected) => {
    const seconds = (moment: string) => Date.parse(moment) / 1000;
    expect(nextAnchor(seconds(now), config)).toBe(seconds(expected));
  });

  it("keeps the last day of short months", async () => {
    await it_.double.clock.advanceTo("2027-02-10T00:00:00Z");
    const { id } = await subscribe({ billing_cycle_anchor_config: { day_of_month: 31 } });
    const ends: string[] = [];
    for (const month of ["02", "03", "04", "05"]) {
      const { items } = await stripe.subscriptions.retrieve(id);
      ends.push(new Date((items.data[0]?.current_period_end ?? 0) * 1000).toISOString());
      await it_.double.clock.advanceTo(`2027-0${Number(month) + 1}-01T00:00:00Z`);
    }
    expect(ends.map((end) => end.slice(5, 10))).toEqual(["02-28", "03-31", "04-30", "05-31"]);
  });
});

describe("a pause on request (SDK types: SubscriptionPauseParams)", () => {
  it.each([
    ["now", -1000],
    ["item_current_period_start", -2000],
  ] as const)("credits from %s on, and can invoice it", async (type, total) => {
    const { id } = await subscribe();
    await it_.double.clock.advance(HALF);
    const paused = await stripe.subscriptions.pause(id, {
      bill_for: { unused_time_from: { type } },
      invoicing_behavior: "invoice",
    });
    expect(paused.items.data[0]?.current_period_end).toBe(APRIL + 15 * DAY);
    expect(await totals()).toEqual([2000, total]);
  });

  it("credits nothing if told so", async () => {
    const { id } = await subscribe();
    await it_.double.clock.advance(HALF);
    await stripe.subscriptions.pause(id, { bill_for: { unused_time_from: { type: "none" } } });
    expect((await stripe.invoiceItems.list({ pending: true })).data).toEqual([]);
  });

  it.each([
    ["in a trial", { trial_period_days: 7 }],
    ["in classic mode", { billing_mode: { type: "classic" } }],
    ["whose invoices are sent", { collection_method: "send_invoice", days_until_due: 5 }],
  ] as const)("is refused for one %s", async (_, params) => {
    const { id } = await subscribe(params);
    expect((await errorOf(stripe.subscriptions.pause(id))).statusCode).toBe(400);
  });
});

it("a resumption with the anchor unchanged costs what is left of the period", async () => {
  const { id } = await subscribe();
  await it_.double.clock.advance({ days: 5 });
  await stripe.subscriptions.pause(id, { bill_for: { unused_time_from: { type: "none" } } });
  await it_.double.clock.advance({ days: 10 });
  const resumed = await stripe.subscriptions.resume(id, {
    billing_cycle_anchor: { type: "unchanged" },
  });
  expect(resumed).toMatchObject({ status: "active", billing_cycle_anchor: APRIL });
  expect(resumed.items.data[0]?.current_period_end).toBe(APRIL + 30 * DAY);
  const { data } = await stripe.invoiceItems.list({ pending: true });
  expect(data.map(({ amount }) => amount)).toEqual([1000]);
  await it_.double.clock.advance({ days: 16 });
  expect(await totals()).toEqual([2000, 3000]);
});
