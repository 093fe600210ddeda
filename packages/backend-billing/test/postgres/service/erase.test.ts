// An entity leaves: nothing personal stays in any table, whatever Stripe says of it later.
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import {
  ada,
  babbage,
  comeLate,
  live,
  type Person,
  personal,
} from "../../../../../support/erase/life.js";
import { defineCatalogue } from "../../../src/catalogue/index.js";
import type { PostgresConfig, Queryable, Reactions } from "../../../src/postgres/index.js";
import { driftIn, erased, found, known, waiting } from "./erase-kit.js";
import { type App, applications, eventually } from "./kit.js";
import { post } from "./webhook-kit.js";

const open = applications();
const catalogue = defineCatalogue({ features: { letters: "credits" } });

const told: string[] = [];

/** Handlers that write down what they are told; that of charges fails until it is allowed to work. */
const handlers = (works: { isOn: boolean }): Reactions<Queryable> => {
  const write = async ({ name, entityId }: { name: string; entityId: string }) =>
    void told.push(`${name} ${entityId}`);
  return {
    "customer.deleted": write,
    "subscription.ended": write,
    "access.lost": write,
    change: {
      charges: async () => {
        if (!works.isOn) throw new Error("Not now");
      },
    },
  };
};

async function priceOf({ stripe }: App): Promise<string> {
  const price = await stripe.prices.create({
    currency: "usd",
    unit_amount: 1_000,
    recurring: { interval: "month" },
    product_data: { name: "Engine" },
  });
  return price.id;
}

async function openWith(
  people: readonly Person[],
  config: Partial<PostgresConfig> = {},
): Promise<{ app: App; customers: readonly string[]; price: string }> {
  told.length = 0;
  const app = await open({ config: { resources: "all", catalogue, ...config } });
  await app.b.sync();
  const price = await priceOf(app);
  const customers: string[] = [];
  for (const person of people) {
    const { entityId, email, secret } = person;
    const { customerId } = await app.b.setup({ entityId, email, metadata: { secret } });
    customers.push(customerId);
    await live(app, customerId, price, person);
    const page = await app.b.billing.pay({
      entityId,
      priceId: (
        await app.stripe.prices.create({
          currency: "usd",
          unit_amount: 5,
          product_data: { name: "Pen" },
        })
      ).id,
      referenceId: `order of ${secret}`,
      successUrl: `${app.url}/thanks`,
      cancelUrl: `${app.url}/cart`,
    });
    app.double.dashboard.payCheckout(page.sessionId ?? "", { email });
    await app.b.store.grant({ entityId, feature: "letters", amount: 5, key: `to ${secret}` });
    await app.b.store.consume({ entityId, feature: "letters", key: `for ${person.email}` });
  }
  await known(app);
  return { app, customers, price };
}

/** In a transaction of the application's own, which deletes its own row of the entity. */
async function erase(app: App, person: Person, customer?: "keep"): Promise<void> {
  const client = await app.pool.connect();
  try {
    await client.query("BEGIN");
    await app.b.store.in(client).erase({ entityId: person.entityId, customer });
    await client.query("COMMIT");
  } finally {
    client.release();
  }
}

/** Every event that Stripe has of a customer comes once more, under other ids. */
async function repeat(app: App, events: readonly Stripe.Event[]): Promise<void> {
  for (const each of events) {
    await post(app, JSON.stringify({ ...each, id: `${each.id}_again` }));
  }
}

describe("an entity that is erased", { tags: ["slow"] }, () => {
  it("leaves nothing personal in any table, and others as they are", async () => {
    const works = { isOn: false };
    const { app, customers } = await openWith([ada, babbage], { on: handlers(works) as never });
    const [customer = "", other = ""] = customers;
    const events = await app.stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1000 });
    expect(await found(app, [...personal(ada), ada.entityId])).not.toEqual([]);
    /** What is stored of the other one, but what waits to be told. */
    const others = async () =>
      (await found(app, [...personal(babbage), babbage.entityId, other])).filter(
        (each) => !each.includes(": backend_billing_records (change,"),
      );
    const before = (await others()).length;
    await erase(app, ada);
    // What is to be told of charges waits for its handler, without anything personal.
    await eventually(
      () => found(app, personal(ada)),
      (left) => left.length === 0,
    );
    expect((await waiting(app)).length).toBe(1);
    works.isOn = true;
    await app.sql(`UPDATE ${app.schema}.backend_billing_records SET due = 0 WHERE kind = 'change'`);
    await erased(app);
    expect(told.sort()).toEqual(
      ["access.lost", "customer.deleted", "subscription.ended"].map(
        (name) => `${name} ${ada.entityId}`,
      ),
    );
    expect(await found(app, [...personal(ada), ada.entityId])).toEqual([]);
    expect(app.double.objects("customer").map(({ id }) => id)).toEqual([other]);
    const own = app.double.objects("subscription").filter((each) => each.customer === customer);
    expect(own.map(({ status }) => status)).toEqual(["canceled"]);
    await repeat(app, events);
    await comeLate(app, customer, ada);
    await known(app);
    await app.b.billing.reconcile(); // finds what Stripe sends no event of
    expect(driftIn(await app.b.billing.verify())).toEqual([]);
    expect(await found(app, [...personal(ada), ada.entityId])).toEqual([]);
    expect((await others()).length).toBeGreaterThanOrEqual(before);
    const left = await app.b.store.related("invoices", "customerId", customer, "", 10);
    const invoice = await app.b.store.row("invoices", left.ids[0] ?? "");
    expect(invoice?.stripe).toMatchObject({
      customer,
      erased: true,
      status: "paid",
      customer_email: null,
    });
  });

  it("may stay a customer at Stripe, and is another one when it comes back", async () => {
    const { app, customers } = await openWith([ada], { on: handlers({ isOn: true }) as never });
    const [customer = ""] = customers;
    await erase(app, ada, "keep");
    await erased(app);
    expect(told.sort()).toEqual(
      ["access.lost", "customer.deleted", "subscription.ended"].map(
        (name) => `${name} ${ada.entityId}`,
      ),
    );
    const left = await app.stripe.customers.retrieve(customer);
    expect(left).toMatchObject({ email: ada.email, metadata: { secret: ada.secret } });
    await app.stripe.customers.update(customer, {
      metadata: { entityId: ada.entityId },
      name: `${ada.name} II`,
    });
    await comeLate(app, customer, ada);
    await known(app);
    expect(await found(app, [...personal(ada), ada.entityId])).toEqual([]);
    const again = await app.b.setup({ entityId: ada.entityId });
    expect(again.customerId).not.toBe(customer);
    await erase(app, ada);
    await erased(app);
    expect(await found(app, [...personal(ada), ada.entityId])).toEqual([]);
  });

  it("is erased in the end, though Stripe fails and nothing was ever bought", async () => {
    const app = await open({ config: { catalogue } });
    await app.b.store.erase({ entityId: "nobody" });
    await erased(app);
    const { customerId } = await app.b.setup({ entityId: ada.entityId, email: ada.email });
    app.double.faults.add({
      fault: "error_before",
      status: 500,
      on: "DELETE /v1/customers/:customer",
      times: 4, // more often than the SDK tries
    });
    await app.b.store.erase({ entityId: ada.entityId });
    await erased(app);
    expect(app.double.objects("customer").map(({ id }) => id)).not.toContain(customerId);
    expect(await found(app, [...personal(ada), ada.entityId])).toEqual([]);
  });
});
