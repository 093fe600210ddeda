// What a link sells, on Convex: how many, whether it may, and how often the store is asked.
import { expect, it } from "vitest";
import type { Operation } from "../../../src/convex/calls/operations.js";
import { type App, openApp, thrown } from "./kit.js";

type Form = { [name: string]: string };

async function create({ double }: App, path: string, form: Form): Promise<string> {
  const answer = await fetch(`${double.url}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${double.secretKey}` },
    body: new URLSearchParams(form),
  });
  return ((await answer.json()) as { id: string }).id;
}

const price = (app: App, more: Form = {}): Promise<string> =>
  create(app, "/v1/prices", {
    currency: "usd",
    unit_amount: "2000",
    "recurring[interval]": "month",
    "product_data[name]": "Engine",
    ...more,
  });

const meter = (app: App): Promise<string> =>
  create(app, "/v1/billing/meters", {
    display_name: "Calls",
    event_name: "calls",
    "default_aggregation[formula]": "sum",
  });

const args = (priceId: string) => ({
  entityId: "user_1",
  priceId,
  successUrl: "https://app.example/welcome",
  cancelUrl: "https://app.example/pricing",
});

async function quantities({ double }: App): Promise<(number | null)[]> {
  const found: (number | null)[] = [];
  for (const { id } of double.objects("checkout.session")) {
    const answer = await fetch(`${double.url}/v1/checkout/sessions/${id}/line_items`, {
      headers: { Authorization: `Bearer ${double.secretKey}` },
    });
    const { data } = (await answer.json()) as { data: { quantity: number | null }[] };
    found.push(...data.map(({ quantity }) => quantity));
  }
  return found;
}

it("as many as asked for, and no quantity of a metered price", async () => {
  const app = await openApp();
  const seats = await price(app);
  const calls = await price(app, {
    "recurring[usage_type]": "metered",
    "recurring[meter]": await meter(app),
  });
  await app.call("billing:checkout", { ...args(seats), quantity: 5 });
  await app.call("billing:checkout", args(calls));
  expect(await quantities(app)).toEqual([5, null]);
});

it("not what the application does not sell, in one run of the store", async () => {
  const operations: Operation["type"][] = [];
  const app = await openApp({
    config: { sells: ({ metadata }) => metadata.staff !== "yes" },
    onStore: ({ type }) => operations.push(type),
  });
  const staff = await price(app, { "metadata[staff]": "yes" });
  const first = await thrown(app.call("billing:checkout", args(staff)));
  expect(first).toMatchObject({ data: { code: "invalid_argument" } });
  operations.length = 0;
  app.double.requests.clear();
  // The mirror has the price and its product now.
  const again = await thrown(app.call("billing:checkout", args(staff)));
  expect(again).toMatchObject({
    data: { code: "invalid_argument", message: expect.stringContaining("`sells` refuses it") },
  });
  expect(operations).toEqual(["several"]); // the price, and what the entity has
  expect(app.double.requests.count()).toBe(0);
  expect(app.double.objects("customer")).toEqual([]);
});
