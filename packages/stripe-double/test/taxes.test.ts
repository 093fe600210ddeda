/**
 * Taxes. Sources: docs tax/tax-rates and invoicing/taxes/tax-rates (rates of items before defaults,
 * at most five), support "Inclusive and exclusive tax options" (600 + 10% is 660, or stays 600), docs
 * billing/taxes/collect-taxes (automatic tax of subscriptions), docs tax/customer-locations.
 */
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { type TaxRate, taxesOn } from "../src/billing/taxes/taxes.js";
import { errorOf, openShop, payer, type Rig, raisedBy, rig } from "./kit.js";

const rate = (percentage: number, inclusive = false): TaxRate =>
  ({ id: `txr_${percentage}`, percentage, inclusive }) as TaxRate;

it.each([
  ["on top", 60_000, [rate(10)], [6000]],
  ["inside the price", 60_000, [rate(10, true)], [5455]],
  ["half a cent up", 50, [rate(5)], [3]],
  ["half a cent of a credit down", -50, [rate(5)], [-3]],
  ["with four decimals", 1999, [rate(8.8752)], [177]],
  ["each on the amount, not on the other", 10_000, [rate(5), rate(9.975)], [500, 998]],
  ["two inside the price", 11_500, [rate(5, true), rate(10, true)], [500, 1000]],
  ["on nothing", 0, [rate(20)], [0]],
])("tax %s", (_, amount, rates, taxes) => {
  expect(taxesOn(amount, rates).map((tax) => tax.amount)).toEqual(taxes);
});

const ADDRESS = { country: "DE", postal_code: "10115" };

/** A customer in Germany with a card. */
async function german(stripe: Stripe): Promise<string> {
  const { id } = await payer(stripe);
  await stripe.customers.update(id, { address: ADDRESS });
  return id;
}

const newRate = (stripe: Stripe, percentage: number, inclusive = false) =>
  stripe.taxRates.create({ display_name: "VAT", percentage, inclusive });

async function latestInvoice(stripe: Stripe, customer: string): Promise<Stripe.Invoice> {
  const [invoice] = (await stripe.invoices.list({ customer })).data;
  if (invoice === undefined) throw new Error("There is no invoice");
  return invoice;
}

/** The amounts that a total is made of. */
const sums = ({
  subtotal,
  subtotal_excluding_tax: net,
  total_excluding_tax: less,
  total_taxes: taxes,
  total,
  amount_due: due,
}: Stripe.Invoice) => ({
  subtotal,
  net,
  less,
  taxes: taxes?.map(({ amount }) => amount),
  total,
  due,
});

describe("tax rates", () => {
  it("are made, changed and listed, and never deleted", async () => {
    const { stripe } = await rig();
    const made = await newRate(stripe, 19.5);
    expect(made).toMatchObject({ percentage: 19.5, inclusive: false, active: true });
    const raised = await raisedBy(stripe, () =>
      stripe.taxRates.update(made.id, {
        active: false,
        display_name: "MwSt",
        metadata: { a: "1" },
      }),
    );
    expect(raised).toEqual(["tax_rate.updated"]);
    expect(await stripe.taxRates.retrieve(made.id)).toMatchObject({ display_name: "MwSt" });
    const other = await newRate(stripe, 7, true);
    expect((await stripe.taxRates.list({ active: true })).data).toEqual([other]);
    expect((await stripe.taxRates.list({ inclusive: false })).data[0]?.id).toBe(made.id);
  });

  it("on a subscription are on each of its invoices, after the discount and with prorations", async () => {
    const { stripe, double } = await rig();
    const { monthly } = await openShop(stripe);
    const customer = await german(stripe);
    const vat = await newRate(stripe, 20);
    const coupon = await stripe.coupons.create({ percent_off: 25, duration: "forever" });
    const subscription = await stripe.subscriptions.create({
      customer,
      items: [{ price: monthly.id }],
      default_tax_rates: [vat.id],
      discounts: [{ coupon: coupon.id }],
    });
    expect(subscription.default_tax_rates?.map(({ id }) => id)).toEqual([vat.id]);
    const first = await latestInvoice(stripe, customer);
    expect(sums(first)).toEqual({
      subtotal: 2000,
      net: 2000,
      less: 1500,
      taxes: [300],
      total: 1800,
      due: 1800,
    });
    expect(first.total_taxes?.[0]).toEqual({
      amount: 300,
      tax_behavior: "exclusive",
      tax_rate_details: { tax_rate: vat.id },
      taxability_reason: "not_available",
      taxable_amount: 1500,
      type: "tax_rate_details",
    });
    await double.clock.advance({ seconds: (31 * 86_400) / 2 });
    await stripe.subscriptions.update(subscription.id, {
      items: [{ id: subscription.items.data[0]?.id ?? "", price: monthly.id, quantity: 2 }],
      proration_behavior: "always_invoice",
    });
    // −750 + 1500 for the second half, and 20% of it.
    expect(sums(await latestInvoice(stripe, customer))).toMatchObject({
      less: 750,
      taxes: [150],
      total: 900,
      due: 900,
    });
  });

  it("of an item come before those of its subscription, and a price may include them", async () => {
    const { stripe } = await rig();
    const { monthly } = await openShop(stripe);
    const customer = await german(stripe);
    const [vat, included] = [await newRate(stripe, 20), await newRate(stripe, 25, true)];
    await stripe.subscriptions.create({
      customer,
      items: [{ price: monthly.id, tax_rates: [included.id] }],
      default_tax_rates: [vat.id],
    });
    expect(sums(await latestInvoice(stripe, customer))).toEqual({
      subtotal: 2000,
      net: 1600,
      less: 1600,
      taxes: [400],
      total: 2000,
      due: 2000,
    });
  });

  it("are not for an exempt customer, and not when archived", async () => {
    const { stripe } = await rig();
    const { monthly } = await openShop(stripe);
    const customer = await german(stripe);
    await stripe.customers.update(customer, { tax_exempt: "reverse" });
    const vat = await newRate(stripe, 20);
    const items = [{ price: monthly.id }];
    const subscribe = () =>
      stripe.subscriptions.create({ customer, items, default_tax_rates: [vat.id] });
    await subscribe();
    const { total, total_taxes: taxes } = await latestInvoice(stripe, customer);
    expect([total, taxes?.[0]?.amount, taxes?.[0]?.taxability_reason]).toEqual([
      2000,
      0,
      "reverse_charge",
    ]);
    await stripe.taxRates.update(vat.id, { active: false });
    expect((await errorOf(subscribe())).message).toContain("archived");
  });
});

describe("automatic tax", () => {
  const TAXED = { tax: { rate: 0.19 } };

  it("is one rate of the double, on top of a price or inside it, as the price says", async () => {
    const { stripe } = await rig(TAXED);
    const { product, monthly } = await openShop(stripe);
    const inclusive = await stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount: 2380,
      tax_behavior: "inclusive",
      recurring: { interval: "month" },
    });
    const customer = await german(stripe);
    const subscription = await stripe.subscriptions.create({
      customer,
      items: [{ price: monthly.id }, { price: inclusive.id }],
      automatic_tax: { enabled: true },
    });
    expect(subscription.automatic_tax).toMatchObject({
      enabled: true,
      liability: { type: "self" },
    });
    const invoice = await latestInvoice(stripe, customer);
    expect(invoice.automatic_tax).toMatchObject({ enabled: true, status: "complete" });
    expect(sums(invoice)).toEqual({
      subtotal: 4380,
      net: 4000,
      less: 4000,
      taxes: [380, 380],
      total: 4760,
      due: 4760,
    });
    expect((await stripe.taxRates.list({ active: true })).data).toEqual([]);
    const preview = await stripe.invoices.createPreview({ subscription: subscription.id });
    expect(sums(preview)).toEqual(sums(invoice));
  });

  it("needs to know where the customer is", async () => {
    const { stripe } = await rig(TAXED);
    const { monthly } = await openShop(stripe);
    const { id: customer } = await payer(stripe);
    const items = [{ price: monthly.id }];
    const automatic_tax = { enabled: true };
    for (const call of [
      stripe.subscriptions.create({ customer, items, automatic_tax }),
      stripe.invoices.create({ customer, automatic_tax }),
      stripe.customers.update(customer, { tax: { validate_location: "immediately" } }),
    ]) {
      expect((await errorOf(call)).code).toBe("customer_tax_location_invalid");
    }
    const taxOf = async () =>
      (await stripe.customers.retrieve(customer, { expand: ["tax"] })) as Stripe.Customer;
    expect((await taxOf()).tax).toMatchObject({
      automatic_tax: "unrecognized_location",
      location: null,
    });
    await stripe.customers.update(customer, { address: { country: "US" } });
    expect((await taxOf()).tax?.automatic_tax).toBe("unrecognized_location");
    await stripe.customers.update(customer, { address: { country: "US", postal_code: "94110" } });
    expect((await taxOf()).tax).toEqual({
      automatic_tax: "supported",
      ip_address: null,
      location: { country: "US", source: "billing_address", state: null },
      provider: "stripe",
    });
  });

  it("is not mixed with rates by hand, and can be turned on later", async () => {
    const { stripe } = await rig(TAXED);
    const { monthly } = await openShop(stripe);
    const customer = await german(stripe);
    const vat = await newRate(stripe, 20);
    const mixed = stripe.subscriptions.create({
      customer,
      items: [{ price: monthly.id }],
      automatic_tax: { enabled: true },
      default_tax_rates: [vat.id],
    });
    expect((await errorOf(mixed)).statusCode).toBe(400);
    const { id } = await stripe.subscriptions.create({ customer, items: [{ price: monthly.id }] });
    await stripe.subscriptions.update(id, { automatic_tax: { enabled: true } });
    const preview = await stripe.invoices.createPreview({ subscription: id });
    expect(preview.total).toBe(2380);
  });

  it("collects nothing unless the double is given a rate", async () => {
    const { stripe } = await rig();
    const { monthly } = await openShop(stripe);
    const customer = await german(stripe);
    const items = [{ price: monthly.id }];
    await stripe.subscriptions.create({ customer, items, automatic_tax: { enabled: true } });
    expect(sums(await latestInvoice(stripe, customer))).toMatchObject({ taxes: [], total: 2000 });
  });
});

describe("a checkout with taxes", () => {
  const URLS = { success_url: "https://e.example/ok" };

  async function buy(it: Rig, params: Partial<Stripe.Checkout.SessionCreateParams>) {
    const { stripe, double } = it;
    const opened = await stripe.checkout.sessions.create({
      mode: "subscription",
      ...URLS,
      ...params,
    });
    double.dashboard.payCheckout(opened.id, { email: "ada@example.com" });
    return { opened, paid: await stripe.checkout.sessions.retrieve(opened.id) };
  }

  it("knows the automatic tax once it knows the address", async () => {
    const it = await rig({ tax: { rate: 0.2 } });
    const { monthly } = await openShop(it.stripe);
    const { opened, paid } = await buy(it, {
      line_items: [{ price: monthly.id, quantity: 2 }],
      automatic_tax: { enabled: true },
    });
    expect(opened).toMatchObject({
      amount_total: 4000,
      automatic_tax: { enabled: true, status: "requires_location_inputs" },
      total_details: { amount_tax: 0 },
    });
    expect(paid).toMatchObject({
      amount_subtotal: 4000,
      amount_total: 4800,
      automatic_tax: { status: "complete" },
      total_details: { amount_tax: 800 },
    });
    const invoice = await latestInvoice(it.stripe, String(paid.customer));
    expect([invoice.total, invoice.amount_paid, invoice.automatic_tax.enabled]).toEqual([
      4800,
      4800,
      true,
    ]);
  });

  it("asks for the address of a customer who is there already", async () => {
    const it = await rig({ tax: { rate: 0.2 } });
    const { monthly } = await openShop(it.stripe);
    const { id: customer } = await payer(it.stripe);
    const ask = (more: Partial<Stripe.Checkout.SessionCreateParams>) =>
      it.stripe.checkout.sessions.create({
        mode: "subscription",
        customer,
        line_items: [{ price: monthly.id, quantity: 1 }],
        automatic_tax: { enabled: true },
        ...URLS,
        ...more,
      });
    expect((await errorOf(ask({}))).message).toContain("requires a valid address on the Customer");
    expect((await ask({ customer_update: { address: "auto" } })).status).toBe("open");
    await it.stripe.customers.update(customer, { address: ADDRESS });
    expect(await ask({})).toMatchObject({
      amount_total: 2400,
      automatic_tax: { status: "complete" },
    });
  });

  it("takes the rates of its lines, after a discount", async () => {
    const it = await rig();
    const { product, monthly } = await openShop(it.stripe);
    const vat = await newRate(it.stripe, 10);
    const coupon = await it.stripe.coupons.create({ percent_off: 50, duration: "once" });
    const { paid } = await buy(it, {
      line_items: [
        { price: monthly.id, quantity: 1, tax_rates: [vat.id] },
        {
          quantity: 1,
          price_data: { currency: "usd", product: product.id, unit_amount: 1000 },
        },
      ],
      discounts: [{ coupon: coupon.id }],
    });
    // 2000 + 1000, half of it off, and 10% of the first half.
    expect(paid).toMatchObject({ amount_total: 1600, total_details: { amount_tax: 100 } });
    expect(await latestInvoice(it.stripe, String(paid.customer))).toMatchObject({ total: 1600 });
    const once = await buy(it, {
      mode: "payment",
      line_items: [
        {
          quantity: 1,
          price_data: { currency: "usd", product: product.id, unit_amount: 1000 },
          tax_rates: [vat.id],
        },
      ],
    });
    const [payment] = (await it.stripe.paymentIntents.list({ limit: 1 })).data;
    expect([once.opened.amount_total, payment?.amount]).toEqual([1100, 1100]);
  });
});

describe("tax ids", () => {
  it("of a customer are on its invoices, and are looked up in a register", async () => {
    const { stripe, double } = await rig();
    const customer = await stripe.customers.create({
      tax_id_data: [{ type: "eu_vat", value: "DE123456789" }],
      expand: ["tax_ids"],
    });
    expect(customer.tax_ids?.data[0]).toMatchObject({
      country: "DE",
      type: "eu_vat",
      value: "DE123456789",
      verification: { status: "pending" },
    });
    await double.settle();
    const [known] = (await stripe.customers.listTaxIds(customer.id)).data;
    expect(known?.verification?.status).toBe("verified");
    const us = await stripe.customers.createTaxId(customer.id, {
      type: "us_ein",
      value: "12-3456789",
    });
    expect(us.verification?.status).toBe("unavailable");
    const invoice = await stripe.invoices.create({ customer: customer.id });
    expect(invoice.customer_tax_ids).toEqual([
      { type: "eu_vat", value: "DE123456789" },
      { type: "us_ein", value: "12-3456789" },
    ]);
    const raised = await raisedBy(stripe, () => stripe.customers.deleteTaxId(customer.id, us.id));
    expect(raised).toEqual(["customer.tax_id.deleted"]);
    expect((await errorOf(stripe.taxIds.retrieve(us.id))).statusCode).toBe(404);
  });

  it("without an owner are the account's own", async () => {
    const { stripe } = await rig();
    const { id: customer } = await stripe.customers.create({});
    const theirs = await stripe.customers.createTaxId(customer, { type: "gb_vat", value: "GB1" });
    const own = await stripe.taxIds.create({ type: "eu_vat", value: "DE000000000" });
    expect((await stripe.taxIds.list()).data.map(({ id }) => id)).toEqual([own.id]);
    const listed = await stripe.taxIds.list({ owner: { type: "customer", customer } });
    expect(listed.data.map(({ id }) => id)).toEqual([theirs.id]);
  });
});
