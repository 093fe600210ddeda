// An application on Convex whose plans include something: what a better plan included of its period stays,
// though nothing of it was taken, and whatever worker dies.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { defineCatalogue, usd } from "../../../src/catalogue/index.js";
import type { Operation } from "../../../src/convex/calls/operations.js";
import { createLocal } from "../../../src/convex/local.js";
import { openApp } from "../service/kit.js";

const prices = { monthly: usd("20").monthly() };
const catalogue = defineCatalogue({
  app: "acme",
  features: { credits: "credits" },
  plans: {
    basic: { name: "Basic", prices, features: { credits: { included: 100 } } },
    pro: { name: "Pro", prices, features: { credits: { included: 500 } } },
  },
});
const { usageOf } = createLocal({ catalogue });
const entityId = "org_1";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], shouldAdvanceTime: true });
});
afterEach(() => void vi.useRealTimers());

it("keeps what a better plan included, also where a worker dies", async () => {
  let [isMortal, deaths] = [true, 0];
  const onStore = ({ type }: Operation) => {
    if (!isMortal || type !== "share") return;
    deaths++;
    throw new Error("The worker is dead");
  };
  const app = await openApp({ onStore, config: { catalogue, rate: false } });
  const { double, deployment } = app;
  const ask = async <T>(path: string, form: { readonly [name: string]: string }): Promise<T> => {
    const headers = { Authorization: `Bearer ${double.secretKey}` };
    const body = new URLSearchParams(form);
    return (await fetch(`${double.url}${path}`, { method: "POST", headers, body })).json();
  };
  const price: { [plan: string]: string } = {};
  for (const plan of ["basic", "pro"]) {
    const product = `acme_${plan}`;
    await ask("/v1/products", { id: product, name: plan });
    const terms = { product, currency: "usd", unit_amount: "0", "recurring[interval]": "month" };
    price[plan] = (await ask<{ id: string }>("/v1/prices", terms)).id;
  }
  const refresh = () => app.within((ctx) => deployment.B.billing.refresh(ctx, { entityId }));
  const granted = async () =>
    (await deployment.backend.query((ctx) => usageOf(ctx, entityId))).credits?.granted;
  const minute = async () => {
    await vi.advanceTimersByTimeAsync(60_000);
    await deployment.idle();
  };

  const { customerId } = await app.call<{ customerId: string }>("billing:setup", { entityId });
  const { id, items } = await ask<{ id: string; items: { data: { id: string }[] } }>(
    "/v1/subscriptions",
    { customer: customerId, "items[0][price]": String(price.pro) },
  );
  await refresh();
  expect(await granted()).toBe(500);
  await double.clock.advance({ minutes: 5 });
  await ask(`/v1/subscriptions/${id}`, {
    "items[0][id]": String(items.data[0]?.id),
    "items[0][price]": String(price.basic),
  });
  await refresh();
  expect(await granted()).toBe(100);
  await minute();
  expect(deaths).toBeGreaterThan(0);
  expect(await granted()).toBe(100);
  isMortal = false;
  for (let waited = 0; waited < 3; waited++) await minute();
  expect(await granted()).toBe(500);
  const records = await deployment.backend.run(({ db }) =>
    db.query("backend_billing_records").collect(),
  );
  expect(records.filter(({ kind }) => kind === "share")).toEqual([]);
});
