/** Events: what they say of a change, and how they are listed. */
import type { Theme } from "../../harness/behaviour.js";
import { at, first, idOf, last, previous, refusal, seconds, statusOf } from "../../harness/read.js";
import { docs, reference, types } from "../../harness/sources.js";

export const events: Theme = {
  name: "Events",
  behaviours: [
    {
      name: "previous_attributes has what changed, and nothing else",
      source: reference("events/object#data.previous_attributes"),
      expected: { metadata: { plan: null }, name: null },
      async see({ stripe, customer, events }) {
        const id = await customer(null);
        await stripe.customers.update(id, { name: "Ada", metadata: { plan: "pro" } });
        return previous(last(await events("customer.updated")));
      },
    },
    {
      name: "a change that changes nothing raises nothing",
      source: reference("events/types#customer.updated"),
      expected: [],
      async see({ stripe, customer, raisedBy }) {
        const id = await customer(null, { name: "Ada" });
        return raisedBy(() => stripe.customers.update(id, { name: "Ada" }));
      },
    },
    {
      name: "only updates have previous_attributes",
      source: reference("events/object#data.previous_attributes"),
      expected: { created: false, deleted: false },
      async see({ stripe, customer, events }) {
        await stripe.customers.del(await customer(null));
        const has = async (type: string) =>
          at(last(await events(type)), "data.previous_attributes") !== undefined;
        return { created: await has("customer.created"), deleted: await has("customer.deleted") };
      },
    },
    {
      name: "what Stripe does by itself names no request",
      source: reference("events/object#request"),
      expected: { byRequest: true, byItself: null },
      async see({ double, subscribe, events }) {
        await subscribe(1000);
        const byRequest = last(await events("invoice.created")).request?.id?.startsWith("req_");
        await double.clock.advance({ days: 29 });
        return { byRequest, byItself: last(await events("invoice.created")).request?.id ?? null };
      },
    },
    {
      name: "an event shows the object as it was",
      source: docs("event-destinations#events-overview"),
      expected: { event: "Ada", now: "Eve" },
      async see({ stripe, customer, events }) {
        const id = await customer(null, { name: "Ada" });
        await stripe.customers.update(id, { name: "Eve" });
        const event = first(await events("customer.created"));
        const now = await stripe.customers.retrieve(id);
        return { event: String(at(event, "data.object.name")), now: now.deleted ? "" : now.name };
      },
    },
    {
      name: "a change of a subscription's price shows its items before",
      source: reference("events/object#data.previous_attributes"),
      expected: { now: 3000, before: 1000 },
      async see({ stripe, price, subscribe, events }) {
        const { id, items } = await subscribe(1000);
        await stripe.subscriptions.update(id, {
          items: [{ id: first(items).id, price: await price(3000) }],
        });
        const event = last(await events("customer.subscription.updated"));
        const amount = (path: string) =>
          Number(at(event, `data.${path}.items.data.0.price.unit_amount`));
        return { now: amount("object"), before: amount("previous_attributes") };
      },
    },
    {
      name: "a scheduled cancellation is an update, and its end a deletion",
      source: docs("billing/subscriptions/webhooks#state-changes"),
      expected: { before: false, updated: true, deleted: "canceled" },
      async see({ double, stripe, subscribe, events }) {
        const { id } = await subscribe(1000);
        await stripe.subscriptions.update(id, { cancel_at_period_end: true });
        const update = last(await events("customer.subscription.updated"));
        await double.clock.advance({ days: 29 });
        const end = last(await events("customer.subscription.deleted"));
        return {
          before: at(update, "data.previous_attributes.cancel_at_period_end") === true,
          updated: at(update, "data.object.cancel_at_period_end") === true,
          deleted: String(at(end, "data.object.status")),
        };
      },
    },
    {
      name: "kept for 30 days",
      source: reference("events/list"),
      expected: { before: 1, after: 0 },
      async see({ double, stripe, events }) {
        await stripe.customers.create();
        await double.clock.advance({ days: 29 });
        const before = (await events()).length;
        await double.clock.advance({ days: 2 });
        return { before, after: (await events()).length };
      },
    },
    {
      name: "listed by types with a star",
      source: reference("events/list#type"),
      expected: { star: 2, one: 1 },
      async see({ stripe, customer, events }) {
        const id = await customer(null);
        await stripe.customers.update(id, { name: "Ada" });
        await stripe.products.create({ name: "Pro" });
        const star = (await events("customer.*")).length;
        return { star, one: (await events("customer.updated")).length };
      },
    },
    {
      name: "listed by at most twenty types, and not by type and types",
      source: reference("events/list#types"),
      expected: { twenty: 200, more: 400, both: 400 },
      async see({ stripe }) {
        const type = "customer.created";
        const list = (count: number) => stripe.events.list({ types: Array(count).fill(type) });
        return {
          twenty: await statusOf(list(20)),
          more: await statusOf(list(21)),
          both: await statusOf(stripe.events.list({ type, types: [type] })),
        };
      },
    },
    {
      name: "oldest first when paging backwards",
      source: docs("webhooks/process-undelivered-events"),
      expected: ["1", "2", "3"],
      async see({ stripe }) {
        await stripe.customers.create({ name: "0" });
        const known = first(await stripe.events.list({ type: "customer.created" }));
        for (const name of ["1", "2", "3"]) await stripe.customers.create({ name });
        const caught: string[] = [];
        const list = stripe.events.list({ ending_before: known.id, type: "customer.created" });
        for await (const event of list) caught.push(String(at(event, "data.object.name")));
        return caught;
      },
    },
    {
      name: "listed by creation",
      source: reference("events/list#created"),
      expected: { before: 1, after: 1 },
      async see({ double, stripe }) {
        await stripe.customers.create();
        await double.clock.advance({ days: 1 });
        await stripe.customers.create();
        const moment = seconds("2026-02-01T00:00:00Z");
        const before = await stripe.events.list({ created: { lt: moment } });
        const after = await stripe.events.list({ created: { gte: moment } });
        return { before: before.data.length, after: after.data.length };
      },
    },
    {
      name: "one that is not there",
      source: docs("error-codes#resource-missing"),
      expected: { status: 404, code: "resource_missing" },
      async see({ stripe }) {
        const { status, code } = await refusal(stripe.events.retrieve("evt_none"));
        return { status, code };
      },
    },
    {
      name: "edits of payment intents raise nothing",
      source: types("Event types: there is no payment_intent.updated"),
      expected: [],
      async see({ stripe, raisedBy }) {
        const { id } = await stripe.paymentIntents.create({ amount: 500, currency: "usd" });
        return raisedBy(() => stripe.paymentIntents.update(id, { amount: 600 }));
      },
    },
    {
      name: "a recurring price is told as a price and as a plan",
      source: docs("billing/migration/migrating-prices"),
      expected: ["plan.created", "price.created"],
      async see({ price, raisedBy, stripe }) {
        const id = await price(1000);
        const product = idOf((await stripe.prices.retrieve(id)).product);
        const raised = await raisedBy(() => price(2000, { product }));
        return raised.sort();
      },
    },
  ],
};
