// What a customer has when it is adopted is told once, of its entity: before the first listing and
// after it, whatever is heard of it later.
import type { PoolClient } from "pg";
import { expect, it } from "vitest";
import { type App, applications } from "../service/kit.js";
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

/** Holds the first telling of a subscription, when it is its turn and nothing was read of it yet. */
function heldTelling({ pool }: App): { readonly begun: Promise<void>; go(): void } {
  let begin = (): void => {};
  let go = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const patched = new Set<PoolClient>();
  pool.on("acquire", (client) => {
    if (patched.has(client)) return;
    patched.add(client);
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const held = (statement: string | { text?: string; values?: unknown }, ...rest: unknown[]) => {
      const answer = query(statement, ...rest);
      // Prepared, or as it is, as behind a proxy.
      const { text, values } =
        typeof statement === "string" ? { text: statement, values: rest[0] } : statement;
      const isTurn = text?.includes("pg_try_advisory_xact_lock");
      if (!isTurn || !String(values).startsWith("subscriptions ")) return answer;
      begin();
      return gone.then(() => answer);
    };
    client.query = held as typeof client.query;
  });
  return { begun, go };
}

it("also what is being told of no entity while the customer is linked", async () => {
  const app = await opened(openApp, { on: writing(...NAMES) }, { endpoint: false });
  await app.b.sync();
  const customerId = await payingCustomer(app);
  const price = await priceOf(app);
  const telling = heldTelling(app);
  await app.stripe.subscriptions.create({ customer: customerId, items: [{ price }] });
  await app.b.billing.reconcile();
  await telling.begun;
  await app.b.billing.adopt({ entityId: "user_1", customerId });
  telling.go();
  await settled(app);
  expect((await namesIn(app)).sort()).toEqual([
    "access.granted",
    "customer.linked",
    "subscription.started",
  ]);
});
