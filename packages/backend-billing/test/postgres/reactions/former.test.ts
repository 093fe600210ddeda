// What becomes of a customer's objects after the customer is gone: told of the entity that it had.
import type Stripe from "stripe";
import { expect, it } from "vitest";
import { createBilling, type Queryable, type Reactions } from "../../../src/postgres/index.js";
import { type App, applications } from "../service/kit.js";
import { namesIn, opened, settled, subscribe, toldIn, writing } from "./kit.js";

const openApp = applications();

const GONE = ["access.lost", "customer.deleted", "subscription.ended"];

async function chargeOf({ stripe }: App, customer: Stripe.Subscription["customer"]) {
  const { data } = await stripe.charges.list({ customer: String(customer) });
  return data[0]?.id ?? "";
}

it("a refund and an end that are learnt later are told, though the entity has another customer", async () => {
  const app = await opened(openApp, { on: writing(...GONE, "refund.created") });
  const { customer } = await subscribe(app, "user_1");
  await settled(app);
  const charge = await chargeOf(app, customer);
  app.double.faults.add({ fault: "lost", on: "customer.subscription.deleted" });
  await app.stripe.customers.del(String(customer));
  await settled(app);
  expect((await namesIn(app)).sort()).toEqual(["access.lost", "customer.deleted"]);
  expect((await app.b.setup({ entityId: "user_1" })).customerId).not.toBe(customer);
  await app.stripe.refunds.create({ charge });
  await app.double.settle(); // what a first listing finds before its event comes is not told
  await app.b.billing.reconcile();
  await settled(app);
  const told = await toldIn(app);
  expect(
    told
      .slice(2)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["refund.created", "subscription.ended"]);
  expect(new Set(told.map(({ entity }) => entity))).toEqual(new Set(["user_1"]));
});

it("the loss of access is told of an entity of which nothing was told before", async () => {
  const app = await opened(openApp, {});
  const { customer } = await subscribe(app, "user_1");
  await app.double.settle();
  const b = createBilling({ ...app.config, on: writing(...GONE) });
  await b.setup({ entityId: "user_2" }); // from here on it listens
  await app.stripe.customers.del(String(customer));
  await app.double.settle();
  await b.billing.tick();
  await settled(app);
  expect((await namesIn(app)).sort()).toEqual(GONE);
  await b.billing.close();
});

it("an end carries the group of what was sold", async () => {
  const groups: unknown[] = [];
  const on: Reactions<Queryable> = {
    "subscription.ended": async ({ before, after, subscription }) => {
      groups.push([before?.group, after.group, subscription.status]);
    },
  };
  const app = await opened(openApp, { on });
  const { customer, items } = await subscribe(app, "user_1");
  const metadata = { billing_group: "support" };
  await app.stripe.products.update(String(items.data[0]?.price.product), { metadata });
  await settled(app);
  app.double.faults.add({ fault: "lost", on: "customer.subscription.deleted" });
  await app.stripe.customers.del(String(customer));
  await settled(app);
  await app.b.billing.reconcile();
  await settled(app);
  expect(groups).toEqual([["support", "support", "none"]]);
});
