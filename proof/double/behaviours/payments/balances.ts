/** Credit notes, the balances of customers, and the balance of the account. */
import type { Theme } from "../../harness/behaviour.js";
import { expanded, first, idOf, statusOf } from "../../harness/read.js";
import { docs, reference } from "../../harness/sources.js";

export const balances: Theme = {
  name: "Credit notes and balances",
  behaviours: [
    {
      name: "a credit note of a paid invoice can go to the balance",
      source: docs("invoicing/credit-notes"),
      expected: { amount: 300, invoice: "paid", balance: -300 },
      async see({ stripe, subscribe }) {
        const { latest_invoice, customer } = await subscribe(1000);
        const invoice = idOf(latest_invoice);
        const note = await stripe.creditNotes.create({ invoice, amount: 300, credit_amount: 300 });
        const payer = await stripe.customers.retrieve(idOf(customer));
        return {
          amount: note.amount,
          invoice: (await stripe.invoices.retrieve(invoice)).status,
          balance: payer.deleted ? null : payer.balance,
        };
      },
    },
    {
      name: "a credit note of an open invoice takes from what is due",
      source: reference("credit_notes/create"),
      expected: { due: 700, status: "open" },
      async see({ stripe, subscribe }) {
        const { latest_invoice } = await subscribe(1000, {
          payment_behavior: "default_incomplete",
        });
        const invoice = idOf(latest_invoice);
        await stripe.creditNotes.create({ invoice, amount: 300 });
        const { amount_remaining, status } = await stripe.invoices.retrieve(invoice);
        return { due: amount_remaining, status };
      },
    },
    {
      name: "a credit note can be refunded to the card",
      source: docs("invoicing/credit-notes"),
      expected: { type: "post_payment", refunded: 300, invoice: "paid", given: 300 },
      async see({ stripe, subscribe }) {
        const { latest_invoice } = await subscribe(1000);
        const invoice = idOf(latest_invoice);
        const note = await stripe.creditNotes.create({ invoice, amount: 300, refund_amount: 300 });
        const after = await stripe.invoices.retrieve(invoice);
        return {
          type: note.type,
          refunded: first(await stripe.charges.list()).amount_refunded,
          invoice: after.status,
          given: after.post_payment_credit_notes_amount,
        };
      },
    },
    {
      name: "what a credit note gives back must add up",
      source: reference("credit_notes/create"),
      expected: 400,
      async see({ stripe, subscribe }) {
        const { latest_invoice } = await subscribe(1000);
        const invoice = idOf(latest_invoice);
        return statusOf(
          stripe.creditNotes.create({
            invoice,
            amount: 300,
            refund_amount: 100,
            credit_amount: 100,
          }),
        );
      },
    },
    {
      name: "a credit note of all that is due settles the invoice",
      source: docs("invoicing/credit-notes"),
      expected: { status: "paid", paid: 0, subscription: "active" },
      async see({ stripe, subscribe }) {
        const { id, latest_invoice } = await subscribe(1000, {
          payment_behavior: "default_incomplete",
        });
        const invoice = idOf(latest_invoice);
        await stripe.creditNotes.create({ invoice, amount: 1000 });
        const { amount_paid, status } = await stripe.invoices.retrieve(invoice);
        const { status: subscription } = await stripe.subscriptions.retrieve(id);
        return { status, paid: amount_paid, subscription };
      },
    },
    {
      name: "a voided credit note is due again",
      source: docs("invoicing/credit-notes#void"),
      expected: { status: "void", due: 1000, told: 1 },
      async see({ stripe, subscribe, events }) {
        const { latest_invoice } = await subscribe(1000, {
          payment_behavior: "default_incomplete",
        });
        const invoice = idOf(latest_invoice);
        const { id } = await stripe.creditNotes.create({ invoice, amount: 300 });
        const { status } = await stripe.creditNotes.voidCreditNote(id);
        const { amount_remaining: due } = await stripe.invoices.retrieve(invoice);
        return { status, due, told: (await events("credit_note.voided")).length };
      },
    },
    {
      name: "a customer's credit pays the next invoice, and both are transactions",
      source: docs("billing/customer/balance"),
      expected: [
        ["applied_to_invoice", 300, 0],
        ["adjustment", -300, -300],
      ],
      async see({ stripe, customer, subscribe }) {
        const payer = await customer();
        await stripe.customers.createBalanceTransaction(payer, { amount: -300, currency: "usd" });
        await subscribe(1000, { customer: payer });
        const { data } = await stripe.customers.listBalanceTransactions(payer);
        return data.map(({ type, amount, ending_balance }) => [type, amount, ending_balance]);
      },
    },
    {
      name: "a charge brings its amount less the fee",
      source: reference("balance_transactions/object"),
      expected: { type: "charge", category: "charge", isNet: true, status: "pending" },
      async see({ pay }) {
        const { latest_charge } = await pay({
          capture_method: "automatic",
          expand: ["latest_charge.balance_transaction"],
        });
        const booked = expanded(expanded(latest_charge).balance_transaction);
        return {
          type: booked.type,
          category: booked.reporting_category,
          isNet: booked.net === booked.amount - booked.fee && booked.fee > 0,
          status: booked.status,
        };
      },
    },
    {
      name: "a card's payment can be available at once",
      source: docs("testing#available-balance"),
      expected: "available",
      async see({ stripe, pay }) {
        await pay({ capture_method: "automatic", payment_method: "pm_card_bypassPending" });
        return first(await stripe.balanceTransactions.list()).status;
      },
    },
    {
      name: "a refund takes from the balance, without a fee",
      source: reference("balance_transactions/object#type"),
      expected: { type: "refund", amount: -200, fee: 0, net: -200 },
      async see({ stripe, pay }) {
        const { id } = await pay();
        const refund = await stripe.refunds.create({ payment_intent: id, amount: 200 });
        const { type, amount, fee, net } = first(
          await stripe.balanceTransactions.list({ source: refund.id }),
        );
        return { type, amount, fee, net };
      },
    },
  ],
};
