/** Credit notes and customers' balances, to the cent. Each test names where Stripe says so. */
import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "../src/api/errors.js";
import { splitNote } from "../src/billing/balance/credit-note-terms.js";
import { errorOf, openShop, payer, type Rig, raisedBy, rig } from "./kit.js";

let it_: Rig;
let stripe: Stripe;
let customer: string;
let price: string;
beforeEach(async () => {
  it_ = await rig();
  ({ stripe } = it_);
  ({ id: customer } = await payer(stripe));
  price = (await openShop(stripe)).monthly.id;
});

/** A subscription for 20 dollars, and its first invoice. */
async function billed(params: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    ...params,
  });
  return { subscription, invoice: String(subscription.latest_invoice) };
}
const open = () => billed({ payment_behavior: "default_incomplete" });
const balance = async () => {
  const found = await stripe.customers.retrieve(customer);
  return found.deleted ? undefined : found.balance;
};

describe("how a credit note is split (API reference: credit_notes/create)", () => {
  const invoice = {
    amount_remaining: 0,
    currency: "usd",
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    status: "paid" as const,
    total: 1000,
  };
  const none = { refunded: 0 };

  it.each([
    ["paid, credited", {}, 300, { ...none, credit_amount: 300 }, [0, 300]],
    [
      "paid, in three ways",
      {},
      300,
      { refunded: 100, credit_amount: 100, out_of_band_amount: 100 },
      [0, 300],
    ],
    ["open", { status: "open" as const, amount_remaining: 1000 }, 300, none, [300, 0]],
    [
      "open for a part",
      { status: "open" as const, amount_remaining: 200 },
      300,
      { refunded: 100 },
      [200, 100],
    ],
    ["paid, without a way", {}, 300, none, "must equal"],
    [
      "open, with a refund too many",
      { status: "open" as const, amount_remaining: 1000 },
      300,
      { refunded: 300 },
      "must equal",
    ],
    [
      "more than is left",
      { post_payment_credit_notes_amount: 800 },
      300,
      { refunded: 300 },
      "greater than",
    ],
    ["a draft", { status: "draft" as const }, 300, none, "draft"],
    ["nothing", {}, 0, none, "greater than or equal to 1"],
  ])("%s", (_, state, total, given, expected) => {
    const split = splitNote({ ...invoice, ...state }, total, given);
    if (split instanceof ApiError) expect(split.message).toContain(expected);
    else expect([split.prePayment, split.postPayment]).toEqual(expected);
  });
});

describe("of a paid invoice (docs: invoicing/credit-notes)", () => {
  it("goes to the customer's balance, which pays the next invoice", async () => {
    const { invoice } = await billed();
    const types = await raisedBy(stripe, () =>
      stripe.creditNotes.create({ invoice, amount: 300, credit_amount: 300 }),
    );
    expect(types).toEqual(["customer.updated", "credit_note.created", "invoice.updated"]);
    expect(await balance()).toBe(-300);
    expect(await stripe.invoices.retrieve(invoice)).toMatchObject({
      status: "paid",
      amount_due: 2000,
      post_payment_credit_notes_amount: 300,
      pre_payment_credit_notes_amount: 0,
    });
    await it_.double.clock.advance({ days: 32 });
    const [next] = (await stripe.invoices.list({ customer })).data;
    expect(next).toMatchObject({ total: 2000, amount_due: 1700, starting_balance: -300 });
    const { data } = await stripe.customers.listBalanceTransactions(customer);
    expect(data.map(({ type, amount, ending_balance }) => [type, amount, ending_balance])).toEqual([
      ["applied_to_invoice", 300, 0],
      ["credit_note", -300, -300],
    ]);
    expect(data[0]?.invoice).toBe(next?.id);
  });

  it("is refunded to the card", async () => {
    const { invoice } = await billed();
    const note = await stripe.creditNotes.create({
      invoice,
      amount: 500,
      refund_amount: 500,
      reason: "product_unsatisfactory",
      expand: ["refunds.refund"],
    });
    expect(note).toMatchObject({
      type: "post_payment",
      status: "issued",
      post_payment_amount: 500,
      refunds: [{ amount_refunded: 500, refund: { amount: 500, status: "succeeded" } }],
      number: expect.stringMatching(/-CN-01$/),
    });
    const { data } = await stripe.charges.list({ customer });
    expect(data[0]?.amount_refunded).toBe(500);
  });

  it("takes a refund that was made before, and none of it twice", async () => {
    const { invoice } = await billed();
    const [payment] = (await stripe.invoicePayments.list({ invoice })).data;
    const refund = await stripe.refunds.create({
      payment_intent: String(payment?.payment.payment_intent),
      amount: 400,
    });
    const note = { invoice, amount: 400, refunds: [{ refund: refund.id }] };
    expect((await stripe.creditNotes.create(note)).post_payment_amount).toBe(400);
    const more = { invoice, amount: 1700, out_of_band_amount: 1700 };
    expect((await errorOf(stripe.creditNotes.create(more))).message).toContain("$16.00");
  });

  it("cannot be voided", async () => {
    const { invoice } = await billed();
    const { id } = await stripe.creditNotes.create({
      invoice,
      amount: 100,
      out_of_band_amount: 100,
    });
    expect((await errorOf(stripe.creditNotes.voidCreditNote(id))).statusCode).toBe(400);
  });
});

describe("of an open invoice (API reference: credit_notes/create)", () => {
  it("lowers what is due, and what the card is charged", async () => {
    const { invoice } = await open();
    const note = await stripe.creditNotes.create({ invoice, amount: 300 });
    expect(note).toMatchObject({ type: "pre_payment", pre_payment_amount: 300 });
    expect(await stripe.invoices.retrieve(invoice)).toMatchObject({
      status: "open",
      amount_due: 1700,
      amount_remaining: 1700,
      pre_payment_credit_notes_amount: 300,
    });
    const paid = await stripe.invoices.pay(invoice);
    expect(paid).toMatchObject({ status: "paid", amount_paid: 1700 });
    expect((await stripe.charges.list({ customer })).data[0]?.amount).toBe(1700);
  });

  it("settles it when nothing is left, and the subscription begins", async () => {
    const { invoice, subscription } = await open();
    await stripe.creditNotes.create({ invoice, amount: 2000 });
    expect(await stripe.invoices.retrieve(invoice)).toMatchObject({
      status: "paid",
      amount_remaining: 0,
      amount_paid: 0,
    });
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("active");
    expect((await stripe.charges.list({ customer })).data).toEqual([]);
  });

  it("is taken back when it is voided (docs: invoicing/credit-notes#void)", async () => {
    const { invoice } = await open();
    const { id } = await stripe.creditNotes.create({ invoice, amount: 300 });
    const types = await raisedBy(stripe, () => stripe.creditNotes.voidCreditNote(id));
    expect(types).toEqual(["invoice.updated", "credit_note.voided"]);
    expect((await stripe.invoices.retrieve(invoice)).amount_remaining).toBe(2000);
    expect(await stripe.creditNotes.retrieve(id)).toMatchObject({ status: "void" });
    expect((await errorOf(stripe.creditNotes.voidCreditNote(id))).statusCode).toBe(400);
  });
});

describe("the lines, the preview and the list", () => {
  it("credits lines of the invoice and lines of its own", async () => {
    const { invoice } = await billed({ items: [{ price, quantity: 2 }] });
    const [line] = (await stripe.invoices.listLineItems(invoice)).data;
    const params = {
      invoice,
      lines: [
        { type: "invoice_line_item", invoice_line_item: line?.id ?? "", quantity: 1 },
        { type: "custom_line_item", description: "Late", unit_amount: 150, quantity: 2 },
      ],
      credit_amount: 2300,
    } satisfies Stripe.CreditNoteCreateParams;
    const before = await stripe.creditNotes.preview(params);
    expect(before).toMatchObject({ total: 2300, post_payment_amount: 2300 });
    expect((await stripe.creditNotes.listPreviewLineItems(params)).data).toHaveLength(2);
    expect(await balance()).toBe(0);
    const note = await stripe.creditNotes.create(params);
    const { data } = await stripe.creditNotes.listLineItems(note.id);
    expect(data.map(({ type, amount }) => [type, amount])).toEqual([
      ["invoice_line_item", 2000],
      ["custom_line_item", 300],
    ]);
    expect(note.amount).toBe(before.amount);
    const changed = await stripe.creditNotes.update(note.id, { memo: "Sorry" });
    expect(changed.memo).toBe("Sorry");
    const listed = await stripe.creditNotes.list({ invoice });
    expect(listed.data.map(({ id }) => id)).toEqual([note.id]);
    expect((await stripe.creditNotes.list({ customer: "cus_other" })).data).toEqual([]);
  });
});

describe("a customer's balance (docs: billing/customer/balance)", () => {
  it("is moved by transactions, and set by updates, which leave one too", async () => {
    const made = await stripe.customers.create({ balance: -100 });
    const types = await raisedBy(stripe, () =>
      stripe.customers.createBalanceTransaction(made.id, {
        amount: -400,
        currency: "usd",
        description: "Goodwill",
      }),
    );
    expect(types).toEqual(["customer.updated"]);
    await stripe.customers.update(made.id, { balance: 50 });
    const { data } = await stripe.customers.listBalanceTransactions(made.id);
    expect(data.map(({ type, amount, ending_balance }) => [type, amount, ending_balance])).toEqual([
      ["adjustment", 550, 50],
      ["adjustment", -400, -500],
      ["initial", -100, -100],
    ]);
    const second = data[1]?.id ?? "";
    await stripe.customers.updateBalanceTransaction(made.id, second, { description: "Gift" });
    const read = await stripe.customers.retrieveBalanceTransaction(made.id, second);
    expect(read.description).toBe("Gift");
    const other = stripe.customers.retrieveBalanceTransaction(customer, second);
    expect((await errorOf(other)).statusCode).toBe(404);
  });

  it("takes a total that is too small to be charged", async () => {
    const { id: small } = await stripe.prices.create({
      product_data: { name: "Small" },
      currency: "usd",
      unit_amount: 20,
      recurring: { interval: "month" },
    });
    await billed({ items: [{ price: small }] });
    const { data } = await stripe.customers.listBalanceTransactions(customer);
    expect(data.map(({ type, amount }) => [type, amount])).toEqual([["invoice_too_small", 20]]);
  });
});

describe("invoice payments (changelog 2025-03-31: invoice.payment_intent is removed)", () => {
  it("say which intent pays an invoice, and are found by it", async () => {
    const { invoice } = await billed();
    const [payment] = (await stripe.invoicePayments.list({ invoice, status: "paid" })).data;
    expect(payment).toMatchObject({
      amount_paid: 2000,
      is_default: true,
      payment: { type: "payment_intent" },
    });
    const intent = String(payment?.payment.payment_intent);
    const byIntent = await stripe.invoicePayments.list({
      payment: { type: "payment_intent", payment_intent: intent },
    });
    expect(byIntent.data.map(({ id }) => id)).toEqual([payment?.id]);
    const read = await stripe.invoicePayments.retrieve(payment?.id ?? "", {
      expand: ["payment.payment_intent"],
    });
    expect(read.payment.payment_intent).toMatchObject({ id: intent, status: "succeeded" });
    expect((await stripe.invoicePayments.list({ invoice, status: "open" })).data).toEqual([]);
  });
});
