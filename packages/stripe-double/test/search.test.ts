import { describe, expect, it } from "vitest";
import { errorOf, openShop, payer, rig } from "./kit.js";

describe("customer search", () => {
  it("does not find what was written in the last seconds", async () => {
    const { double, stripe } = await rig();
    const { id } = await stripe.customers.create({ metadata: { entityId: "e1" } });
    const found = async (value: string) =>
      (await stripe.customers.search({ query: `metadata['entityId']:'${value}'` })).data.length;
    expect(await found("e1")).toBe(0);
    expect((await stripe.customers.list()).data).toHaveLength(1); // the list has no lag
    await double.clock.advance({ seconds: 30 });
    expect(await found("e1")).toBe(1);
    await stripe.customers.update(id, { metadata: { entityId: "e2" } });
    expect([await found("e1"), await found("e2")]).toEqual([1, 0]);
    await double.clock.advance({ seconds: 30 });
    expect([await found("e1"), await found("e2")]).toEqual([0, 1]);
    await stripe.customers.del(id);
    expect(await found("e2")).toBe(1);
    await double.clock.advance({ seconds: 30 });
    expect(await found("e2")).toBe(0);
  });

  it("lags by up to an hour when it is told to", async () => {
    const { double, stripe } = await rig();
    await stripe.customers.create({ name: "Ada" });
    double.faults.add({
      fault: "list_lag",
      milliseconds: 3_600_000,
      on: "GET /v1/customers/search",
    });
    const found = async () => (await stripe.customers.search({ query: "name:'Ada'" })).data.length;
    await double.clock.advance({ minutes: 59 });
    expect(await found()).toBe(0);
    await double.clock.advance({ minutes: 1 });
    expect(await found()).toBe(1);
  });

  it("takes clauses on fields and metadata, joined by AND or OR, and negated", async () => {
    const { double, stripe } = await rig();
    await stripe.customers.create({ name: "Ada Lovelace", email: "Ada@example.com" });
    await stripe.customers.create({ name: "Grace", metadata: { team: "7" } });
    await double.clock.advance({ minutes: 5 });
    await stripe.customers.create({ name: "Alan", phone: "123" });
    await double.clock.advance({ minutes: 5 });
    const names = async (query: string) =>
      (await stripe.customers.search({ query })).data.map(({ name }) => name?.split(" ")[0]);
    expect(await names("email:'ada@example.com'")).toEqual(["Ada"]);
    expect(await names("name~'love'")).toEqual(["Ada"]);
    expect(await names("metadata['team']:'7'")).toEqual(["Grace"]);
    expect(await names("-metadata['team']:null")).toEqual(["Grace"]);
    expect(await names("name:'Grace' OR name:'Alan'")).toEqual(["Alan", "Grace"]);
    expect(await names("name:'Grace' AND metadata['team']:'8'")).toEqual([]);
    const { created } = (await stripe.customers.list()).data[0] ?? { created: 0 };
    expect(await names(`created<${created}`)).toEqual(["Grace", "Ada"]);
    expect(await names(`created>=${created}`)).toEqual(["Alan"]);
  });

  it("pages with tokens of its own", async () => {
    const { double, stripe } = await rig();
    for (let i = 0; i < 7; i++) await stripe.customers.create({ name: "Ada" });
    await double.clock.advance({ minutes: 1 });
    const query = "name:'Ada'";
    const first = await stripe.customers.search({ query, limit: 3 });
    expect(first).toMatchObject({ object: "search_result", has_more: true });
    expect(first.next_page).toMatch(/^page_/);
    const all: string[] = [];
    for await (const { id } of stripe.customers.search({ query, limit: 3 })) all.push(id);
    expect(new Set(all).size).toBe(7);
  });

  it("refuses what it cannot parse, mix or search by", async () => {
    const { stripe } = await rig();
    for (const query of ["name", "name:Ada", "name:'a' AND name:'b' OR name:'c'", "balance:'0'"]) {
      expect(await errorOf(stripe.customers.search({ query }))).toMatchObject({
        statusCode: 400,
        param: "query",
      });
    }
  });
});

describe("search of the other kinds (docs: Search, query fields)", () => {
  it("takes their fields, and clauses without a word between them", async () => {
    const { double, stripe } = await rig();
    const { monthly, product } = await openShop(stripe);
    const customer = await payer(stripe);
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: monthly.id }],
      metadata: { seat: "1" },
    });
    await double.clock.advance({ minutes: 1 });
    const found = [
      await stripe.subscriptions.search({ query: "status:'active' metadata['seat']:'1'" }),
      await stripe.invoices.search({ query: `total>1000 AND subscription:'${subscription.id}'` }),
      await stripe.prices.search({ query: `active:'true' AND product:'${product.id}'` }),
      await stripe.products.search({ query: "name~'Difference' active:'true'" }),
      await stripe.charges.search({ query: "payment_method_details.card.last4:4242" }),
      await stripe.paymentIntents.search({ query: "amount:2000 -currency:'eur'" }),
    ];
    const kinds = ["subscription", "invoice", "price", "product", "charge", "payment_intent"];
    expect(found.map(({ data }) => data[0]?.object)).toEqual(kinds);
    const canceled = await stripe.subscriptions.search({ query: "status:'canceled'" });
    expect(canceled.data).toEqual([]);
    expect(await errorOf(stripe.subscriptions.search({ query: "customer:'x'" }))).toMatchObject({
      statusCode: 400,
    });
  });
});
