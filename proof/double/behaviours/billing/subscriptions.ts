/** How subscriptions renew, pause and are changed, apart from money: see prorations and discounts. */
import type { Theme } from "../../harness/behaviour.js";
import { expanded, first, idOf, last, periodEnd, refusal, statusOf } from "../../harness/read.js";
import { changelog, docs, reference, thread, types } from "../../harness/sources.js";
import { APRIL_1 } from "../../harness/world.js";

export const subscriptions: Theme = {
  name: "Subscriptions",
  behaviours: [
    {
      name: "month-end anchor",
      source: docs("billing/subscriptions/billing-cycle"),
      expected: { first: "2026-02-28T10:00:00Z", second: "2026-03-31T10:00:00Z" },
      async see({ double, stripe, subscribe }) {
        const subscription = await subscribe(1000);
        await double.clock.advance({ days: 29 });
        const renewed = await stripe.subscriptions.retrieve(subscription.id);
        return { first: periodEnd(subscription), second: periodEnd(renewed) };
      },
    },
    {
      name: "a renewal's invoice is a draft for an hour",
      source: docs("billing/subscriptions/webhooks#payment-failures"),
      expected: { reason: "subscription_cycle", before: "draft", after: "paid" },
      async see({ double, stripe, subscribe, invoices }) {
        const { customer } = await subscribe(1000);
        await double.clock.advanceTo("2026-02-28T10:30:00Z");
        const draft = last(await invoices(idOf(customer)));
        await double.clock.advance({ minutes: 31 });
        const { status } = await stripe.invoices.retrieve(draft.id);
        return { reason: draft.billing_reason, before: draft.status, after: status };
      },
    },
    {
      name: "the same price twice is refused",
      source: reference("subscriptions/create#items"),
      expected: 400,
      async see({ price, subscribe }) {
        const id = await price(1000);
        return statusOf(subscribe(1000, { items: [{ price: id }, { price: id }] }));
      },
    },
    {
      name: "prices of a month and a year in one subscription",
      source: changelog("2025-07-30: mixed interval subscriptions"),
      expected: { status: 200 },
      async see({ price, subscribe }) {
        const yearly = await price(9000, { recurring: { interval: "year" } });
        const items = [{ price: await price(1000) }, { price: yearly }];
        const { status } = await refusal(subscribe(0, { items }));
        return { status };
      },
    },
    {
      name: "a second currency for one customer is refused",
      source: thread("Automattic/woocommerce-payments#7732: you cannot combine currencies"),
      expected: 400,
      async see({ price, subscribe }) {
        const { customer } = await subscribe(1000);
        const items = [{ price: await price(1000, { currency: "eur" }) }];
        return statusOf(subscribe(0, { customer: idOf(customer), items }));
      },
    },
    {
      name: "an archived price cannot be subscribed to",
      source: docs("products-prices/manage-prices#archive-a-price"),
      expected: { status: 400, existing: "active" },
      async see({ double, stripe, price, subscribe }) {
        const id = await price(1000);
        const existing = await subscribe(1000, { items: [{ price: id }] });
        await stripe.prices.update(id, { active: false });
        const status = await statusOf(subscribe(1000, { items: [{ price: id }] }));
        await double.clock.advance({ days: 29 });
        return { status, existing: (await stripe.subscriptions.retrieve(existing.id)).status };
      },
    },
    {
      name: "an item without an id is added",
      source: docs("billing/subscriptions/change-price"),
      expected: 2,
      async see({ stripe, price, subscribe }) {
        const { id } = await subscribe(1000);
        const items = [{ price: await price(3000) }];
        return (await stripe.subscriptions.update(id, { items })).items.data.length;
      },
    },
    {
      name: "another price sets the quantity back to 1",
      source: reference("subscriptions/update#items.price"),
      expected: 1,
      async see({ stripe, price, subscribe }) {
        const { id, items } = await subscribe(1000, {
          items: [{ price: await price(1000), quantity: 4 }],
        });
        const changed = await stripe.subscriptions.update(id, {
          items: [{ id: first(items).id, price: await price(3000) }],
        });
        return first(changed.items).quantity;
      },
    },
    {
      name: "collection that is paused leaves it active",
      source: docs("billing/subscriptions/pause-payment"),
      expected: { status: "active", invoice: "void", paused: 0 },
      async see({ double, stripe, subscribe, events }) {
        const { id } = await subscribe(1000);
        await stripe.subscriptions.update(id, { pause_collection: { behavior: "void" } });
        await double.clock.advance({ days: 29 });
        const renewed = await stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] });
        const paused = (await events("customer.subscription.paused")).length;
        return { status: renewed.status, invoice: expanded(renewed.latest_invoice).status, paused };
      },
    },
    {
      name: "collection paused as drafts keeps them drafts",
      source: docs("billing/subscriptions/pause-payment"),
      expected: { invoice: "draft", autoAdvance: false },
      async see({ double, stripe, subscribe }) {
        const { id } = await subscribe(1000);
        await stripe.subscriptions.update(id, { pause_collection: { behavior: "keep_as_draft" } });
        await double.clock.advance({ days: 32 });
        const renewed = await stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] });
        const { status, auto_advance: autoAdvance } = expanded(renewed.latest_invoice);
        return { invoice: status, autoAdvance };
      },
    },
    {
      name: "only a paused one can be resumed",
      source: reference("subscriptions/resume"),
      expected: 400,
      async see({ stripe, subscribe }) {
        const { id } = await subscribe(1000);
        return statusOf(stripe.subscriptions.resume(id));
      },
    },
    {
      name: "a change of the anchor to now bills a new period",
      source: docs("billing/subscriptions/billing-cycle#changing"),
      now: APRIL_1,
      expected: { end: "2026-05-16T00:00:00Z", total: 500 },
      async see({ double, stripe, subscribe }) {
        const { id } = await subscribe(1000);
        await double.clock.advance({ days: 15 });
        const changed = await stripe.subscriptions.update(id, {
          billing_cycle_anchor: { type: "now" },
          proration_behavior: "always_invoice",
          expand: ["latest_invoice"],
        });
        return { end: periodEnd(changed), total: expanded(changed.latest_invoice).total };
      },
    },
    {
      name: "flexible billing mode by default",
      source: changelog("2025-09-30.clover: flexible billing mode is the default"),
      expected: "flexible",
      async see({ subscribe }) {
        return (await subscribe(1000)).billing_mode.type;
      },
    },
    {
      name: "classic billing mode by default before 2025-09-30",
      source: types("Subscription.billing_mode; docs: Billing mode, by the request's version"),
      expected: "classic",
      async see({ stripe, price, customer }) {
        const items = [{ price: await price(1000) }];
        const subscription = await stripe.subscriptions.create(
          { customer: await customer(), items },
          { apiVersion: "2025-08-27.basil" },
        );
        return subscription.billing_mode.type;
      },
    },
  ],
};
