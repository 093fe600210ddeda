/** Refunds: how much, how often, and what they leave on the charge and the invoice. */
import type { Theme } from "../../harness/behaviour.js";
import { at, expanded, first, idOf, last, refusal } from "../../harness/read.js";
import { docs, reference, types } from "../../harness/sources.js";

export const refunds: Theme = {
  name: "Refunds",
  behaviours: [
    {
      name: "more than the charge is refused, and so is a second whole one",
      source: docs("error-codes#charge-already-refunded"),
      expected: { more: 400, again: "charge_already_refunded" },
      async see({ stripe, pay }) {
        const { id: payment_intent } = await pay();
        const more = await refusal(stripe.refunds.create({ payment_intent, amount: 600 }));
        await stripe.refunds.create({ payment_intent });
        const again = await refusal(stripe.refunds.create({ payment_intent }));
        return { more: more.status, again: again.code };
      },
    },
    {
      name: "in parts, the charge counts as refunded once all of it is",
      source: reference("charges/object#refunded"),
      expected: { part: [200, false], whole: [500, true] },
      async see({ stripe, pay }) {
        const { id: payment_intent, latest_charge } = await pay();
        const seen = async () => {
          const charge = await stripe.charges.retrieve(idOf(latest_charge));
          return [charge.amount_refunded, charge.refunded];
        };
        await stripe.refunds.create({ payment_intent, amount: 200 });
        const part = await seen();
        await stripe.refunds.create({ payment_intent });
        return { part, whole: await seen() };
      },
    },
    {
      name: "what a refund raises",
      source: types("Event refund.created, charge.refunded"),
      expected: [],
      async see({ stripe, pay, raisedBy }) {
        const { id: payment_intent } = await pay();
        const raised = await raisedBy(() => stripe.refunds.create({ payment_intent }));
        return ["charge.refunded", "refund.created"].filter((type) => !raised.includes(type));
      },
    },
    {
      name: "charge.refunded tells how much was refunded before",
      source: reference("events/object#data.previous_attributes"),
      expected: { now: 500, before: 200 },
      async see({ stripe, pay, events }) {
        const { id: payment_intent } = await pay();
        await stripe.refunds.create({ payment_intent, amount: 200 });
        await stripe.refunds.create({ payment_intent });
        const event = last(await events("charge.refunded"));
        return {
          now: Number(at(event, "data.object.amount_refunded")),
          before: Number(at(event, "data.previous_attributes.amount_refunded")),
        };
      },
    },
    {
      name: "a refunded invoice stays paid, and its subscription active",
      source: docs("refunds"),
      expected: { invoice: "paid", subscription: "active" },
      async see({ stripe, subscribe }) {
        const { id, latest_invoice } = await subscribe(1000, {
          expand: ["latest_invoice.payments"],
        });
        const invoice = expanded(latest_invoice);
        const { payment } = first(invoice.payments?.data ?? []);
        await stripe.refunds.create({ payment_intent: idOf(payment.payment_intent) });
        return {
          invoice: (await stripe.invoices.retrieve(invoice.id)).status,
          subscription: (await stripe.subscriptions.retrieve(id)).status,
        };
      },
    },
    {
      name: "a refund that fails gives the charge its amount back",
      source: docs("refunds#failed-refunds"),
      expected: { status: "failed", refunded: 0, told: true },
      async see({ double, stripe, pay, events }) {
        const { id: payment_intent, latest_charge } = await pay();
        const { id } = await stripe.refunds.create({ payment_intent });
        double.dashboard.failRefund(id);
        return {
          status: (await stripe.refunds.retrieve(id)).status,
          refunded: (await stripe.charges.retrieve(idOf(latest_charge))).amount_refunded,
          told: (await events("refund.failed")).length === 1,
        };
      },
    },
  ],
};
