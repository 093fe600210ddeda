// Which prices a portal offers to change to.
import type Stripe from "stripe";
import { expect, it } from "vitest";
import { offersOf } from "../../../../src/core/sync/portal.js";

interface Made {
  readonly product?: string | { id: string; active: boolean; default_price?: string };
  readonly interval?: string;
  readonly count?: number;
  readonly usage?: string;
}

const price = (id: string, { product, interval, count, usage }: Made = {}): Stripe.Price =>
  ({
    id,
    product: product ?? { id: "prod_1", active: true },
    recurring: {
      interval: interval ?? "month",
      interval_count: count ?? 1,
      usage_type: usage ?? "licensed",
    },
  }) as unknown as Stripe.Price;

it.each([
  ["a price", [price("a")], [{ product: "prod_1", prices: ["a"] }]],
  [
    "of each interval the newest",
    [price("new"), price("old"), price("year", { interval: "year" }), price("q", { count: 3 })],
    [{ product: "prod_1", prices: ["new", "year", "q"] }],
  ],
  [
    "the default price before a newer one",
    ["new", "chosen", "old"].map((id) =>
      price(id, { product: { id: "prod_1", active: true, default_price: "chosen" } }),
    ),
    [{ product: "prod_1", prices: ["chosen"] }],
  ],
  ["no metered price", [price("a", { usage: "metered" })], []],
  ["nothing of an archived product", [price("a", { product: { id: "p", active: false } })], []],
  ["nothing of a product that was not shown", [price("a", { product: "prod_1" })], []],
  ["nothing", [], []],
])("%s", (_, prices, expected) => {
  expect(offersOf(prices)).toEqual(expected);
});
