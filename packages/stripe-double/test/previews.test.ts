/** Previews equal the invoices that follow, to the cent (docs: preview prorations). */
import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { errorOf, expanded, openShop, payer, type Rig, rig, type Shop } from "./kit.js";

let it_: Rig;
let stripe: Stripe;
let shop: Shop;
let customer: Stripe.Customer;
let pro: Stripe.Price;

beforeEach(async () => {
  it_ = await rig();
  stripe = it_.stripe;
  shop = await openShop(stripe);
  customer = await payer(stripe);
  pro = await stripe.prices.create({
    product: shop.product.id,
    currency: "usd",
    unit_amount: 4999,
    recurring: { interval: "month" },
  });
});

const subscribe = (params: Partial<Stripe.SubscriptionCreateParams> = {}) =>
  stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: shop.monthly.id, quantity: 3 }],
    ...params,
  });
const itemOf = ({ items }: Stripe.Subscription) => items.data[0]?.id ?? "";
const latest = async () =>
  (await stripe.invoices.list({ customer: customer.id, limit: 1 })).data[0] as Stripe.Invoice;

/** What an invoice says about money, without the ids that only a kept one has. */
function bill(invoice: Stripe.Invoice) {
  const { subtotal, total, amount_due, starting_balance, period_start, period_end } = invoice;
  return {
    totals: { subtotal, total, amount_due, starting_balance, period_start, period_end },
    discounts: invoice.total_discount_amounts,
    lines: invoice.lines.data.map((line) => ({
      amount: line.amount,
      description: line.description,
      period: line.period,
      discounts: line.discount_amounts,
      quantity: line.quantity,
      pricing: line.pricing?.price_details?.price,
    })),
  };
}
const asText = (invoice: Stripe.Invoice) => JSON.parse(JSON.stringify(bill(invoice)));

describe("the invoice of the next renewal", () => {
  it("is what the renewal makes, with what waits for it, the discounts and the balance", async () => {
    await stripe.coupons.create({ id: "THIRD", percent_off: 33.3, duration: "forever" });
    const made = await subscribe({ discounts: [{ coupon: "THIRD" }] });
    await stripe.customers.update(customer.id, { balance: -123 });
    await it_.double.clock.advance({ days: 9, hours: 7 });
    await stripe.subscriptions.update(made.id, { items: [{ id: itemOf(made), quantity: 5 }] });
    const before = await stripe.events.list({ limit: 1 });
    const preview = await stripe.invoices.createPreview({
      customer: customer.id,
      subscription: made.id,
    });
    expect(preview).toMatchObject({ status: "draft", number: null, billing_reason: "upcoming" });
    expect(preview.id).toMatch(/^upcoming_in_/);
    expect((await stripe.events.list({ limit: 1 })).data).toEqual(before.data);
    await it_.double.clock.advance({ days: 22, hours: 20 });
    expect(asText(await latest())).toEqual(asText(preview));
  });

  it("bills only what is due where intervals differ", async () => {
    const made = await subscribe({
      items: [{ price: shop.monthly.id }, { price: shop.yearly.id }],
    });
    const preview = await stripe.invoices.createPreview({ subscription: made.id });
    expect(preview.total).toBe(2000);
  });

  it("is none for a subscription that has ended or ends with its period", async () => {
    const made = await subscribe();
    await stripe.subscriptions.update(made.id, { cancel_at_period_end: true });
    const none = { statusCode: 404, code: "invoice_upcoming_none" };
    const preview = () => stripe.invoices.createPreview({ subscription: made.id });
    expect(await errorOf(preview())).toMatchObject(none);
    await stripe.subscriptions.cancel(made.id);
    expect(await errorOf(preview())).toMatchObject(none);
    const without = stripe.invoices.createPreview({ customer: customer.id });
    expect(await errorOf(without)).toMatchObject(none);
    expect((await errorOf(stripe.invoices.createPreview({}))).statusCode).toBe(400);
  });

  // Source: API reference invoices/create_preview, `subscription` and `subscription_details`.
  it("of a customer is that of the subscription which renews first", async () => {
    await subscribe({ items: [{ price: shop.yearly.id }] });
    await subscribe();
    const preview = await stripe.invoices.createPreview({ customer: customer.id });
    expect(preview.total).toBe(6000);
  });

  it("of a subscription that is not there yet is its first one, with discounts and taxes", async () => {
    const coupon = await stripe.coupons.create({ percent_off: 10, duration: "once" });
    const items = [{ price: shop.monthly.id, quantity: 2 }];
    const preview = await stripe.invoices.createPreview({
      customer: customer.id,
      subscription_details: { items },
      discounts: [{ coupon: coupon.id }],
    });
    expect((await stripe.coupons.retrieve(coupon.id)).times_redeemed).toBe(0);
    await subscribe({ items, discounts: [{ coupon: coupon.id }] });
    expect([preview.subtotal, preview.total]).toEqual([4000, 3600]);
    expect((await latest()).total).toBe(3600);
  });
});

describe("the invoice of a change", () => {
  it.each([
    ["always_invoice", "monthly"],
    ["create_prorations", "monthly"],
    ["none", "monthly"],
    ["create_prorations", "yearly"],
  ] as const)("%s to the %s price", async (proration_behavior, interval) => {
    const made = await subscribe();
    await it_.double.clock.advance({ days: 11, hours: 3, minutes: 17 });
    const items = [
      { id: itemOf(made), price: interval === "monthly" ? pro.id : shop.yearly.id, quantity: 2 },
    ];
    const preview = await stripe.invoices.createPreview({
      subscription: made.id,
      subscription_details: { items, proration_behavior },
    });
    expect((await stripe.subscriptions.retrieve(made.id)).items.data[0]?.quantity).toBe(3);
    await stripe.subscriptions.update(made.id, { items, proration_behavior });
    const atOnce = proration_behavior === "always_invoice" || interval === "yearly";
    if (!atOnce) await it_.double.clock.advance({ days: 21 });
    expect(asText(await latest())).toEqual(asText(preview));
  });

  it.each([
    ["flexible", "always_invoice", -4000, 1],
    ["flexible", "create_prorations", -4000, 0],
    ["flexible", "none", 0, 0],
    ["classic", "create_prorations", -4000, 1],
    ["classic", "none", 0, 1],
  ] as const)(
    "a new anchor in %s mode with %s (docs: billing renewal date)",
    async (type, proration_behavior, credit, invoices) => {
      const made = await subscribe({ billing_mode: { type } });
      await it_.double.clock.advance({ days: 10, hours: 8 });
      const change = { billing_cycle_anchor: { type: "now" }, proration_behavior } as const;
      const preview = await stripe.invoices.createPreview({
        subscription: made.id,
        subscription_details: change,
      });
      const after = await stripe.subscriptions.update(made.id, change);
      expect(after.billing_cycle_anchor).toBe(made.created + 10 * 86_400 + 8 * 3600);
      expect(after.items.data[0]?.current_period_start).toBe(after.billing_cycle_anchor);
      const { data } = await stripe.invoices.list({ customer: customer.id });
      expect(data).toHaveLength(1 + invoices);
      if (invoices === 0) await it_.double.clock.advance({ days: 32 });
      const invoice = await latest();
      expect(asText(invoice)).toEqual(asText(preview));
      const charged = invoices === 1 || proration_behavior === "none" ? 6000 : 12_000;
      expect(invoice.total).toBe(charged + credit);
    },
  );

  it("keeps the anchor at another interval, if that is asked for", async () => {
    const made = await subscribe({ items: [{ price: shop.monthly.id }] });
    await it_.double.clock.advance({ days: 10 });
    const after = await stripe.subscriptions.update(made.id, {
      items: [{ id: itemOf(made), price: shop.yearly.id }],
      billing_cycle_anchor: { type: "unchanged" },
      proration_behavior: "always_invoice",
      expand: ["latest_invoice"],
    });
    expect(after.billing_cycle_anchor).toBe(made.billing_cycle_anchor);
    expect(after.items.data[0]?.current_period_end).toBe(made.created + 365 * 86_400);
    const { lines } = expanded<Stripe.Invoice>(after.latest_invoice);
    expect(lines.data.map(({ amount }) => amount)).toEqual([
      -Math.round((2000 * 21) / 31),
      Math.round((20_000 * 355) / 365),
    ]);
  });

  it("counts from the same moment as the change, if both name it", async () => {
    const made = await subscribe();
    await it_.double.clock.advance({ days: 5 });
    const proration_date = made.created + 3 * 86_400;
    const items = [{ id: itemOf(made), price: pro.id }];
    const preview = await stripe.invoices.createPreview({
      subscription: made.id,
      subscription_details: { items, proration_behavior: "always_invoice", proration_date },
    });
    await it_.double.clock.advance({ hours: 1 });
    const after = await stripe.subscriptions.update(made.id, {
      items,
      proration_behavior: "always_invoice",
      proration_date,
      expand: ["latest_invoice"],
    });
    expect(asText(expanded<Stripe.Invoice>(after.latest_invoice))).toEqual(asText(preview));
    const wrong = stripe.subscriptions.update(made.id, {
      items: [{ id: itemOf(made), quantity: 1 }],
      proration_date: made.created - 1,
    });
    expect(await errorOf(wrong)).toMatchObject({ statusCode: 400, param: "proration_date" });
  });

  // Source: API reference, invoice, parent.subscription_details.subscription_proration_date.
  it("says which moment its prorations were worked out for", async () => {
    const made = await subscribe();
    await it_.double.clock.advance({ days: 5 });
    const items = [{ id: itemOf(made), price: pro.id }];
    const dateOf = async (details: Stripe.InvoiceCreatePreviewParams.SubscriptionDetails) => {
      const preview = await stripe.invoices.createPreview({
        subscription: made.id,
        subscription_details: { items, ...details },
      });
      return preview.parent?.subscription_details?.subscription_proration_date;
    };
    expect(await dateOf({})).toBe(made.created + 5 * 86_400);
    const proration_date = made.created + 3 * 86_400;
    expect(await dateOf({ proration_date })).toBe(proration_date);
    expect(await dateOf({ proration_behavior: "none" })).toBeUndefined();
  });

  it("that ends a trial bills the first period", async () => {
    const made = await subscribe({ trial_period_days: 10 });
    const preview = await stripe.invoices.createPreview({
      subscription: made.id,
      subscription_details: { trial_end: "now" },
    });
    expect(preview.total).toBe(6000);
    const after = await stripe.subscriptions.update(made.id, {
      trial_end: "now",
      expand: ["latest_invoice"],
    });
    expect(asText(expanded<Stripe.Invoice>(after.latest_invoice))).toEqual(asText(preview));
  });
});

it("a discount can be taken off a subscription, once (API reference: delete a subscription discount)", async () => {
  await stripe.coupons.create({ id: "HALF", percent_off: 50, duration: "forever" });
  const made = await subscribe({ discounts: [{ coupon: "HALF" }] });
  const gone = await stripe.subscriptions.deleteDiscount(made.id);
  expect(gone).toMatchObject({ object: "discount", deleted: true, subscription: made.id });
  expect((await stripe.subscriptions.retrieve(made.id)).discounts).toEqual([]);
  expect(await errorOf(stripe.subscriptions.deleteDiscount(made.id))).toMatchObject({
    statusCode: 404,
    code: "resource_missing",
  });
  expect((await stripe.invoices.createPreview({ subscription: made.id })).total).toBe(6000);
});
