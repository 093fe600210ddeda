/** What comes after a payment: disputes and credit notes. */
import type { Theme } from "../../harness/behaviour.js";
import { first, idOf } from "../../harness/read.js";
import { docs, reference } from "../../harness/sources.js";

export const afterPayment: Theme = {
  name: "Disputes and credit notes",
  behaviours: [
    {
      name: "a disputed payment asks for an answer",
      source: docs("testing#disputes"),
      expected: { status: "needs_response", disputed: true, told: 1 },
      async see({ double, stripe, pay, events }) {
        const { latest_charge } = await pay({ payment_method: "pm_card_createDispute" });
        await double.clock.advance({ hours: 1 });
        const charge = await stripe.charges.retrieve(idOf(latest_charge));
        const { status } = first(await stripe.disputes.list({ charge: charge.id }));
        const told = (await events("charge.dispute.created")).length;
        return { status, disputed: charge.disputed, told };
      },
    },
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
  ],
};
