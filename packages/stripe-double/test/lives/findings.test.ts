/** What the lives found wrong in the double, one by one. */
import type Stripe from "stripe";
import { beforeEach, expect, it } from "vitest";
import { DAY, openShop, payer, type Rig, rig, type Shop } from "../kit.js";

let it_: Rig;
let stripe: Stripe;
let shop: Shop;
let customer: string;

beforeEach(async () => {
  it_ = await rig({ now: "2026-04-01T00:00:00Z" });
  stripe = it_.stripe;
  shop = await openShop(stripe);
  customer = (await payer(stripe)).id;
});

const subscribe = (params: Partial<Stripe.SubscriptionCreateParams> = {}) =>
  stripe.subscriptions.create({ customer, items: [{ price: shop.monthly.id }], ...params });

/** The customer's invoices, oldest first. */
const invoices = async () => (await stripe.invoices.list({ customer })).data.reverse();

it("a coupon for one invoice waits for one that costs something (changelog 2013-10-29)", async () => {
  const { id: coupon } = await stripe.coupons.create({ percent_off: 50, duration: "once" });
  await subscribe({ trial_period_days: 7, discounts: [{ coupon }] });
  await it_.double.clock.advance({ days: 40 });
  expect((await invoices()).map(({ total }) => total)).toEqual([0, 1000, 2000]);
});

it("what waits is collected when a subscription ends with its period (API reference: cancel a subscription)", async () => {
  const made = await subscribe();
  const item = made.items.data[0]?.id ?? "";
  await it_.double.clock.advance({ days: 15 });
  await stripe.subscriptions.update(made.id, { items: [{ id: item, quantity: 2 }] });
  await stripe.invoiceItems.create({ customer, amount: 300, currency: "usd" });
  await stripe.subscriptions.update(made.id, { cancel_at_period_end: true });
  await it_.double.clock.advance({ days: 40 });
  const [first, last, ...more] = await invoices();
  expect(first?.total).toBe(2000);
  expect(last).toMatchObject({ total: -1000 + 2000 + 300, status: "paid", amount_paid: 1300 });
  expect(last?.created).toBe((first?.created ?? 0) + 30 * DAY);
  expect(more).toEqual([]);
  expect((await stripe.subscriptions.retrieve(made.id)).status).toBe("canceled");
});

it("an end that nothing waits for makes no invoice", async () => {
  const made = await subscribe({ cancel_at_period_end: true });
  await it_.double.clock.advance({ days: 40 });
  expect((await invoices()).map(({ id }) => id)).toEqual([made.latest_invoice]);
});

it("the balance that an invoice took comes back when it is void (changelog 2019-12-03)", async () => {
  await stripe.customers.update(customer, { balance: -700 });
  const made = await subscribe({ collection_method: "send_invoice", days_until_due: 7 });
  await it_.double.clock.advance({ hours: 2 });
  const invoice = await stripe.invoices.retrieve(String(made.latest_invoice));
  expect(invoice).toMatchObject({ amount_due: 1300, starting_balance: -700, ending_balance: 0 });
  const balance = async () => {
    const known = await stripe.customers.retrieve(customer);
    return known.deleted ? undefined : known.balance;
  };
  expect(await balance()).toBe(0);
  await stripe.invoices.voidInvoice(invoice.id);
  expect(await balance()).toBe(-700);
  const [last] = (await stripe.customers.listBalanceTransactions(customer)).data;
  expect(last).toMatchObject({ type: "unapplied_from_invoice", amount: -700, invoice: invoice.id });
});

it("what a change without prorations left of a longer period is not credited later (docs: prorations, none)", async () => {
  const made = await subscribe({ items: [{ price: shop.yearly.id }] });
  const item = made.items.data[0]?.id ?? "";
  await it_.double.clock.advance({ days: 15 });
  await stripe.subscriptions.update(made.id, {
    items: [{ id: item, price: shop.monthly.id }],
    proration_behavior: "none",
  });
  const dearer = await stripe.prices.create({
    product: shop.product.id,
    currency: "usd",
    unit_amount: 3000,
    recurring: { interval: "month" },
  });
  await it_.double.clock.advance({ days: 15 });
  await stripe.subscriptions.update(made.id, {
    items: [{ price: dearer.id }],
    proration_behavior: "always_invoice",
  });
  const totals = (await invoices()).map(({ total }) => total);
  expect(totals).toEqual([20_000, 2000, 1500]);
});
