import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { settle } from "../src/billing/invoices/totals.js";
import { DAY, errorOf, openShop, payer, type Rig, raisedBy, rig, START } from "./kit.js";

let it_: Rig;
let stripe: Stripe;
let customer: Stripe.Customer;

beforeEach(async () => {
  it_ = await rig();
  stripe = it_.stripe;
  customer = await payer(stripe);
});

/** A draft over this amount. */
async function draft(
  amount: number,
  params: Partial<Stripe.InvoiceCreateParams> = {},
): Promise<string> {
  const owner = params.customer ?? customer.id;
  await stripe.invoiceItems.create({ customer: owner, amount, currency: "usd" });
  const invoice = await stripe.invoices.create({
    customer: owner,
    pending_invoice_items_behavior: "include",
    ...params,
  });
  return invoice.id ?? "";
}
const invoice = (id: string) => stripe.invoices.retrieve(id);

describe("an invoice made by hand", () => {
  it("is a draft, then open with a number, then paid", async () => {
    const id = await draft(1500, { description: "Repairs", metadata: { job: "9" } });
    expect(await invoice(id)).toMatchObject({
      status: "draft",
      number: null,
      total: 1500,
      billing_reason: "manual",
      auto_advance: false,
      description: "Repairs",
      metadata: { job: "9" },
      parent: null,
      hosted_invoice_url: null,
    });
    const finalized = await raisedBy(stripe, () => stripe.invoices.finalizeInvoice(id));
    expect(finalized).toEqual(["customer.updated", "payment_intent.created", "invoice.finalized"]);
    expect(await invoice(id)).toMatchObject({
      status: "open",
      number: expect.stringMatching(/-0001$/),
      status_transitions: { finalized_at: START },
    });
    expect((await errorOf(stripe.invoices.finalizeInvoice(id))).statusCode).toBe(400);
    await it_.double.clock.advance({ minutes: 1 });
    const paid = await raisedBy(stripe, () => stripe.invoices.pay(id));
    expect(paid.filter((type) => type.startsWith("invoice"))).toEqual([
      "invoice_payment.paid",
      "invoice.updated",
      "invoice.paid",
      "invoice.payment_succeeded",
    ]);
    expect(await invoice(id)).toMatchObject({
      status: "paid",
      amount_paid: 1500,
      amount_remaining: 0,
      attempt_count: 1,
      status_transitions: { paid_at: START + 60 },
    });
    expect(await errorOf(stripe.invoices.pay(id))).toMatchObject({ code: "invoice_already_paid" });
    const [charge] = (await stripe.charges.list()).data;
    expect(charge).toMatchObject({ amount: 1500, customer: customer.id, status: "succeeded" });
  });

  it("is paid at once when nothing is due", async () => {
    const { id = "" } = await stripe.invoices.create({ customer: customer.id });
    const raised = await raisedBy(stripe, () => stripe.invoices.finalizeInvoice(id));
    expect(raised).toEqual([
      "customer.updated",
      "invoice.finalized",
      "invoice.paid",
      "invoice.payment_succeeded",
    ]);
    expect((await invoice(id)).status).toBe("paid");
    expect((await stripe.paymentIntents.list()).data).toEqual([]);
  });

  it("that advances by itself is finalized in an hour and collected", async () => {
    const id = await draft(900, { auto_advance: true });
    expect((await invoice(id)).automatically_finalizes_at).toBe(START + 3600);
    await it_.double.clock.advance({ minutes: 59 });
    expect((await invoice(id)).status).toBe("draft");
    await it_.double.clock.advance({ minutes: 1 });
    expect((await invoice(id)).status).toBe("paid");
    const stopped = await draft(900, { auto_advance: true });
    await stripe.invoices.update(stopped, { auto_advance: false });
    const started = await draft(900);
    await stripe.invoices.update(started, { auto_advance: true });
    await it_.double.clock.advance({ hours: 2 });
    expect((await invoice(stopped)).status).toBe("draft");
    expect((await invoice(started)).status).toBe("paid");
    const now = await draft(900);
    await stripe.invoices.finalizeInvoice(now, { auto_advance: true });
    await it_.double.settle();
    expect((await invoice(now)).status).toBe("paid");
  });

  it("takes only what it is told to take", async () => {
    await stripe.invoiceItems.create({ customer: customer.id, amount: 700, currency: "usd" });
    const without = await stripe.invoices.create({ customer: customer.id });
    expect(without.lines.data).toEqual([]);
    const withIt = await stripe.invoices.create({
      customer: customer.id,
      pending_invoice_items_behavior: "include",
    });
    expect(withIt.total).toBe(700);
    const { product, monthly } = await openShop(stripe);
    const once = await stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount: 2000,
    });
    const add = (price: string) =>
      stripe.invoiceItems.create({ customer: customer.id, pricing: { price }, quantity: 3 });
    expect(await add(once.id)).toMatchObject({
      amount: 6000,
      pricing: { price_details: { price: once.id } },
    });
    expect((await errorOf(add(monthly.id))).message).toContain("only accepts prices with");
    const bare = stripe.invoiceItems.create({ customer: customer.id });
    expect((await errorOf(bare)).code).toBe("parameter_missing");
  });

  it("can be changed, and deleted while it is a draft", async () => {
    const id = await draft(100);
    const raised = await raisedBy(stripe, () =>
      stripe.invoices.update(id, { description: "New", metadata: { a: "1" } }),
    );
    expect(raised).toEqual(["invoice.updated"]);
    expect(
      await raisedBy(stripe, () => stripe.invoices.update(id, { description: "New" })),
    ).toEqual([]);
    expect(await stripe.invoices.del(id)).toMatchObject({ id, deleted: true });
    expect((await errorOf(invoice(id))).statusCode).toBe(404);
    const open = await draft(100);
    await stripe.invoices.finalizeInvoice(open);
    expect((await errorOf(stripe.invoices.del(open))).statusCode).toBe(400);
  });
});

describe("an invoice that is not paid by card", () => {
  it("is sent with a day by which it is due", async () => {
    const params = { collection_method: "send_invoice", days_until_due: 10 } as const;
    const id = await draft(4000, params);
    const raised = await raisedBy(stripe, () => stripe.invoices.sendInvoice(id));
    expect(raised.slice(-2)).toEqual(["invoice.finalized", "invoice.sent"]);
    expect(await invoice(id)).toMatchObject({ status: "open", due_date: START + 10 * DAY });
    expect((await stripe.paymentIntents.list()).data).toEqual([]);
    const dateless = stripe.invoices.create({
      customer: customer.id,
      collection_method: "send_invoice",
    });
    expect((await errorOf(dateless)).param).toBe("days_until_due");
    const automatic = await draft(100);
    expect((await errorOf(stripe.invoices.sendInvoice(automatic))).statusCode).toBe(400);
  });

  it("can be paid elsewhere, which cancels the payment that waits for it", async () => {
    const id = await draft(4000);
    await stripe.invoices.finalizeInvoice(id);
    const paid = await stripe.invoices.pay(id, { paid_out_of_band: true });
    expect(paid.status).toBe("paid");
    expect((await stripe.paymentIntents.list()).data).toMatchObject([{ status: "canceled" }]);
    const { payments } = await stripe.invoices.retrieve(id, { expand: ["payments"] });
    expect(payments?.data).toMatchObject([{ status: "canceled", amount_paid: null }]);
  });

  it("can be void, or given up and void after all", async () => {
    const id = await draft(4000);
    expect((await errorOf(stripe.invoices.voidInvoice(id))).statusCode).toBe(400);
    await stripe.invoices.finalizeInvoice(id);
    const given = await raisedBy(stripe, () => stripe.invoices.markUncollectible(id));
    expect(given).toContain("invoice.marked_uncollectible");
    expect((await invoice(id)).status_transitions.marked_uncollectible_at).toBe(START);
    const raised = await raisedBy(stripe, () => stripe.invoices.voidInvoice(id));
    expect(raised).toContain("invoice.voided");
    expect(raised).toContain("payment_intent.canceled");
    expect(await invoice(id)).toMatchObject({
      status: "void",
      status_transitions: { voided_at: START },
    });
    expect((await errorOf(stripe.invoices.pay(id))).statusCode).toBe(400);
    expect((await errorOf(stripe.invoices.markUncollectible(id))).statusCode).toBe(400);
  });

  it("tells when a card is declined, and can be paid with another", async () => {
    const broke = await payer(stripe, "pm_card_chargeCustomerFail");
    const id = await draft(4000, { customer: broke.id });
    await stripe.invoices.finalizeInvoice(id);
    expect(await errorOf(stripe.invoices.pay(id))).toMatchObject({
      statusCode: 402,
      type: "StripeCardError",
      code: "card_declined",
    });
    expect(await invoice(id)).toMatchObject({ status: "open", attempt_count: 1, attempted: true });
    // A further attempt that a person makes is not counted, so it changes nothing.
    const raised = await raisedBy(stripe, () => errorOf(stripe.invoices.pay(id)));
    expect(raised.filter((type) => type.startsWith("invoice."))).toEqual([
      "invoice.payment_failed",
    ]);
    expect(await invoice(id)).toMatchObject({ status: "open", attempt_count: 1 });
    const foreign = (await stripe.paymentMethods.list({ customer: customer.id })).data[0]?.id ?? "";
    expect(await errorOf(stripe.invoices.pay(id, { payment_method: foreign }))).toMatchObject({
      statusCode: 400,
      param: "payment_method",
    });
    const card = await stripe.paymentMethods.attach("pm_card_visa", { customer: broke.id });
    const paid = await stripe.invoices.pay(id, { payment_method: card.id });
    expect(paid).toMatchObject({ status: "paid", attempt_count: 1 });
  });
});

it("numbers count up for each customer by their own prefix", async () => {
  const other = await payer(stripe);
  const numbers: (string | null)[] = [];
  for (const owner of [customer, other, customer]) {
    const id = await draft(100, { customer: owner.id });
    numbers.push((await stripe.invoices.finalizeInvoice(id)).number);
  }
  expect(numbers).toEqual([
    `${customer.invoice_prefix}-0001`,
    `${other.invoice_prefix}-0001`,
    `${customer.invoice_prefix}-0002`,
  ]);
});

describe("an amount that is too small to be charged (API reference: amount_due of an invoice)", () => {
  it.each([
    ["usd", 49, 0, { due: 0, balance: 49 }],
    ["usd", 50, 0, { due: 50, balance: 0 }],
    ["usd", 30, 30, { due: 60, balance: 0 }],
    ["usd", 1000, -980, { due: 0, balance: 20 }],
    ["usd", -10, 30, { due: 0, balance: 20 }],
    ["usd", -10, 0, { due: 0, balance: -10 }],
    ["gbp", 30, 0, { due: 30, balance: 0 }],
    ["jpy", 49, 0, { due: 0, balance: 49 }],
  ])("%s: a total of %i and a balance of %i", (currency, total, balance, expected) => {
    expect(settle(total, balance, currency)).toEqual(expected);
  });

  it("is carried on the customer's balance to the next invoice", async () => {
    const product = await stripe.products.create({ name: "Sticker" });
    const price = await stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount: 30,
      recurring: { interval: "month" },
    });
    const made = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
    });
    expect(made.status).toBe("active");
    expect(await invoice(String(made.latest_invoice))).toMatchObject({
      total: 30,
      amount_due: 0,
      amount_paid: 0,
      status: "paid",
      starting_balance: 0,
      ending_balance: 30,
    });
    const owes = (await stripe.customers.retrieve(customer.id)) as Stripe.Customer;
    expect(owes.balance).toBe(30);
    await it_.double.clock.advance({ days: 32 });
    const [next] = (await stripe.invoices.list({ customer: customer.id })).data;
    expect(next).toMatchObject({ starting_balance: 30, amount_paid: 60, ending_balance: 0 });
  });
});

it("what a customer owes or is owed is settled by the next invoice", async () => {
  const rich = await stripe.customers.create({
    balance: -5000,
    payment_method: "pm_card_visa",
    invoice_settings: { default_payment_method: "pm_card_visa" },
  });
  const first = await draft(2000, { customer: rich.id });
  expect(await invoice(first)).toMatchObject({ total: 2000, amount_due: 0 });
  await stripe.invoices.finalizeInvoice(first);
  expect(await invoice(first)).toMatchObject({ status: "paid", amount_paid: 0 });
  const second = await draft(4000, { customer: rich.id });
  await stripe.invoices.pay(second);
  expect(await invoice(second)).toMatchObject({ starting_balance: -3000, amount_paid: 1000 });
  expect(((await stripe.customers.retrieve(rich.id)) as Stripe.Customer).balance).toBe(0);
});
