// Customers that an application on Convex has already become its entities', one for each.
import Stripe from "stripe";
import { expect, it } from "vitest";
import { customerOf, subscriptionOf } from "../../../src/convex/index.js";
import { type App, openApp, thrown } from "./kit.js";

async function open(): Promise<App & { stripe: Stripe }> {
  const app = await openApp();
  return { ...app, stripe: new Stripe(app.double.secretKey, app.double.stripeConfig) };
}

const adopt = (app: App, entityId: string, customerId: string) =>
  app.within((ctx) => app.deployment.B.billing.adopt(ctx, { entityId, customerId }));

it("a customer becomes the entity's, with its subscriptions, and is marked at Stripe", async () => {
  const app = await open();
  const { stripe, double, deployment } = app;
  const { id } = await stripe.customers.create({ metadata: { since: "2019" } });
  await stripe.paymentMethods.attach("pm_card_visa", { customer: id });
  const product = await stripe.products.create({ name: "Pro" });
  const price = await stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 1000,
    recurring: { interval: "month" },
  });
  const [{ id: method } = { id: "" }] = double.objects("payment_method");
  await stripe.subscriptions.create({
    customer: id,
    items: [{ price: price.id }],
    default_payment_method: method,
  });
  for (let time = 0; time < 2; time++) {
    expect(await adopt(app, "user_1", id)).toEqual({ customerId: id });
  }
  expect(double.objects("customer")).toMatchObject([
    { id, metadata: { since: "2019", entityId: "user_1" } },
  ]);
  expect(await app.call("billing:setup", { entityId: "user_1" })).toEqual({ customerId: id });
  const [row, state] = await deployment.backend.query(async (ctx) => [
    await customerOf(ctx, "user_1"),
    await subscriptionOf(ctx, "user_1"),
  ]);
  expect(row).toMatchObject({ customerId: id, entityId: "user_1" });
  expect(state).toMatchObject({ access: true, priceId: price.id });
  const other = await stripe.customers.create();
  const viaA = app.within((ctx) =>
    app.deployment.A.stripe.adopt(ctx, { entityId: "user_2", customerId: other.id }),
  );
  expect(await viaA).toEqual({ customerId: other.id });
});

it("what is linked otherwise is refused, with what to do", async () => {
  const app = await open();
  const { customerId } = await app.call<{ customerId: string }>("billing:setup", {
    entityId: "user_1",
  });
  expect(await thrown(adopt(app, "user_2", customerId))).toMatchObject({
    data: { code: "already_linked", message: expect.stringContaining(customerId) },
  });
  const { id } = await app.stripe.customers.create();
  expect(await thrown(adopt(app, "user_1", id))).toMatchObject({
    data: { code: "already_linked" },
  });
  expect(await thrown(adopt(app, "user_3", "cus_none"))).toMatchObject({
    data: { code: "customer_not_found" },
  });
});

it("of callers at once exactly one wins", async () => {
  const app = await open();
  const { id } = await app.stripe.customers.create();
  const entities = ["user_1", "user_2", "user_3"];
  const ended = await Promise.allSettled(entities.map((entity) => adopt(app, entity, id)));
  const winners = entities.filter((_, n) => ended[n]?.status === "fulfilled");
  expect(winners).toHaveLength(1);
  expect(app.double.objects("customer")).toMatchObject([{ metadata: { entityId: winners[0] } }]);
  const others = await Promise.all([app.stripe.customers.create(), app.stripe.customers.create()]);
  const both = await Promise.allSettled(others.map((each) => adopt(app, "user_9", each.id)));
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});
