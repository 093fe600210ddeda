/** Changes of a subscription whose payment fails: applied, refused, or kept until it is paid. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import { expanded, first, idOf, statusOf } from "../../harness/read.js";
import { changelog, docs, reference } from "../../harness/sources.js";
import { APRIL_1, type World } from "../../harness/world.js";

/** Subscribes with a good card; an upgrade at half of the period meets one that fails. */
async function failingUpgrade(
  { double, stripe, price, subscribe, useCard }: World,
  params: Partial<Stripe.SubscriptionUpdateParams>,
) {
  const { id, items, customer } = await subscribe(1000);
  await double.clock.advance({ days: 15 });
  await useCard(idOf(customer), "pm_card_chargeCustomerFail");
  const upgrade = async () =>
    stripe.subscriptions.update(id, {
      items: [{ id: first(items).id, price: await price(3000) }],
      proration_behavior: "always_invoice",
      expand: ["latest_invoice"],
      ...params,
    });
  return { id, customer: idOf(customer), upgrade };
}

const amountOf = ({ items }: Stripe.Subscription) => first(items).price.unit_amount;
const kept = { payment_behavior: "pending_if_incomplete" } as const;

export const changes: Theme = {
  name: "Changes whose payment fails",
  behaviours: [
    {
      name: "by default the change is made and the subscription past due",
      source: reference("subscriptions/update#payment_behavior"),
      now: APRIL_1,
      expected: { status: "past_due", price: 3000, invoice: "open" },
      async see(world) {
        const changed = await (await failingUpgrade(world, {})).upgrade();
        const invoice = expanded(changed.latest_invoice).status;
        return { status: changed.status, price: amountOf(changed), invoice };
      },
    },
    {
      name: "error_if_incomplete refuses it and changes nothing",
      source: reference("subscriptions/update#payment_behavior"),
      now: APRIL_1,
      expected: { answer: 402, status: "active", price: 1000 },
      async see(world) {
        const { id, upgrade } = await failingUpgrade(world, {
          payment_behavior: "error_if_incomplete",
        });
        const answer = await statusOf(upgrade());
        const now = await world.stripe.subscriptions.retrieve(id);
        return { answer, status: now.status, price: amountOf(now) };
      },
    },
    {
      name: "pending_if_incomplete keeps it apart",
      source: docs("billing/subscriptions/pending-updates"),
      now: APRIL_1,
      expected: { status: "active", price: 1000, pending: true, invoice: "open" },
      async see(world) {
        const changed = await (await failingUpgrade(world, kept)).upgrade();
        return {
          status: changed.status,
          price: amountOf(changed),
          pending: changed.pending_update !== null,
          invoice: expanded(changed.latest_invoice).status,
        };
      },
    },
    {
      name: "a pending update holds the metadata until it is paid",
      source: changelog("2026-05-27: pending updates hold metadata"),
      now: APRIL_1,
      expected: { pending: "pro", now: null },
      async see(world) {
        const metadata = { plan: "pro" };
        const { upgrade } = await failingUpgrade(world, { ...kept, metadata });
        const changed = await upgrade();
        const pending = changed.pending_update?.metadata?.plan ?? null;
        return { pending, now: changed.metadata.plan ?? null };
      },
    },
    {
      name: "a pending update is applied once its invoice is paid",
      source: docs("billing/subscriptions/pending-updates"),
      now: APRIL_1,
      expected: { price: 3000, pending: false, applied: 1 },
      async see(world) {
        const { id, customer, upgrade } = await failingUpgrade(world, kept);
        const invoice = idOf((await upgrade()).latest_invoice);
        const payment_method = await world.useCard(customer, "pm_card_visa");
        await world.stripe.invoices.pay(invoice, { payment_method });
        const now = await world.stripe.subscriptions.retrieve(id);
        const applied = await world.events("customer.subscription.pending_update_applied");
        return {
          price: amountOf(now),
          pending: now.pending_update !== null,
          applied: applied.length,
        };
      },
    },
    {
      name: "a pending update expires after 23 hours and its invoice is void",
      source: docs("billing/subscriptions/pending-updates-reference"),
      now: APRIL_1,
      expected: { price: 1000, pending: false, expired: 1, invoice: "void" },
      async see(world) {
        const { id, upgrade } = await failingUpgrade(world, kept);
        const invoice = idOf((await upgrade()).latest_invoice);
        await world.double.clock.advance({ hours: 23, minutes: 1 });
        const now = await world.stripe.subscriptions.retrieve(id);
        const expired = await world.events("customer.subscription.pending_update_expired");
        return {
          price: amountOf(now),
          pending: now.pending_update !== null,
          expired: expired.length,
          invoice: (await world.stripe.invoices.retrieve(invoice)).status,
        };
      },
    },
    {
      name: "a pending update with a parameter it cannot hold is refused",
      source: docs("billing/subscriptions/pending-updates-reference"),
      now: APRIL_1,
      expected: 400,
      async see(world) {
        const { upgrade } = await failingUpgrade(world, { ...kept, description: "Pro" });
        return statusOf(upgrade());
      },
    },
  ],
};
