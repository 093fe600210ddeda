// What a customer has when it is adopted is told once, of its entity: before the first listing and
// after it, whatever is heard of it later.
import { expect, it } from "vitest";
import { applications } from "../service/kit.js";
import { namesIn, opened, payingCustomer, priceOf, settled, toldIn, writing } from "./kit.js";

const openApp = applications();

const NAMES = ["customer.linked", "subscription.started", "access.granted", "access.lost"] as const;

it.each([
  ["never listed anything", false],
  ["listed everything", true],
])("by an application that has %s", async (_, isListed) => {
  const app = await opened(openApp, { on: writing(...NAMES) });
  const customerId = await payingCustomer(app);
  const price = await priceOf(app);
  await app.stripe.subscriptions.create({ customer: customerId, items: [{ price }] });
  if (isListed) await app.b.sync();
  await settled(app);
  expect(await namesIn(app)).toEqual([]);
  await app.b.billing.adopt({ entityId: "user_1", customerId });
  await settled(app);
  const told = await toldIn(app);
  expect(told.map(({ name }) => name).sort()).toEqual([
    "access.granted",
    "customer.linked",
    "subscription.started",
  ]);
  expect(new Set(told.map(({ entity }) => entity))).toEqual(new Set(["user_1"]));
  await app.b.billing.adopt({ entityId: "user_1", customerId });
  await app.b.sync();
  await app.b.billing.reconcile();
  await settled(app);
  expect(await toldIn(app)).toHaveLength(told.length);
});

it("also what the library hears of for the first time by the call", async () => {
  const app = await opened(openApp, { on: writing(...NAMES) }, { endpoint: false });
  await app.b.sync();
  const customerId = await payingCustomer(app);
  const price = await priceOf(app);
  await app.stripe.subscriptions.create({ customer: customerId, items: [{ price }] });
  await app.b.billing.adopt({ entityId: "user_1", customerId });
  await settled(app);
  expect((await namesIn(app)).sort()).toEqual([
    "access.granted",
    "customer.linked",
    "subscription.started",
  ]);
});
