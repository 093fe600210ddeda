import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import {
  changeCard,
  errorOf,
  idsOf,
  NOW,
  objectOf,
  openShop,
  payer,
  type Rig,
  rig,
  START,
} from "./kit.js";

/** So many customers, one a second; their ids, newest first. */
async function customers({ double, stripe }: Rig, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    ids.unshift((await stripe.customers.create({ name: `c${i}` })).id);
    await double.clock.advance({ seconds: 1 });
  }
  return ids;
}

describe("pages", () => {
  it("are ten long by default, newest first, and say whether more follows", async () => {
    const it = await rig();
    const all = await customers(it, 11);
    const first = await it.stripe.customers.list();
    expect(first).toMatchObject({ object: "list", url: "/v1/customers", has_more: true });
    expect(idsOf(first)).toEqual(all.slice(0, 10));
    const exact = await it.stripe.customers.list({ limit: 11 });
    expect(idsOf(exact)).toEqual(all);
    expect(exact.has_more).toBe(false);
  });

  it("go on after a cursor and back before one", async () => {
    const it = await rig();
    const all = await customers(it, 9);
    const after = await it.stripe.customers.list({ limit: 3, starting_after: all[2] as string });
    expect(idsOf(after)).toEqual(all.slice(3, 6));
    expect(after.has_more).toBe(true);
    // Before a cursor come those next to it, still newest first.
    const before = await it.stripe.customers.list({ limit: 2, ending_before: all[5] as string });
    expect(idsOf(before)).toEqual(all.slice(3, 5));
    expect(before.has_more).toBe(true);
    const rest = await it.stripe.customers.list({ limit: 3, ending_before: all[2] as string });
    expect(idsOf(rest)).toEqual(all.slice(0, 2));
    expect(rest.has_more).toBe(false);
    const end = await it.stripe.customers.list({ starting_after: all[8] as string });
    expect(end.data).toEqual([]);
    expect(end.has_more).toBe(false);
  });

  it("are walked by the SDK, downwards with no cursor and upwards with ending_before", async () => {
    const it = await rig();
    const all = await customers(it, 7);
    const down: string[] = [];
    for await (const { id } of it.stripe.customers.list({ limit: 2 })) down.push(id);
    expect(down).toEqual(all);
    const up: string[] = [];
    const oldest = all[6] as string;
    for await (const { id } of it.stripe.customers.list({ limit: 2, ending_before: oldest })) {
      up.push(id);
    }
    expect(up).toEqual(all.slice(0, 6).reverse());
  });

  it("lose nothing and repeat nothing while objects are added during the walk", async () => {
    const it = await rig();
    const all = await customers(it, 6);
    const seen: string[] = [];
    for await (const { id } of it.stripe.customers.list({ limit: 2 })) {
      seen.push(id);
      await it.stripe.customers.create();
    }
    expect(seen).toEqual(all);
  });

  it("cannot follow a cursor whose object was deleted or never was", async () => {
    const it = await rig();
    const [first = "", second = ""] = await customers(it, 3);
    await it.stripe.customers.del(second);
    for (const [param, cursor] of [
      ["starting_after", second],
      ["ending_before", second],
      ["starting_after", "cus_never"],
    ] as const) {
      expect(await errorOf(it.stripe.customers.list({ [param]: cursor }))).toMatchObject({
        statusCode: 400,
        code: "resource_missing",
        param,
        message: `No such customer: '${cursor}'`,
      });
    }
    expect((await it.stripe.customers.list({ starting_after: first })).data).toHaveLength(1);
  });

  it("follow a cursor that a filter leaves out", async () => {
    const it = await rig();
    const { monthly } = await openShop(it.stripe);
    const customer = await payer(it.stripe);
    const made: string[] = [];
    for (let i = 0; i < 3; i++) {
      const params = { customer: customer.id, items: [{ price: monthly.id }] };
      made.unshift((await it.stripe.subscriptions.create(params)).id);
    }
    await it.stripe.subscriptions.cancel(made[1] as string);
    const page = await it.stripe.subscriptions.list({ starting_after: made[1] as string });
    expect(idsOf(page)).toEqual([made[2]]);
  });

  it("take limits from 1 to 100, and one cursor at a time", async () => {
    const { stripe } = await rig();
    for (const limit of [0, 101, -1]) {
      expect(await errorOf(stripe.customers.list({ limit }))).toMatchObject({
        statusCode: 400,
        param: "limit",
      });
    }
    expect(await stripe.customers.list({ limit: 1 })).toMatchObject({ data: [] });
    expect(await stripe.customers.list({ limit: 100 })).toMatchObject({ data: [] });
    const both = stripe.customers.list({ starting_after: "cus_1", ending_before: "cus_2" });
    expect((await errorOf(both)).message).toContain("both starting_after and ending_before");
  });
});

describe("created filters", () => {
  const seconds = async (it: Rig, created: Stripe.RangeQueryParam | number) =>
    (await it.stripe.customers.list({ created, limit: 100 })).data.map((c) => c.created - START);

  it("take a second, or a range that is open or closed at either end", async () => {
    const it = await rig();
    await customers(it, 6); // at seconds 0 to 5
    expect(await seconds(it, START + 2)).toEqual([2]);
    expect(await seconds(it, { gt: START + 2 })).toEqual([5, 4, 3]);
    expect(await seconds(it, { gte: START + 2 })).toEqual([5, 4, 3, 2]);
    expect(await seconds(it, { lt: START + 2 })).toEqual([1, 0]);
    expect(await seconds(it, { lte: START + 2 })).toEqual([2, 1, 0]);
    expect(await seconds(it, { gte: START + 1, lt: START + 4 })).toEqual([3, 2, 1]);
    expect(await seconds(it, { gt: START + 1, lte: START + 4 })).toEqual([4, 3, 2]);
    expect(await seconds(it, { gte: START + 3, lt: START + 3 })).toEqual([]);
  });

  it("cut a history into half-open ranges without a gap or an overlap", async () => {
    const it = await rig();
    const all = await customers(it, 10);
    const parts: string[] = [];
    for (const [gte, lt] of [
      [0, 3],
      [3, 4],
      [4, 10],
    ] as const) {
      const created = { gte: START + gte, lt: START + lt };
      const page = await it.stripe.customers.list({ created, limit: 2 }).autoPagingToArray({
        limit: 100,
      });
      parts.push(...page.map(({ id }) => id));
    }
    expect(parts.sort()).toEqual([...all].sort());
  });

  it("hold several objects of one second together", async () => {
    const { double, stripe } = await rig();
    for (let i = 0; i < 4; i++) {
      await stripe.customers.create();
      await double.clock.advance({ milliseconds: 400 });
    }
    const second = async (at: number) =>
      (await stripe.customers.list({ created: START + at })).data.length;
    expect([await second(0), await second(1), await second(2)]).toEqual([3, 1, 0]);
  });

  it("keep to their range while a cursor moves within it", async () => {
    const it = await rig();
    const all = await customers(it, 8);
    const created = { gte: START + 2, lt: START + 6 };
    const first = await it.stripe.customers.list({ created, limit: 3 });
    expect(idsOf(first)).toEqual(all.slice(2, 5));
    const next = await it.stripe.customers.list({
      created,
      limit: 3,
      starting_after: all[4] as string,
    });
    expect(idsOf(next)).toEqual([all[5]]);
    expect(next.has_more).toBe(false);
  });

  it("refuse what is not a time", async () => {
    const { stripe } = await rig();
    const created = { gte: "yesterday" } as unknown as Stripe.RangeQueryParam;
    expect(await errorOf(stripe.customers.list({ created }))).toMatchObject({
      statusCode: 400,
      param: "created[gte]",
    });
  });
});

describe("lists that hide things", () => {
  it("leave canceled subscriptions out unless all, canceled or ended ones are asked for", async () => {
    const { double, stripe } = await rig();
    const { monthly } = await openShop(stripe);
    const customer = await payer(stripe);
    const items = [{ price: monthly.id }];
    const subscribe = (more = {}) =>
      stripe.subscriptions.create({ customer: customer.id, items, ...more });
    const kept = await subscribe();
    const canceled = await subscribe();
    await stripe.subscriptions.cancel(canceled.id);
    const expired = await subscribe({ payment_behavior: "default_incomplete" });
    await double.clock.advance({ hours: 24 });
    const list = async (status?: Stripe.SubscriptionListParams.Status) =>
      idsOf(await stripe.subscriptions.list(status === undefined ? {} : { status }));
    expect(await list()).toEqual([kept.id]);
    expect(await list("canceled")).toEqual([canceled.id]);
    expect(await list("ended")).toEqual([expired.id, canceled.id]);
    expect(await list("incomplete_expired")).toEqual([expired.id]);
    expect(await list("all")).toEqual([expired.id, canceled.id, kept.id]);
    // Hidden is not gone.
    expect((await stripe.subscriptions.retrieve(canceled.id)).status).toBe("canceled");
  });

  it("show inline prices in no list, whatever is asked for", async () => {
    const { stripe } = await rig();
    const { product, monthly, yearly } = await openShop(stripe);
    const customer = await payer(stripe);
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [
        {
          price_data: {
            currency: "usd",
            product: product.id,
            unit_amount: 700,
            recurring: { interval: "month" },
          },
        },
      ],
    });
    const inline = subscription.items.data[0]?.price.id ?? "";
    for (const params of [{}, { active: true }, { active: false }, { product: product.id }]) {
      const prices = await stripe.prices.list({ limit: 100, ...params });
      expect(idsOf(prices)).not.toContain(inline);
    }
    expect(idsOf(await stripe.prices.list())).toEqual([yearly.id, monthly.id]);
    expect((await stripe.prices.retrieve(inline)).unit_amount).toBe(700);
  });

  it("show active prices unless inactive ones are asked for", async () => {
    const { stripe } = await rig();
    const { monthly, yearly } = await openShop(stripe);
    await stripe.prices.update(monthly.id, { active: false });
    expect(idsOf(await stripe.prices.list())).toEqual([yearly.id]);
    expect(idsOf(await stripe.prices.list({ active: true }))).toEqual([yearly.id]);
    expect(idsOf(await stripe.prices.list({ active: false }))).toEqual([monthly.id]);
  });

  it("leave deleted customers out, who answer that they are deleted", async () => {
    const { stripe } = await rig();
    const { id } = await stripe.customers.create();
    expect(await stripe.customers.del(id)).toMatchObject({ id, deleted: true });
    expect((await stripe.customers.list()).data).toEqual([]);
    const gone = await stripe.customers.retrieve(id);
    expect(gone).toMatchObject({ id, object: "customer", deleted: true });
    expect(gone).not.toHaveProperty("created");
    expect((await errorOf(stripe.customers.update(id, { name: "x" }))).statusCode).toBe(404);
    expect((await errorOf(stripe.customers.del(id))).statusCode).toBe(404);
  });

  it("refuse a filter by a customer that never was, and take one that was deleted", async () => {
    const { stripe } = await rig();
    const { monthly } = await openShop(stripe);
    const customer = await payer(stripe);
    const items = [{ price: monthly.id }];
    const { id } = await stripe.subscriptions.create({ customer: customer.id, items });
    await stripe.customers.del(customer.id);
    const all = await stripe.subscriptions.list({ customer: customer.id, status: "all" });
    expect(idsOf(all)).toEqual([id]);
    expect(all.data[0]?.status).toBe("canceled");
    for (const list of [stripe.subscriptions, stripe.invoices]) {
      expect(await errorOf(list.list({ customer: "cus_never" }))).toMatchObject({
        statusCode: 400,
        code: "resource_missing",
        param: "customer",
      });
    }
  });
});

describe("embedded lists", () => {
  async function crowded({ stripe }: Rig, count: number) {
    const product = await stripe.products.create({ name: "Parts" });
    const items: { price: string }[] = [];
    for (let i = 0; i < count; i++) {
      const price = await stripe.prices.create({
        product: product.id,
        currency: "usd",
        unit_amount: 100 + i,
        recurring: { interval: "month" },
      });
      items.push({ price: price.id });
    }
    const customer = await payer(stripe);
    return stripe.subscriptions.create({ customer: customer.id, items });
  }

  it("are cut at ten, and subscription_items lists them all", async () => {
    const it = await rig();
    const subscription = await crowded(it, 13);
    expect(subscription.items.data).toHaveLength(10);
    expect(subscription.items.has_more).toBe(true);
    const items = await it.stripe.subscriptionItems
      .list({ subscription: subscription.id, limit: 4 })
      .autoPagingToArray({ limit: 100 });
    expect(items).toHaveLength(13);
    expect(items.slice(0, 10).map(({ id }) => id)).toEqual(idsOf(subscription.items));
    expect(new Set(items.map(({ price }) => price.id)).size).toBe(13);
    const last = items[12]?.id ?? "";
    const before = await it.stripe.subscriptionItems.list({
      subscription: subscription.id,
      ending_before: last,
      limit: 2,
    });
    expect(idsOf(before)).toEqual([items[10]?.id, items[11]?.id]);
    const unknown = it.stripe.subscriptionItems.list({
      subscription: subscription.id,
      starting_after: "si_never",
    });
    expect(await errorOf(unknown)).toMatchObject({ statusCode: 400, code: "resource_missing" });
  });

  it("are cut on invoices too, in answers, lists and events", async () => {
    const it = await rig();
    const { latest_invoice: id } = await crowded(it, 12);
    const invoice = await it.stripe.invoices.retrieve(String(id));
    expect(invoice.lines.data).toHaveLength(10);
    expect(invoice.lines.has_more).toBe(true);
    const total = (12 * (100 + 111)) / 2;
    expect(invoice.total).toBe(total);
    const lines = await it.stripe.invoices
      .listLineItems(String(id), { limit: 5 })
      .autoPagingToArray({ limit: 100 });
    expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(total);
    const [listed] = (await it.stripe.invoices.list()).data;
    expect(listed?.lines).toMatchObject({ has_more: true });
    const [event] = (await it.stripe.events.list({ type: "invoice.paid" })).data;
    expect(objectOf<Stripe.Invoice>(event).lines.data).toHaveLength(10);
  });

  it("are whole where they fit", async () => {
    const it = await rig({ embeddedLimit: 3 });
    expect((await crowded(it, 3)).items).toMatchObject({ has_more: false });
    expect((await crowded(it, 4)).items.has_more).toBe(true);
  });
});

describe("very many objects", () => {
  it("are listed like any others, and mix with those made later", async () => {
    const { double, stripe } = await rig();
    double.populate({ object: "customer", count: 1000, from: "2025-01-01", to: "2025-12-31" });
    const late = await stripe.customers.create({ name: "late" });
    const all = await stripe.customers.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 });
    expect(all).toHaveLength(1001);
    expect(all[0]?.id).toBe(late.id);
    expect(new Set(all.map(({ id }) => id)).size).toBe(1001);
    const middle = all[500] as Stripe.Customer;
    expect(await stripe.customers.retrieve(middle.id)).toMatchObject({ name: middle.name });
    await stripe.customers.update(middle.id, { name: "changed" });
    await stripe.customers.del(all[501]?.id ?? "");
    const around = await stripe.customers.list({ starting_after: all[499]?.id ?? "", limit: 2 });
    expect(around.data.map(({ name }) => name)).toEqual(["changed", all[502]?.name]);
    const from = Date.parse("2025-06-01") / 1000;
    const june = await stripe.customers
      .list({ created: { gte: from, lt: from + 30 * 86_400 }, limit: 100 })
      .autoPagingToArray({ limit: 1000 });
    expect(june.map(({ id }) => id)).toEqual(
      all.filter(({ created }) => created >= from && created < from + 30 * 86_400).map((c) => c.id),
    );
  });

  it("are found by the fields that lists filter on", async () => {
    const { double, stripe } = await rig();
    const customer = await payer(stripe);
    const template = await stripe.paymentIntents.create({ amount: 100, currency: "usd" });
    const plain = JSON.parse(JSON.stringify(template));
    double.populate({
      object: "payment_intent",
      count: 50,
      from: NOW,
      make: (index, seed) => ({
        ...plain,
        ...seed,
        customer: index % 2 ? customer.id : null,
        amount: index,
      }),
    });
    const later = await stripe.paymentIntents.create({
      amount: 100,
      currency: "usd",
      customer: customer.id,
    });
    const listed = await stripe.paymentIntents.list({ customer: customer.id, limit: 100 });
    expect(listed.data).toHaveLength(26);
    expect(listed.data[0]?.id).toBe(later.id);
    expect(listed.data.slice(1).every(({ amount }) => amount % 2 === 1)).toBe(true);
  });

  it("cannot be from the future, nor older than what is there", async () => {
    const { double, stripe } = await rig();
    const future = { object: "customer", count: 2, to: "2027-01-01" } as const;
    expect(() => double.populate(future)).toThrow(RangeError);
    await stripe.customers.create();
    const past = { object: "customer", count: 2, from: "2025-01-01", to: "2025-02-01" } as const;
    expect(() => double.populate(past)).toThrow(RangeError);
  });
});

it("a list can be asked for by its other filters", async () => {
  const { stripe } = await rig();
  const { product, monthly, yearly } = await openShop(stripe);
  await stripe.customers.create({ email: "a@example.com" });
  const b = await stripe.customers.create({ email: "b@example.com" });
  expect(idsOf(await stripe.customers.list({ email: "b@example.com" }))).toEqual([b.id]);
  const other = await stripe.products.create({ name: "Other", active: false });
  expect(idsOf(await stripe.products.list({ active: false }))).toEqual([other.id]);
  expect(idsOf(await stripe.products.list({ ids: [product.id] }))).toEqual([product.id]);
  expect(idsOf(await stripe.prices.list({ product: other.id }))).toEqual([]);
  const customer = await payer(stripe);
  await changeCard(stripe, customer.id, "pm_card_mastercard");
  const items = [{ price: yearly.id }];
  const sub = await stripe.subscriptions.create({ customer: customer.id, items });
  expect(idsOf(await stripe.subscriptions.list({ price: yearly.id }))).toEqual([sub.id]);
  expect(idsOf(await stripe.subscriptions.list({ price: monthly.id }))).toEqual([]);
  expect(idsOf(await stripe.subscriptions.list({ customer: b.id }))).toEqual([]);
  const invoices = await stripe.invoices.list({ subscription: sub.id, status: "paid" });
  expect(invoices.data).toHaveLength(1);
  expect((await stripe.invoices.list({ status: "draft" })).data).toEqual([]);
});
