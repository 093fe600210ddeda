/** Renewals that cannot be paid: retries, what the application is told, and how they end. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import { at, expanded, idOf, last, periodEnd } from "../../harness/read.js";
import { docs, reference } from "../../harness/sources.js";
import type { World } from "../../harness/world.js";

const FAILED = "invoice.payment_failed";

/** A subscription whose first renewal has failed once. */
async function failedRenewal({ double, stripe, subscribe, useCard }: World) {
  const { id, customer } = await subscribe(1000);
  await useCard(idOf(customer), "pm_card_chargeCustomerFail");
  await double.clock.advanceTo("2026-02-28T12:00:00Z");
  const now = await stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] });
  return { id, customer: idOf(customer), now, invoice: expanded(now.latest_invoice) };
}

async function isDelinquent(stripe: Stripe, customer: string): Promise<boolean | null> {
  const payer = await stripe.customers.retrieve(customer);
  return payer.deleted ? null : (payer.delinquent ?? null);
}

export const dunning: Theme = {
  name: "Renewals that fail",
  behaviours: [
    {
      name: "past due, with another attempt and a delinquent customer",
      source: docs("billing/subscriptions/overview#subscription-statuses"),
      expected: { status: "past_due", invoice: "open", again: true, failed: 1, delinquent: true },
      async see(world) {
        const { now, invoice, customer } = await failedRenewal(world);
        return {
          status: now.status,
          invoice: invoice.status,
          again: (invoice.next_payment_attempt ?? 0) > world.double.clock.seconds(),
          failed: (await world.events(FAILED)).length,
          delinquent: await isDelinquent(world.stripe, customer),
        };
      },
    },
    {
      name: "the period moves on although it is not paid",
      source: docs("billing/subscriptions/overview"),
      expected: "2026-03-31T10:00:00Z",
      see: async (world) => periodEnd((await failedRenewal(world)).now),
    },
    {
      name: "the change to past due is told with the status before",
      source: reference("events/object#data.previous_attributes"),
      expected: true,
      async see(world) {
        await failedRenewal(world);
        const updates = await world.events("customer.subscription.updated");
        return updates.some((event) => at(event, "data.previous_attributes.status") === "active");
      },
    },
    {
      name: "what fails is a charge, an intent and an invoice",
      source: docs("billing/subscriptions/webhooks#payment-failures"),
      expected: { "charge.failed": 1, "payment_intent.payment_failed": 1, [FAILED]: 1 },
      async see(world) {
        await failedRenewal(world);
        const counts: { [type: string]: number } = {};
        for (const type of ["charge.failed", "payment_intent.payment_failed", FAILED]) {
          counts[type] = (await world.events(type)).length;
        }
        return counts;
      },
    },
    {
      name: "each attempt is counted, and the last has no next one",
      source: docs("billing/revenue-recovery/smart-retries"),
      expected: { rising: true, lastHasNext: false, others: true },
      async see(world) {
        await failedRenewal(world);
        await world.double.clock.advance({ days: 25 });
        const failed = await world.events(FAILED);
        const counts = failed.map((event) => at(event, "data.object.attempt_count"));
        const nexts = failed.map((event) => at(event, "data.object.next_payment_attempt"));
        return {
          rising: counts.length > 1 && counts.every((count, index) => count === index + 1),
          lastHasNext: last(nexts) !== null,
          others: nexts.slice(0, -1).every((next) => next !== null),
        };
      },
    },
    {
      name: "after the last attempt it is canceled, for that reason",
      source: docs("billing/revenue-recovery/smart-retries"),
      expected: { status: "canceled", reason: "payment_failed", invoice: "open", deleted: 1 },
      async see(world) {
        const { id } = await failedRenewal(world);
        await world.double.clock.advance({ days: 25 });
        const ended = await world.stripe.subscriptions.retrieve(id, {
          expand: ["latest_invoice"],
        });
        return {
          status: ended.status,
          reason: ended.cancellation_details?.reason ?? null,
          invoice: expanded(ended.latest_invoice).status,
          deleted: (await world.events("customer.subscription.deleted")).length,
        };
      },
    },
    {
      name: "paying the invoice makes it active again",
      source: docs("billing/subscriptions/overview#subscription-statuses"),
      expected: { before: "past_due", after: "active", delinquent: false },
      async see(world) {
        const { id, customer, now, invoice } = await failedRenewal(world);
        const card = await world.stripe.paymentMethods.attach("pm_card_visa", { customer });
        await world.stripe.invoices.pay(invoice.id, { payment_method: card.id });
        const { status } = await world.stripe.subscriptions.retrieve(id);
        const delinquent = await isDelinquent(world.stripe, customer);
        return { before: now.status, after: status, delinquent };
      },
    },
    {
      name: "a better card pays at the next attempt",
      source: docs("billing/revenue-recovery/smart-retries"),
      expected: { status: "active", invoice: "paid" },
      async see(world) {
        const { id, customer, invoice } = await failedRenewal(world);
        await world.useCard(customer, "pm_card_visa");
        await world.double.clock.advance({ days: 8 });
        const { status } = await world.stripe.subscriptions.retrieve(id);
        return { status, invoice: (await world.stripe.invoices.retrieve(invoice.id)).status };
      },
    },
    {
      name: "a card that asks for authentication is told apart from a failure",
      source: docs("billing/subscriptions/webhooks#additional-action"),
      expected: { status: "past_due", action: 1 },
      async see({ double, stripe, subscribe, useCard, events }) {
        const { id, customer } = await subscribe(1000);
        await useCard(idOf(customer), "pm_card_authenticationRequired");
        await double.clock.advanceTo("2026-02-28T12:00:00Z");
        const { status } = await stripe.subscriptions.retrieve(id);
        return { status, action: (await events("invoice.payment_action_required")).length };
      },
    },
    {
      name: "an invoice that is not paid by its due date leaves it past due",
      source: reference("subscriptions/object#status"),
      expected: { before: "active", after: "past_due" },
      async see({ double, stripe, customer, subscribe }) {
        const { id } = await subscribe(1000, {
          customer: await customer(null),
          collection_method: "send_invoice",
          days_until_due: 7,
        });
        await double.clock.advance({ days: 6 });
        const before = (await stripe.subscriptions.retrieve(id)).status;
        await double.clock.advance({ days: 2 });
        return { before, after: (await stripe.subscriptions.retrieve(id)).status };
      },
    },
  ],
};
