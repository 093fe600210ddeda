/** How subscriptions end, at once or later, and what an end leaves behind. */
import type { Theme } from "../../harness/behaviour.js";
import {
  amountsOf,
  expanded,
  first,
  idOf,
  iso,
  last,
  refusal,
  seconds,
  statusOf,
} from "../../harness/read.js";
import { docs, reference, thread, types } from "../../harness/sources.js";
import { APRIL_1 } from "../../harness/world.js";

export const endings: Theme = {
  name: "Ends of subscriptions",
  behaviours: [
    {
      name: "cancel_at_period_end ends it at the period's end",
      source: docs("billing/subscriptions/cancel#cancel-at-the-end-of-the-current-billing-cycle"),
      expected: {
        cancelAt: "2026-02-28T10:00:00Z",
        before: "active",
        after: "canceled",
        reason: "cancellation_requested",
        deleted: 1,
        invoices: 1,
      },
      async see({ double, stripe, subscribe, events, invoices }) {
        const { id, customer } = await subscribe(1000);
        const set = await stripe.subscriptions.update(id, { cancel_at_period_end: true });
        await double.clock.advance({ days: 29 });
        const ended = await stripe.subscriptions.retrieve(id);
        return {
          cancelAt: iso(set.cancel_at ?? 0),
          before: set.status,
          after: ended.status,
          reason: ended.cancellation_details?.reason ?? null,
          deleted: (await events("customer.subscription.deleted")).length,
          invoices: (await invoices(idOf(customer))).length,
        };
      },
    },
    {
      name: "canceled_at is the request's time and ended_at the end's",
      source: reference("subscriptions/object#canceled_at"),
      expected: { canceled: "2026-02-05T10:00:00Z", ended: "2026-02-28T10:00:00Z" },
      async see({ double, stripe, subscribe }) {
        const { id } = await subscribe(1000);
        await double.clock.advance({ days: 5 });
        await stripe.subscriptions.update(id, { cancel_at_period_end: true });
        await double.clock.advance({ days: 29 });
        const { canceled_at, ended_at } = await stripe.subscriptions.retrieve(id);
        return { canceled: iso(canceled_at ?? 0), ended: iso(ended_at ?? 0) };
      },
    },
    {
      name: "a scheduled end can be taken back before it comes",
      source: docs("billing/subscriptions/cancel#reactivating-canceled-subscriptions"),
      expected: { cancelAt: null, canceledAt: null, flag: false, later: "active" },
      async see({ double, stripe, subscribe }) {
        const { id } = await subscribe(1000);
        await stripe.subscriptions.update(id, { cancel_at_period_end: true });
        const kept = await stripe.subscriptions.update(id, { cancel_at_period_end: false });
        await double.clock.advance({ days: 29 });
        return {
          cancelAt: kept.cancel_at,
          canceledAt: kept.canceled_at,
          flag: kept.cancel_at_period_end,
          later: (await stripe.subscriptions.retrieve(id)).status,
        };
      },
    },
    {
      name: "canceling at once credits nothing",
      source: reference("subscriptions/cancel#prorate"),
      now: APRIL_1,
      expected: { status: "canceled", ended: "2026-04-16T00:00:00Z", items: 0, balance: 0 },
      async see({ double, stripe, subscribe, pendingItems }) {
        const { id, customer } = await subscribe(1000);
        await double.clock.advance({ days: 15 });
        const { status, ended_at } = await stripe.subscriptions.cancel(id);
        const items = await pendingItems({ customer });
        const payer = await stripe.customers.retrieve(idOf(customer));
        const balance = payer.deleted ? null : payer.balance;
        return { status, ended: iso(ended_at ?? 0), items: items.length, balance };
      },
    },
    {
      name: "canceling with prorate and invoice_now credits the unused time",
      source: reference("subscriptions/cancel#invoice_now"),
      now: APRIL_1,
      expected: { total: -500, balance: -500 },
      async see({ double, stripe, subscribe, invoices }) {
        const { id, customer } = await subscribe(1000);
        await double.clock.advance({ days: 15 });
        await stripe.subscriptions.cancel(id, { prorate: true, invoice_now: true });
        const { total } = last(await invoices(idOf(customer)));
        const payer = await stripe.customers.retrieve(idOf(customer));
        return { total, balance: payer.deleted ? null : payer.balance };
      },
    },
    {
      name: "an ended one cannot be changed back",
      source: docs("billing/subscriptions/cancel#reactivating-canceled-subscriptions"),
      expected: { items: 400, status: "canceled" },
      async see({ stripe, price, subscribe }) {
        const { id } = await subscribe(1000);
        await stripe.subscriptions.cancel(id);
        const items = [{ price: await price(3000) }];
        return {
          items: await statusOf(stripe.subscriptions.update(id, { items })),
          status: (await stripe.subscriptions.retrieve(id)).status,
        };
      },
    },
    {
      name: "canceling twice: the second finds none",
      source: thread("stripe/stripe-go#1887, remi-stripe: akin to being deleted"),
      expected: { status: 404, code: "resource_missing" },
      async see({ stripe, subscribe }) {
        const { id } = await subscribe(1000);
        await stripe.subscriptions.cancel(id);
        const { status, code } = await refusal(stripe.subscriptions.cancel(id));
        return { status, code };
      },
    },
    {
      name: "an end stops the collection of open invoices",
      source: reference("subscriptions/cancel"),
      expected: { status: "open", autoAdvance: false },
      async see({ double, stripe, subscribe, useCard, invoices }) {
        const { id, customer } = await subscribe(1000);
        await useCard(idOf(customer), "pm_card_chargeCustomerFail");
        await double.clock.advance({ days: 29 });
        await stripe.subscriptions.cancel(id);
        const { status, auto_advance: autoAdvance } = last(await invoices(idOf(customer)));
        return { status, autoAdvance };
      },
    },
    {
      name: "cancel_at inside the period shortens it and prorates",
      source: types("SubscriptionUpdateParams.cancel_at"),
      now: APRIL_1,
      expected: { end: "2026-04-16T00:00:00Z", amounts: [-1500] },
      async see({ stripe, subscribe, pendingItems }) {
        const { id, customer } = await subscribe(3000);
        const cancel_at = seconds("2026-04-16T00:00:00Z");
        const { items } = await stripe.subscriptions.update(id, { cancel_at });
        const amounts = amountsOf(await pendingItems({ customer }));
        return { end: iso(first(items).current_period_end), amounts };
      },
    },
    {
      name: "the feedback and the comment of a cancellation are kept",
      source: reference("subscriptions/cancel#cancellation_details"),
      expected: { feedback: "too_expensive", comment: "No", reason: "cancellation_requested" },
      async see({ stripe, subscribe, events }) {
        const { id } = await subscribe(1000);
        await stripe.subscriptions.cancel(id, {
          cancellation_details: { feedback: "too_expensive", comment: "No" },
        });
        const event = last(await events("customer.subscription.deleted"));
        if (event.type !== "customer.subscription.deleted") return event.type;
        const { feedback, comment, reason } = event.data.object.cancellation_details ?? {};
        return { feedback, comment, reason };
      },
    },
    {
      name: "a deleted customer's subscriptions end at once",
      source: reference("customers/delete"),
      expected: { deleted: true, status: "canceled" },
      async see({ stripe, subscribe }) {
        const { id, customer } = await subscribe(1000);
        await stripe.customers.del(idOf(customer));
        const gone = await stripe.customers.retrieve(idOf(customer));
        const { status } = await stripe.subscriptions.retrieve(id);
        return { deleted: gone.deleted ?? false, status };
      },
    },
    {
      name: "a removed item is credited",
      source: docs("billing/subscriptions/multiple-products"),
      now: APRIL_1,
      expected: { items: 1, amounts: [-1500] },
      async see({ double, stripe, price, subscribe, pendingItems }) {
        const items = [{ price: await price(1000) }, { price: await price(3000) }];
        const subscription = await subscribe(0, { items });
        await double.clock.advance({ days: 15 });
        const dear = subscription.items.data.find(({ price }) => price.unit_amount === 3000);
        const changed = await stripe.subscriptions.update(subscription.id, {
          items: [{ id: idOf(dear), deleted: true }],
        });
        const amounts = amountsOf(await pendingItems(subscription));
        return { items: changed.items.data.length, amounts };
      },
    },
    {
      name: "min_period_end is resolved to a time at once",
      source: types("SubscriptionUpdateParams.cancel_at"),
      expected: "2026-02-28T10:00:00Z",
      async see({ stripe, subscribe }) {
        const { id } = await subscribe(1000);
        const set = await stripe.subscriptions.update(id, { cancel_at: "min_period_end" });
        return iso(set.cancel_at ?? 0);
      },
    },
    {
      name: "an end with an unpaid renewal leaves its invoice to be paid by hand",
      source: docs(
        "billing/subscriptions/cancel#handle-invoice-items-when-canceling-subscriptions",
      ),
      expected: { paid: "paid", status: "canceled" },
      async see({ double, stripe, subscribe, useCard }) {
        const { id, customer } = await subscribe(1000);
        await useCard(idOf(customer), "pm_card_chargeCustomerFail");
        await double.clock.advance({ days: 29 });
        const ended = await stripe.subscriptions.cancel(id, { expand: ["latest_invoice"] });
        const card = await useCard(idOf(customer), "pm_card_visa");
        const invoice = expanded(ended.latest_invoice).id;
        const { status: paid } = await stripe.invoices.pay(invoice, { payment_method: card });
        return { paid, status: (await stripe.subscriptions.retrieve(id)).status };
      },
    },
  ],
};
