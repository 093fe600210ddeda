/** Trials: what they cost, when they are announced, and how they end with and without a card. */
import type { Theme } from "../../harness/behaviour.js";
import { expanded, idOf, iso, last, periodEnd, seconds, statusOf } from "../../harness/read.js";
import { docs, reference, thread, types } from "../../harness/sources.js";

const WILL_END = "customer.subscription.trial_will_end";
const ends = ["pause", "cancel", "create_invoice"] as const;

export const trials: Theme = {
  name: "Trials",
  behaviours: [
    {
      name: "trial_will_end comes three days before, or at once for a short one",
      source: docs("billing/subscriptions/trials"),
      expected: { before: 0, after: 1, short: 2 },
      async see({ double, subscribe, events }) {
        const count = async () => (await events(WILL_END)).length;
        await subscribe(1000, { trial_period_days: 14 });
        await double.clock.advance({ days: 10, hours: 23 });
        const before = await count();
        await double.clock.advance({ hours: 2 });
        const after = await count();
        await subscribe(1000, { trial_period_days: 1 });
        await double.settle();
        return { before, after, short: await count() };
      },
    },
    {
      name: "trial_will_end comes at once when a trial is ended early",
      source: types("Event customer.subscription.trial_will_end"),
      expected: 1,
      async see({ double, stripe, subscribe, events }) {
        const { id } = await subscribe(1000, { trial_period_days: 14 });
        await stripe.subscriptions.update(id, { trial_end: "now" });
        await double.settle();
        return (await events(WILL_END)).length;
      },
    },
    {
      name: "a trial begins with a paid invoice of nothing",
      source: docs("billing/subscriptions/trials"),
      expected: { status: "trialing", total: 0, invoice: "paid", reason: "subscription_create" },
      async see({ subscribe }) {
        const subscription = await subscribe(1000, {
          trial_period_days: 14,
          expand: ["latest_invoice"],
        });
        const { total, status, billing_reason } = expanded(subscription.latest_invoice);
        return { status: subscription.status, total, invoice: status, reason: billing_reason };
      },
    },
    {
      name: "a trial that ends bills the first period",
      source: docs("billing/subscriptions/trials"),
      expected: {
        status: "active",
        total: 1000,
        reason: "subscription_cycle",
        end: "2026-03-14T10:00:00Z",
      },
      async see({ double, stripe, subscribe }) {
        const { id } = await subscribe(1000, { trial_period_days: 14 });
        await double.clock.advance({ days: 14, hours: 2 });
        const begun = await stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] });
        const { total, billing_reason: reason } = expanded(begun.latest_invoice);
        return { status: begun.status, total, reason, end: periodEnd(begun) };
      },
    },
    {
      name: "a trial's end is the anchor of the periods",
      source: reference("subscriptions/object#billing_cycle_anchor"),
      expected: "2026-02-14T10:00:00Z",
      async see({ subscribe }) {
        return iso((await subscribe(1000, { trial_period_days: 14 })).billing_cycle_anchor);
      },
    },
    {
      name: "without a card it pauses, ends, or owes, as was chosen",
      source: docs("billing/subscriptions/trials/free-trials#create-free-trials-without-payment"),
      expected: { pause: "paused", cancel: "canceled", create_invoice: "past_due" },
      async see({ double, stripe, customer, subscribe }) {
        const begun = new Map<string, string>();
        for (const end of ends) {
          const { id } = await subscribe(1000, {
            customer: await customer(null),
            trial_period_days: 7,
            trial_settings: { end_behavior: { missing_payment_method: end } },
          });
          begun.set(end, id);
        }
        await double.clock.advance({ days: 7, hours: 2 });
        const statuses: { [end: string]: string } = {};
        for (const [end, id] of begun) {
          statuses[end] = (await stripe.subscriptions.retrieve(id)).status;
        }
        return statuses;
      },
    },
    {
      name: "ending one now obeys the choice for a missing card",
      source: thread("stripe/stripe-cli, fixture of customer.subscription.paused"),
      expected: { status: "paused", events: 1 },
      async see({ stripe, customer, subscribe, events }) {
        const { id } = await subscribe(1000, {
          customer: await customer(null),
          trial_period_days: 7,
          trial_settings: { end_behavior: { missing_payment_method: "pause" } },
        });
        const { status } = await stripe.subscriptions.update(id, { trial_end: "now" });
        return { status, events: (await events("customer.subscription.paused")).length };
      },
    },
    {
      name: "ending one now bills at once",
      source: docs("billing/subscriptions/trials#end-a-trial"),
      expected: { status: "active", total: 1000, invoice: "paid", anchor: "2026-02-03T10:00:00Z" },
      async see({ double, stripe, subscribe }) {
        const { id } = await subscribe(1000, { trial_period_days: 14 });
        await double.clock.advance({ days: 3 });
        const ended = await stripe.subscriptions.update(id, {
          trial_end: "now",
          expand: ["latest_invoice"],
        });
        const { total, status } = expanded(ended.latest_invoice);
        const anchor = iso(ended.billing_cycle_anchor);
        return { status: ended.status, total, invoice: status, anchor };
      },
    },
    {
      name: "a paused one that is resumed bills at once",
      source: docs("billing/subscriptions/trials/free-trials#resume-a-paused-subscription"),
      expected: { status: "active", total: 1000, resumed: 1 },
      async see({ double, stripe, customer, subscribe, useCard, events }) {
        const payer = await customer(null);
        const { id } = await subscribe(1000, {
          customer: payer,
          trial_period_days: 7,
          trial_settings: { end_behavior: { missing_payment_method: "pause" } },
        });
        await double.clock.advance({ days: 8 });
        await useCard(payer, "pm_card_visa");
        await stripe.subscriptions.resume(id);
        const resumed = await stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] });
        return {
          status: resumed.status,
          total: expanded(resumed.latest_invoice).total,
          resumed: (await events("customer.subscription.resumed")).length,
        };
      },
    },
    {
      name: "a trial longer than two years is refused",
      source: reference("subscriptions/create#trial_end"),
      expected: 400,
      see: ({ subscribe }) => statusOf(subscribe(1000, { trial_period_days: 731 })),
    },
    {
      name: "a trial that is canceled at its end bills nothing",
      source: docs("billing/subscriptions/trials"),
      expected: { status: "canceled", totals: [0] },
      async see({ double, stripe, subscribe, invoices }) {
        const { id, customer } = await subscribe(1000, { trial_period_days: 7 });
        await stripe.subscriptions.update(id, { cancel_at_period_end: true });
        await double.clock.advance({ days: 8 });
        const { status } = await stripe.subscriptions.retrieve(id);
        return { status, totals: (await invoices(idOf(customer))).map(({ total }) => total) };
      },
    },
    {
      name: "a change of price within a trial bills nothing",
      source: docs("billing/subscriptions/prorations"),
      expected: { total: 0, end: "2026-02-14T10:00:00Z", later: 3000 },
      async see({ double, stripe, price, subscribe, invoices }) {
        const { id, items, customer } = await subscribe(1000, { trial_period_days: 14 });
        await double.clock.advance({ days: 3 });
        const changed = await stripe.subscriptions.update(id, {
          items: [{ id: idOf(items.data[0]), price: await price(3000) }],
        });
        const before = (await invoices(idOf(customer))).reduce((sum, { total }) => sum + total, 0);
        await double.clock.advance({ days: 11, hours: 2 });
        const later = last(await invoices(idOf(customer))).total;
        return { total: before, end: periodEnd(changed), later };
      },
    },
    {
      name: "a longer trial moves the period's end",
      source: reference("subscriptions/update#trial_end"),
      expected: { status: "trialing", end: "2026-03-01T00:00:00Z" },
      async see({ stripe, subscribe }) {
        const { id } = await subscribe(1000, { trial_period_days: 7 });
        const trial_end = seconds("2026-03-01T00:00:00Z");
        const longer = await stripe.subscriptions.update(id, { trial_end });
        return { status: longer.status, end: periodEnd(longer) };
      },
    },
  ],
};
