// Which prices are sold, and on which lines of a page.
import { describe, expect, it } from "vitest";
import type { Offer } from "../../../src/core/mirror/store.js";
import { checkQuantity, linesFor, whyNotSold } from "../../../src/core/subscriptions/offers.js";

const offer = (
  price: { active?: boolean; metadata?: object } = {},
  product: { active?: boolean; name?: string } | null = {},
): Offer => ({
  price: { id: "price_1", active: true, metadata: {}, ...price } as Offer["price"],
  product: product === null ? undefined : ({ active: true, ...product } as Offer["product"]),
});

describe("a price", () => {
  it.each([
    ["is sold if it and its product are active", offer(), undefined, undefined],
    ["is not if it is not active", offer({ active: false }), undefined, /is not active/],
    [
      "is not if its product is not",
      offer({}, { active: false }),
      undefined,
      /product .* not active/,
    ],
    ["is not if its product is gone", offer({}, null), undefined, /product .* gone/],
    ["is not if the application says so", offer(), () => false, /`sells` refuses it/],
    ["is if the application says so", offer(), () => true, undefined],
    [
      "is judged by its own fields and its product's",
      offer({ metadata: { public: "yes" } }, { name: "Pro" }),
      ((price, product) =>
        price.metadata.public === "yes" && product.name === "Pro") satisfies Sells,
      undefined,
    ],
    [
      "is not if it is inactive, whatever the application says",
      offer({ active: false }),
      () => true,
      /is not active/,
    ],
  ] as [string, Offer, Sells | undefined, RegExp | undefined][])(
    "%s",
    (_, given, sells, reason) => {
      const said = whyNotSold(given, sells);
      if (reason === undefined) expect(said).toBeUndefined();
      else expect(said).toMatch(reason);
    },
  );
});

type Sells = NonNullable<Parameters<typeof whyNotSold>[1]>;

describe("the lines of a page", () => {
  const licensed = new Map([["price_1", { recurring: { usage_type: "licensed" } as never }]]);
  const metered = new Map([["price_1", { recurring: { usage_type: "metered" } as never }]]);
  const other = { price: "price_2", quantity: 3 };

  it.each([
    ["one by default", licensed, undefined, [], [{ price: "price_1", quantity: 1 }]],
    ["as many as asked for", licensed, 5, [], [{ price: "price_1", quantity: 5 }]],
    ["no quantity of a metered price", metered, undefined, [], [{ price: "price_1" }]],
    ["none even if it was given", metered, 5, [], [{ price: "price_1" }]],
    ["others are added", licensed, 2, [other], [{ price: "price_1", quantity: 2 }, other]],
    [
      "an entry of the same price replaces it",
      licensed,
      undefined,
      [other, { price: "price_1", quantity: 5 }],
      [other, { price: "price_1", quantity: 5 }],
    ],
  ])("%s", (_, sold, quantity, given, wanted) => {
    expect(linesFor("price_1", sold, quantity, given)).toEqual(wanted);
  });

  it("two quantities of one price contradict each other", () => {
    const given = [{ price: "price_1", quantity: 5 }];
    expect(() => linesFor("price_1", licensed, 5, given)).toThrow(/contradict/);
  });
});

it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "2", null])(
  "%j is no quantity",
  (quantity) => {
    expect(() => checkQuantity(quantity)).toThrow(/whole number from 1/);
  },
);
