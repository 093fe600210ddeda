// Sources: the types of the SDK; docs.stripe.com/quotes/overview for the statuses, the number and
// what an open quote lets one change; samples of Stripe's API reference for the amounts.
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import {
  DAY,
  errorOf,
  expanded,
  idsOf,
  openShop,
  payer,
  type Rig,
  raisedBy,
  rig,
  START,
} from "./kit.js";

interface Quoting extends Rig {
  readonly customer: Stripe.Customer;
  /** 20 dollars a month. */
  readonly monthly: string;
  /** 9 dollars. */
  readonly once: string;
  /** A quote for the customer, 20 dollars a month for two unless told otherwise. */
  quote(params?: Stripe.QuoteCreateParams): Promise<Stripe.Quote>;
}

async function quoting(): Promise<Quoting> {
  const it = await rig();
  const { product, monthly } = await openShop(it.stripe);
  const customer = await payer(it.stripe);
  const once = await it.stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 900,
  });
  return {
    ...it,
    customer,
    monthly: monthly.id,
    once: once.id,
    quote: (params) =>
      it.stripe.quotes.create({
        customer: customer.id,
        line_items: [{ price: monthly.id, quantity: 2 }],
        ...params,
      }),
  };
}

describe("a quote", () => {
  it("begins as a draft for 30 days, with what it comes to now and later", async () => {
    const { quote, customer, monthly, once, stripe } = await quoting();
    const made = await quote({
      line_items: [{ price: monthly, quantity: 2 }, { price: once }],
      metadata: { deal: "7" },
    });
    expect(made).toMatchObject({
      object: "quote",
      amount_subtotal: 4900,
      amount_total: 4900,
      collection_method: "charge_automatically",
      computed: {
        recurring: { amount_total: 4000, interval: "month", interval_count: 1 },
        upfront: { amount_subtotal: 4900, amount_total: 4900 },
      },
      created: START,
      currency: "usd",
      customer: customer.id,
      expires_at: START + 30 * DAY,
      invoice: null,
      metadata: { deal: "7" },
      number: null,
      status: "draft",
      subscription: null,
      subscription_data: { billing_mode: { type: "flexible" }, trial_period_days: null },
    });
    expect(made).not.toHaveProperty("line_items");
    const whole = await stripe.quotes.retrieve(made.id, { expand: ["line_items", "customer"] });
    const lines = await stripe.quotes.listLineItems(made.id);
    expect(whole.line_items && idsOf(whole.line_items)).toEqual(idsOf(lines));
    expect(lines.data).toMatchObject([
      { amount_total: 4000, price: { id: monthly }, quantity: 2 },
      { amount_total: 900, price: { id: once }, quantity: 1 },
    ]);
  });

  it("takes nothing at first for a trial, and a discount off what it is for", async () => {
    const { quote, once, stripe } = await quoting();
    const trial = await quote({ subscription_data: { trial_period_days: 7 } });
    expect(trial.computed).toMatchObject({
      recurring: { amount_total: 4000 },
      upfront: { amount_total: 0 },
    });
    const upfront = await stripe.quotes.listComputedUpfrontLineItems(trial.id);
    expect(upfront.data).toMatchObject([{ amount_total: 0, quantity: 2 }]);
    await stripe.coupons.create({ id: "ONCE", percent_off: 25, duration: "once" });
    await stripe.coupons.create({ id: "ALWAYS", percent_off: 25, duration: "forever" });
    const short = await quote({ discounts: [{ coupon: "ONCE" }] });
    expect(short).toMatchObject({
      amount_subtotal: 4000,
      amount_total: 3000,
      discounts: [expect.stringMatching(/^di_/)],
      computed: { recurring: { amount_total: 4000 }, upfront: { amount_total: 3000 } },
      total_details: { amount_discount: 1000 },
    });
    const long = await quote({ discounts: [{ coupon: "ALWAYS" }] });
    expect(long.computed.recurring?.amount_total).toBe(3000);
    const plain = await quote({ line_items: [{ price: once }] });
    expect(plain.computed.recurring).toBeNull();
    expect((await stripe.coupons.retrieve("ONCE")).times_redeemed).toBe(0);
  });

  it("changes while it is a draft, without an event; once open, only its end", async () => {
    const { quote, once, stripe } = await quoting();
    const { id } = await quote();
    const [line] = (await stripe.quotes.listLineItems(id)).data;
    const raised = await raisedBy(stripe, async () => {
      const changed = await stripe.quotes.update(id, {
        description: "Two engines",
        line_items: [{ id: line?.id ?? "", quantity: 3 }, { price: once }],
        metadata: { a: "1" },
      });
      expect(changed).toMatchObject({ amount_total: 6900, description: "Two engines" });
      expect((await stripe.quotes.update(id, { header: "Offer" })).amount_total).toBe(6900);
      await stripe.quotes.finalizeQuote(id);
      const later = await stripe.quotes.update(id, { expires_at: START + DAY });
      expect(later).toMatchObject({ expires_at: START + DAY, status: "open" });
    });
    expect(raised).toEqual(["quote.finalized"]);
    expect((await stripe.quotes.listLineItems(id)).data[0]?.id).toBe(line?.id);
    const late = await errorOf(stripe.quotes.update(id, { description: "Three" }));
    expect(late).toMatchObject({ statusCode: 400 });
    expect((await stripe.quotes.retrieve(id)).description).toBe("Two engines");
  });

  it("gets its number when it is finalized, for which it needs a customer and lines", async () => {
    const { quote, customer, stripe, monthly } = await quoting();
    const bare = await stripe.quotes.create({ line_items: [{ price: monthly }] });
    expect(await errorOf(stripe.quotes.finalizeQuote(bare.id))).toMatchObject({
      param: "customer",
    });
    await stripe.quotes.update(bare.id, { customer: customer.id });
    const first = await stripe.quotes.finalizeQuote(bare.id, { expires_at: START + 9 * DAY });
    expect(first).toMatchObject({
      expires_at: START + 9 * DAY,
      number: `QT-${customer.invoice_prefix}-0001-1`,
      status: "open",
      status_transitions: { accepted_at: null, canceled_at: null, finalized_at: START },
    });
    const second = await stripe.quotes.finalizeQuote((await quote()).id);
    expect(second.number).toBe(`QT-${customer.invoice_prefix}-0002-1`);
    const empty = await quote({ line_items: [] });
    expect(await errorOf(stripe.quotes.finalizeQuote(empty.id))).toMatchObject({
      param: "line_items",
    });
    expect(await errorOf(stripe.quotes.accept(empty.id))).toMatchObject({ statusCode: 400 });
  });

  it("is refused what cannot be, and leaves nothing behind", async () => {
    const { quote, customer, stripe, double } = await quoting();
    for (const [params, param] of [
      [{ customer: "cus_none" }, "customer"],
      [{ expires_at: START }, "expires_at"],
      [{ line_items: [{ price: "price_none" }] }, "line_items[0][price]"],
      [{ collection_method: "send_invoice" }, "invoice_settings[days_until_due]"],
      [{ discounts: [{ coupon: "NONE" }] }, "discounts[0][coupon]"],
    ] as const) {
      expect(await errorOf(quote(params as never))).toMatchObject({ param });
    }
    const unmodelled = quote({ subscription_data: { effective_date: START + DAY } });
    expect(await errorOf(unmodelled)).toMatchObject({ statusCode: 501 });
    expect(double.objects("quote")).toEqual([]);
    const { id } = await quote();
    const other = await stripe.customers.create({});
    expect(await errorOf(stripe.quotes.update(id, { customer: other.id }))).toMatchObject({
      param: "customer",
    });
    expect((await stripe.quotes.retrieve(id)).customer).toBe(customer.id);
  });
});

describe("an accepted quote", () => {
  it("starts a subscription, whose first invoice is a draft for an hour", async () => {
    const { double, quote, monthly, once, stripe } = await quoting();
    await stripe.coupons.create({ id: "ONCE", percent_off: 25, duration: "once" });
    const { id } = await quote({
      line_items: [{ price: monthly, quantity: 2 }, { price: once }],
      discounts: [{ coupon: "ONCE" }],
      subscription_data: { description: "Engines", metadata: { deal: "7" } },
    });
    await stripe.quotes.finalizeQuote(id);
    const raised = await raisedBy(stripe, () => stripe.quotes.accept(id));
    expect(raised).toContain("customer.subscription.created");
    expect(raised.at(-1)).toBe("quote.accepted");
    const accepted = await stripe.quotes.retrieve(id, { expand: ["subscription", "invoice"] });
    expect(accepted).toMatchObject({
      status: "accepted",
      status_transitions: { accepted_at: START },
      invoice: {
        amount_due: accepted.amount_total,
        billing_reason: "subscription_create",
        status: "draft",
      },
      subscription: {
        status: "active",
        description: "Engines",
        metadata: { deal: "7" },
        items: { data: [{ price: { id: monthly }, quantity: 2 }] },
      },
    });
    expect(accepted.amount_total).toBe(3675);
    expect((await stripe.coupons.retrieve("ONCE")).times_redeemed).toBe(1);
    await double.clock.advance({ hours: 2 });
    const invoice = await stripe.invoices.retrieve(expanded(accepted.invoice as Stripe.Invoice).id);
    expect(invoice).toMatchObject({ amount_paid: 3675, status: "paid" });
    expect(await errorOf(stripe.quotes.accept(id))).toMatchObject({ statusCode: 400 });
    expect(await errorOf(stripe.quotes.cancel(id))).toMatchObject({ statusCode: 400 });
  });

  it("gives the days to pay, and the trial, to the subscription", async () => {
    const { quote, stripe } = await quoting();
    const { id } = await quote({
      collection_method: "send_invoice",
      invoice_settings: { days_until_due: 14 },
      subscription_data: { trial_period_days: 7 },
    });
    await stripe.quotes.finalizeQuote(id);
    await stripe.quotes.accept(id);
    const { subscription } = await stripe.quotes.retrieve(id, { expand: ["subscription"] });
    expect(subscription).toMatchObject({
      collection_method: "send_invoice",
      days_until_due: 14,
      status: "trialing",
      trial_end: START + 7 * DAY,
    });
  });

  it("makes the draft of an invoice where nothing recurs", async () => {
    const { quote, once, stripe } = await quoting();
    const { id } = await quote({ line_items: [{ price: once, quantity: 3 }] });
    await stripe.quotes.finalizeQuote(id);
    const accepted = await stripe.quotes.accept(id, { expand: ["invoice"] });
    expect(accepted).toMatchObject({
      subscription: null,
      invoice: {
        amount_due: 2700,
        auto_advance: false,
        billing_reason: "quote_accept",
        parent: { quote_details: { quote: id }, type: "quote_details" },
        status: "draft",
      },
    });
    const { id: invoice = "" } = expanded(accepted.invoice as Stripe.Invoice);
    await stripe.invoices.finalizeInvoice(invoice);
    expect(await stripe.invoices.pay(invoice)).toMatchObject({ status: "paid", amount_paid: 2700 });
  });
});

describe("a quote that is not accepted", () => {
  it("is canceled by request, or when its time is over, and stays so", async () => {
    const { double, quote, stripe } = await quoting();
    const [asked, draft, open, longer] = [
      await quote(),
      await quote(),
      await quote(),
      await quote(),
    ];
    const canceled = await stripe.quotes.cancel(asked.id);
    expect(canceled).toMatchObject({
      status: "canceled",
      status_transitions: { canceled_at: START },
    });
    await stripe.quotes.finalizeQuote(open.id, { expires_at: START + DAY });
    await stripe.quotes.update(longer.id, { expires_at: START + 40 * DAY });
    const raised = await raisedBy(stripe, () => double.clock.advance({ days: 29 }));
    expect(raised.filter((type) => type.startsWith("quote."))).toEqual(["quote.canceled"]);
    expect(await stripe.quotes.retrieve(open.id)).toMatchObject({
      status: "canceled",
      status_transitions: { canceled_at: START + DAY },
    });
    expect((await stripe.quotes.retrieve(draft.id)).status).toBe("draft");
    await double.clock.advance({ days: 2 });
    expect((await stripe.quotes.retrieve(draft.id)).status).toBe("canceled");
    expect((await stripe.quotes.retrieve(longer.id)).status).toBe("draft");
    expect(await errorOf(stripe.quotes.accept(open.id))).toMatchObject({ statusCode: 400 });
  });
});

describe("the list of quotes", () => {
  it("is by customer and status, and leaves out those of test clocks unless asked", async () => {
    const { quote, customer, monthly, stripe } = await quoting();
    const [first, second] = [await quote(), await quote()];
    await stripe.quotes.finalizeQuote(first.id);
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: START + 5 * DAY });
    const clocked = await stripe.customers.create({ test_clock: clock.id });
    const hidden = await stripe.quotes.create({
      customer: clocked.id,
      line_items: [{ price: monthly }],
    });
    expect(hidden).toMatchObject({ test_clock: clock.id, expires_at: START + 35 * DAY });
    const list = async (params: Stripe.QuoteListParams) => idsOf(await stripe.quotes.list(params));
    expect(await list({})).toEqual([second.id, first.id]);
    expect(await list({ status: "open" })).toEqual([first.id]);
    expect(await list({ customer: customer.id })).toEqual([second.id, first.id]);
    expect(await list({ customer: clocked.id })).toEqual([hidden.id]);
    expect(await list({ test_clock: clock.id })).toEqual([hidden.id]);
    const created = stripe.rawRequest("GET", "/v1/quotes?created=1");
    expect(await errorOf(created)).toMatchObject({ code: "parameter_unknown" });
    expect(await errorOf(stripe.quotes.pdf(first.id))).toMatchObject({ statusCode: 501 });
  });
});
