/** How subscriptions begin: the first payment, and what there is without one. */
import type { Theme } from "../../harness/behaviour.js";
import { at, expanded, first, idOf, iso, last, refusal, statusOf } from "../../harness/read.js";
import { docs, reference, thread } from "../../harness/sources.js";
import { PAGE } from "../../harness/world.js";

/** The path of the status before a change, in an event. */
const WAS = "data.previous_attributes.status";

export const beginnings: Theme = {
  name: "Beginnings of subscriptions",
  behaviours: [
    {
      name: "incomplete for 23 hours, then expired with a void invoice",
      source: docs("billing/subscriptions/overview#subscription-statuses"),
      expected: { before: "incomplete", after: "incomplete_expired", invoice: "void" },
      async see({ double, stripe, subscribe }) {
        const { id } = await subscribe(1000, { payment_behavior: "default_incomplete" });
        await double.clock.advance({ hours: 22, minutes: 59 });
        const before = await stripe.subscriptions.retrieve(id);
        await double.clock.advance({ minutes: 2 });
        const after = await stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] });
        const invoice = expanded(after.latest_invoice).status;
        return { before: before.status, after: after.status, invoice };
      },
    },
    {
      name: "default_incomplete becomes active once its intent is confirmed",
      source: docs("billing/subscriptions/build-subscriptions"),
      expected: { before: "incomplete", after: "active", was: true },
      async see({ stripe, customer, subscribe, events }) {
        const subscription = await subscribe(1000, {
          customer: await customer(null),
          payment_behavior: "default_incomplete",
          expand: ["latest_invoice.payments"],
        });
        const payment = first(expanded(subscription.latest_invoice).payments?.data ?? []).payment;
        await stripe.paymentIntents.confirm(idOf(payment.payment_intent), {
          payment_method: "pm_card_visa",
          return_url: PAGE,
        });
        const { status } = await stripe.subscriptions.retrieve(subscription.id);
        const was = at(last(await events("customer.subscription.updated")), WAS) === "incomplete";
        return { before: subscription.status, after: status, was };
      },
    },
    {
      name: "a card that asks for authentication leaves it incomplete",
      source: docs("billing/subscriptions/webhooks#additional-action"),
      expected: { status: "incomplete", events: 1 },
      async see({ customer, subscribe, events }) {
        const payer = await customer("pm_card_authenticationRequired");
        const { status } = await subscribe(1000, { customer: payer });
        return { status, events: (await events("invoice.payment_action_required")).length };
      },
    },
    {
      name: "a declined first payment leaves it incomplete",
      source: reference("subscriptions/create#payment_behavior"),
      expected: { status: "incomplete", invoice: "open", attempts: 1 },
      async see({ customer, subscribe }) {
        const payer = await customer("pm_card_chargeCustomerFail");
        const subscription = await subscribe(1000, { customer: payer, expand: ["latest_invoice"] });
        const invoice = expanded(subscription.latest_invoice);
        const { status, attempt_count: attempts } = invoice;
        return { status: subscription.status, invoice: status, attempts };
      },
    },
    {
      name: "error_if_incomplete makes nothing",
      source: reference("subscriptions/create#payment_behavior"),
      expected: { status: 402, subscriptions: 0 },
      async see({ stripe, customer, subscribe }) {
        const payer = await customer("pm_card_chargeCustomerFail");
        const params = { customer: payer, payment_behavior: "error_if_incomplete" } as const;
        const status = await statusOf(subscribe(1000, params));
        const { data } = await stripe.subscriptions.list({ customer: payer, status: "all" });
        return { status, subscriptions: data.length };
      },
    },
    {
      name: "pending_if_incomplete is refused when creating",
      source: reference("subscriptions/create#payment_behavior"),
      expected: 400,
      see: ({ subscribe }) =>
        statusOf(subscribe(1000, { payment_behavior: "pending_if_incomplete" })),
    },
    {
      name: "a customer's default card is used, and the subscription's own before it",
      source: reference("subscriptions/object#default_payment_method"),
      expected: { customers: "incomplete", own: "active" },
      async see({ stripe, customer, subscribe }) {
        const payer = await customer("pm_card_chargeCustomerFail");
        const own = await stripe.paymentMethods.attach("pm_card_visa", { customer: payer });
        const refused = await subscribe(1000, { customer: payer });
        const paid = await subscribe(1000, { customer: payer, default_payment_method: own.id });
        return { customers: refused.status, own: paid.status };
      },
    },
    {
      name: "a customer without a card cannot subscribe with automatic collection",
      source: thread(
        "stripe/stripe-java#1612: no attached payment source or default payment method",
      ),
      expected: { status: 400, code: "resource_missing" },
      async see({ customer, subscribe }) {
        const { status, code } = await refusal(subscribe(1000, { customer: await customer(null) }));
        return { status, code };
      },
    },
    {
      name: "an invoice to be sent needs no card, and is due after its days",
      source: docs("billing/collection-method"),
      expected: { status: "active", invoice: "open", due: "2026-03-02T10:00:00Z" },
      async see({ double, stripe, customer, subscribe }) {
        const { id, latest_invoice } = await subscribe(1000, {
          customer: await customer(null),
          collection_method: "send_invoice",
          days_until_due: 30,
        });
        await double.clock.advance({ hours: 2 });
        const { status } = await stripe.subscriptions.retrieve(id);
        const invoice = await stripe.invoices.retrieve(idOf(latest_invoice));
        return { status, invoice: invoice.status, due: iso(invoice.due_date ?? 0) };
      },
    },
  ],
};
