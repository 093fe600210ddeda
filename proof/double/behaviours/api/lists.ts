/** Lists and searches: order, pages, filters, and what they leave out. */
import type { Theme } from "../../harness/behaviour.js";
import { idOf, refusal, seconds, statusOf } from "../../harness/read.js";
import { docs, reference, types } from "../../harness/sources.js";
import type { World } from "../../harness/world.js";

async function people({ stripe }: World, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await stripe.customers.create({ name: String(index) });
  }
}

const searched = [
  "subscriptions",
  "invoices",
  "prices",
  "products",
  "charges",
  "paymentIntents",
] as const;

export const lists: Theme = {
  name: "Lists and searches",
  behaviours: [
    {
      name: "newest first, in pages, forwards and backwards",
      source: docs("api/pagination"),
      expected: { first: ["4", "3"], more: true, after: ["2", "1"], before: ["4", "3"] },
      async see(world) {
        const { customers } = world.stripe;
        await people(world, 5);
        const page = await customers.list({ limit: 2 });
        const next = await customers.list({ limit: 2, starting_after: idOf(page.data[1]) });
        const back = await customers.list({ limit: 2, ending_before: idOf(next.data[0]) });
        const named = ({ data }: typeof page) => data.map(({ name }) => name);
        return { first: named(page), more: page.has_more, after: named(next), before: named(back) };
      },
    },
    {
      name: "ten by default, and from 1 to 100",
      source: docs("api/pagination"),
      expected: { default: 10, none: 400, most: 200, more: 400 },
      async see(world) {
        const { customers } = world.stripe;
        await people(world, 11);
        return {
          default: (await customers.list()).data.length,
          none: await statusOf(customers.list({ limit: 0 })),
          most: await statusOf(customers.list({ limit: 100 })),
          more: await statusOf(customers.list({ limit: 101 })),
        };
      },
    },
    {
      name: "after an object that is not there",
      source: docs("error-codes#resource-missing"),
      expected: { status: 400, code: "resource_missing", param: "starting_after" },
      async see({ stripe }) {
        const { status, code, param } = await refusal(
          stripe.customers.list({ starting_after: "cus_none" }),
        );
        return { status, code, param };
      },
    },
    {
      name: "the filter by email address heeds upper and lower case",
      source: reference("customers/list#email"),
      expected: { same: 1, other: 0 },
      async see({ stripe }) {
        await stripe.customers.create({ email: "ada@example.com" });
        const count = async (email: string) => (await stripe.customers.list({ email })).data.length;
        return { same: await count("ada@example.com"), other: await count("ADA@example.com") };
      },
    },
    {
      name: "the filter by creation",
      source: reference("customers/list#created"),
      expected: { before: ["old"], from: ["new"] },
      async see({ double, stripe }) {
        await stripe.customers.create({ name: "old" });
        await double.clock.advance({ days: 1 });
        await stripe.customers.create({ name: "new" });
        const moment = seconds("2026-02-01T00:00:00Z");
        const { data: before } = await stripe.customers.list({ created: { lt: moment } });
        const { data: from } = await stripe.customers.list({ created: { gte: moment } });
        return { before: before.map(({ name }) => name), from: from.map(({ name }) => name) };
      },
    },
    {
      name: "canceled subscriptions are left out unless they are asked for",
      source: reference("subscriptions/list#status"),
      expected: { plain: 0, all: 1, canceled: 1, ended: 1, active: 0 },
      async see({ stripe, subscribe }) {
        await stripe.subscriptions.cancel((await subscribe(1000)).id);
        const count = async (status?: "all" | "canceled" | "ended" | "active") =>
          (await stripe.subscriptions.list(status === undefined ? {} : { status })).data.length;
        return {
          plain: await count(),
          all: await count("all"),
          canceled: await count("canceled"),
          ended: await count("ended"),
          active: await count("active"),
        };
      },
    },
    {
      name: "a deleted customer's subscriptions are among the canceled ones",
      source: types("SubscriptionListParams.status"),
      expected: 1,
      async see({ stripe, subscribe }) {
        const { customer } = await subscribe(1000);
        await stripe.customers.del(idOf(customer));
        return (await stripe.subscriptions.list({ status: "canceled" })).data.length;
      },
    },
    {
      name: "a deleted customer is in no list",
      source: reference("customers/list"),
      expected: 0,
      async see({ stripe, customer }) {
        await stripe.customers.del(await customer());
        return (await stripe.customers.list()).data.length;
      },
    },
    {
      name: "prices by lookup key, at most ten at once",
      source: reference("prices/list#lookup_keys"),
      expected: { found: 1, tooMany: 400 },
      async see({ stripe, price }) {
        await price(1000, { lookup_key: "pro" });
        await price(2000, { lookup_key: "team" });
        const keys = Array.from({ length: 11 }, (_, index) => `key_${index}`);
        return {
          found: (await stripe.prices.list({ lookup_keys: ["pro"] })).data.length,
          tooMany: await statusOf(stripe.prices.list({ lookup_keys: keys })),
        };
      },
    },
    {
      name: "what is listed can be expanded, four levels deep at most",
      source: docs("expand#how-it-works"),
      expected: { expanded: true, tooDeep: 400 },
      async see({ stripe, subscribe }) {
        await subscribe(1000);
        const { data } = await stripe.subscriptions.list({ expand: ["data.customer"] });
        const deep =
          "data.latest_invoice.customer.invoice_settings.default_payment_method.customer";
        return {
          expanded: data.every(({ customer }) => typeof customer !== "string"),
          tooDeep: await statusOf(stripe.subscriptions.list({ expand: [deep] })),
        };
      },
    },
    {
      name: "what cannot be expanded is refused",
      source: docs("expand"),
      expected: 400,
      async see({ stripe, customer }) {
        return statusOf(stripe.customers.retrieve(await customer(), { expand: ["email"] }));
      },
    },
    {
      name: "a search sees what was made a minute ago, not what was made now",
      source: docs("search#data-freshness"),
      expected: { now: 0, later: 1 },
      async see({ double, stripe }) {
        await stripe.customers.create({ email: "ada@example.com", metadata: { plan: "pro" } });
        const count = async (query: string) =>
          (await stripe.customers.search({ query })).data.length;
        const now = await count("email:'ada@example.com'");
        await double.clock.advance({ minutes: 1 });
        return { now, later: await count("metadata['plan']:'pro'") };
      },
    },
    {
      name: "a search by AND and OR together is refused",
      source: docs("search#query-structure"),
      expected: { and: 200, or: 200, both: 400 },
      async see({ stripe }) {
        const search = (query: string) => statusOf(stripe.customers.search({ query }));
        return {
          and: await search("email:'a' AND name:'b'"),
          or: await search("email:'a' OR name:'b'"),
          both: await search("email:'a' AND name:'b' OR name:'c'"),
        };
      },
    },
    {
      name: "what else can be searched",
      source: docs("search#supported-query-fields-for-each-resource"),
      expected: [],
      async see({ stripe }) {
        const refused: string[] = [];
        for (const resource of searched) {
          const status = await statusOf(stripe[resource].search({ query: "created>0" }));
          if (status !== 200) refused.push(`${resource}: ${status}`);
        }
        return refused;
      },
    },
    {
      name: "a field that cannot be searched is refused",
      source: docs("search#supported-query-fields-for-each-resource"),
      expected: 400,
      see: ({ stripe }) => statusOf(stripe.customers.search({ query: "balance>0" })),
    },
  ],
};
