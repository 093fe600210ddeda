/** Invoices by hand and by subscription: what they draw in, how they are paid, and what is final. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import { at, expanded, first, idOf, last, refusal, statusOf } from "../../harness/read.js";
import { changelog, docs, reference, types } from "../../harness/sources.js";
import type { World } from "../../harness/world.js";

/** A draft with one line of 5 dollars that nothing finalizes by itself. */
async function draft({ stripe, customer }: World): Promise<Stripe.Invoice> {
  const payer = await customer();
  await stripe.invoiceItems.create({ customer: payer, amount: 500, currency: "usd" });
  return stripe.invoices.create({
    customer: payer,
    auto_advance: false,
    pending_invoice_items_behavior: "include",
  });
}

async function balanceOf({ stripe }: World, customer: string): Promise<number | null> {
  const payer = await stripe.customers.retrieve(customer);
  return payer.deleted ? null : payer.balance;
}

export const invoices: Theme = {
  name: "Invoices",
  behaviours: [
    {
      name: "less than the minimum charge is carried on the balance",
      source: reference("invoices/object#amount_due"),
      expected: { due: 0, status: "paid", balance: 30 },
      async see(world) {
        const customer = await world.customer();
        const { latest_invoice } = await world.subscribe(30, {
          customer,
          expand: ["latest_invoice"],
        });
        const { amount_due: due, status } = expanded(latest_invoice);
        return { due, status, balance: await balanceOf(world, customer) };
      },
    },
    {
      name: "a credit on the balance pays first",
      source: docs("billing/customer/balance"),
      expected: { total: 1000, start: -400, end: 0, due: 600, balance: 0 },
      async see(world) {
        const customer = await world.customer("pm_card_visa", { balance: -400 });
        const { latest_invoice } = await world.subscribe(1000, {
          customer,
          expand: ["latest_invoice"],
        });
        const { total, starting_balance, ending_balance, amount_due } = expanded(latest_invoice);
        return {
          total,
          start: starting_balance,
          end: ending_balance,
          due: amount_due,
          balance: await balanceOf(world, customer),
        };
      },
    },
    {
      name: "a credit that is larger stays, and nothing is charged",
      source: docs("billing/customer/balance"),
      expected: { due: 0, status: "paid", balance: -500, charges: 0 },
      async see(world) {
        const customer = await world.customer("pm_card_visa", { balance: -1500 });
        const { latest_invoice } = await world.subscribe(1000, {
          customer,
          expand: ["latest_invoice"],
        });
        const { amount_due: due, status } = expanded(latest_invoice);
        const charges = (await world.stripe.charges.list({ customer })).data.length;
        return { due, status, balance: await balanceOf(world, customer), charges };
      },
    },
    {
      name: "a paid one can neither be voided nor deleted",
      source: docs("invoicing/overview#invoice-statuses"),
      expected: { void: 400, delete: 400 },
      async see({ stripe, subscribe }) {
        const invoice = idOf((await subscribe(1000)).latest_invoice);
        return {
          void: await statusOf(stripe.invoices.voidInvoice(invoice)),
          delete: await statusOf(stripe.invoices.del(invoice)),
        };
      },
    },
    {
      name: "invoice_payment.paid tells of each payment",
      source: changelog("2025-03-31.basil: invoice payments"),
      expected: 1,
      async see({ subscribe, events }) {
        await subscribe(1000);
        return (await events("invoice_payment.paid")).length;
      },
    },
    {
      name: "what a first invoice raises",
      source: docs("billing/subscriptions/webhooks#events"),
      expected: [],
      async see({ subscribe, raisedBy }) {
        const raised = new Set(await raisedBy(() => subscribe(1000)));
        const told = ["customer.subscription.created", "payment_intent.created"];
        told.push("invoice.created", "invoice.finalized", "invoice.paid");
        told.push("invoice.payment_succeeded", "charge.succeeded", "payment_intent.succeeded");
        return told.filter((type) => !raised.has(type));
      },
    },
    {
      name: "a draft has no number, and a finalized one the customer's next",
      source: docs("invoicing/customize#invoice-numbering"),
      expected: { draft: null, first: "0001", second: "0002" },
      async see(world) {
        const { stripe } = world;
        const one = await draft(world);
        const { number } = await stripe.invoices.finalizeInvoice(one.id);
        const customer = idOf(one.customer);
        const other = await stripe.invoices.create({ customer, auto_advance: false });
        const { number: next } = await stripe.invoices.finalizeInvoice(other.id);
        return { draft: one.number, first: number?.slice(-4), second: next?.slice(-4) };
      },
    },
    {
      name: "finalized it is open, and paid it is paid",
      source: docs("invoicing/overview#invoice-statuses"),
      expected: { draft: "draft", finalized: "open", paid: "paid", amount: 500, left: 0 },
      async see(world) {
        const { id, status } = await draft(world);
        const finalized = await world.stripe.invoices.finalizeInvoice(id);
        const paid = await world.stripe.invoices.pay(id);
        return {
          draft: status,
          finalized: finalized.status,
          paid: paid.status,
          amount: paid.amount_paid,
          left: paid.amount_remaining,
        };
      },
    },
    {
      name: "paying twice is refused",
      source: reference("invoices/pay"),
      expected: 400,
      async see(world) {
        const { id } = await draft(world);
        await world.stripe.invoices.pay(id);
        return statusOf(world.stripe.invoices.pay(id));
      },
    },
    {
      name: "a void one is final",
      source: reference("invoices/void"),
      expected: { status: "void", pay: 400, finalize: 400, events: 1 },
      async see(world) {
        const { id } = await draft(world);
        await world.stripe.invoices.finalizeInvoice(id);
        const { status } = await world.stripe.invoices.voidInvoice(id);
        return {
          status,
          pay: await statusOf(world.stripe.invoices.pay(id)),
          finalize: await statusOf(world.stripe.invoices.finalizeInvoice(id)),
          events: (await world.events("invoice.voided")).length,
        };
      },
    },
    {
      name: "an uncollectible one can still be paid",
      source: reference("invoices/mark_uncollectible"),
      expected: { marked: "uncollectible", later: "paid" },
      async see(world) {
        const { id } = await draft(world);
        await world.stripe.invoices.finalizeInvoice(id);
        const marked = await world.stripe.invoices.markUncollectible(id);
        return { marked: marked.status, later: (await world.stripe.invoices.pay(id)).status };
      },
    },
    {
      name: "a deleted draft is gone, and its event says so",
      source: reference("invoices/delete"),
      expected: { deleted: true, status: 404, code: "resource_missing", events: 1 },
      async see(world) {
        const { id } = await draft(world);
        const { deleted } = await world.stripe.invoices.del(id);
        const { status, code } = await refusal(world.stripe.invoices.retrieve(id));
        return { deleted, status, code, events: (await world.events("invoice.deleted")).length };
      },
    },
    {
      name: "a subscription's draft cannot be deleted",
      source: types("InvoiceResource.del: only one-off drafts"),
      expected: { status: "draft", delete: 400 },
      async see({ double, stripe, subscribe, invoices }) {
        const { customer } = await subscribe(1000);
        await double.clock.advanceTo("2026-02-28T10:30:00Z");
        const { id, status } = last(await invoices(idOf(customer)));
        return { status, delete: await statusOf(stripe.invoices.del(id)) };
      },
    },
    {
      name: "a finalized one takes no more lines",
      source: docs("invoicing/overview#invoice-statuses"),
      expected: 400,
      async see(world) {
        const { id, customer } = await draft(world);
        await world.stripe.invoices.finalizeInvoice(id);
        const item = { customer: idOf(customer), invoice: id, amount: 100, currency: "usd" };
        return statusOf(world.stripe.invoiceItems.create(item));
      },
    },
    {
      name: "a new one leaves pending items out unless it is asked to take them",
      source: changelog("2022-08-01: pending_invoice_items_behavior is exclude by default"),
      expected: { left: 0, taken: 300 },
      async see({ stripe, customer }) {
        const payer = await customer();
        await stripe.invoiceItems.create({ customer: payer, amount: 300, currency: "usd" });
        const left = await stripe.invoices.create({ customer: payer });
        const taken = await stripe.invoices.create({
          customer: payer,
          pending_invoice_items_behavior: "include",
        });
        return { left: left.total, taken: taken.total };
      },
    },
    {
      name: "an item of a draft goes into it at once",
      source: reference("invoiceitems/create#invoice"),
      expected: 600,
      async see(world) {
        const { id, customer } = await draft(world);
        const item = { customer: idOf(customer), invoice: id, amount: 100, currency: "usd" };
        await world.stripe.invoiceItems.create(item);
        return (await world.stripe.invoices.retrieve(id)).total;
      },
    },
    {
      name: "a pending item is drawn into the renewal",
      source: docs("billing/invoices/subscription#adding-upcoming-invoice-items"),
      expected: 1200,
      async see({ double, stripe, subscribe, invoices }) {
        const { customer } = await subscribe(1000);
        const payer = idOf(customer);
        await stripe.invoiceItems.create({ customer: payer, amount: 200, currency: "usd" });
        await double.clock.advance({ days: 29 });
        return last(await invoices(payer)).total;
      },
    },
    {
      name: "a fee of the first invoice is charged once",
      source: docs("billing/invoices/subscription#first-invoice-extra"),
      expected: [1500, 1000],
      async see({ double, oneTimePrice, subscribe, invoices }) {
        const fee = await oneTimePrice(500);
        const { customer } = await subscribe(1000, { add_invoice_items: [{ price: fee }] });
        await double.clock.advance({ days: 29 });
        return (await invoices(idOf(customer))).map(({ total }) => total);
      },
    },
    {
      name: "invoice.upcoming comes days before, and its invoice has no id",
      source: types("Event invoice.upcoming"),
      expected: { before: 1, hasId: false },
      async see({ double, subscribe, events }) {
        await subscribe(1000);
        await double.clock.advance({ days: 26 });
        const upcoming = await events("invoice.upcoming");
        const hasId = at(upcoming[0], "data.object.id") !== undefined;
        return { before: upcoming.length, hasId };
      },
    },
    {
      name: "its payment says which intent paid it, and the intent says nothing",
      source: changelog("2025-03-31.basil: invoice.payment_intent is removed"),
      expected: { payment: "payment_intent", status: "paid", onInvoice: false, onIntent: false },
      async see({ stripe, subscribe }) {
        const { latest_invoice } = await subscribe(1000);
        const invoice = idOf(latest_invoice);
        const { payment, status } = first(await stripe.invoicePayments.list({ invoice }));
        const intent = await stripe.paymentIntents.retrieve(idOf(payment.payment_intent));
        return {
          payment: payment.type,
          status,
          onInvoice: "payment_intent" in (await stripe.invoices.retrieve(invoice)),
          onIntent: "invoice" in intent,
        };
      },
    },
  ],
};
