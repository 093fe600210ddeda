// Random catalogues, edited and pushed against the double: `npm run push:random` does more of them,
// and races of real processes.
import Stripe from "stripe";
import { expect, it } from "vitest";
import { createPatientDouble } from "../../../../../support/patient-double.js";
import { catalogueOf } from "../../../../../support/push/definition.js";
import { accountOf, wrongIn } from "../../../../../support/push/reading.js";
import { newShop, type Shop } from "../../../../../support/push/shop.js";
import { playStory } from "../../../../../support/push/story.js";
import { stream } from "../../../../stripe-double/src/world/random.js";
import { push } from "../../../src/push/push.js";

it("what Stripe has is what random catalogues say, after each of their edits", {
  tags: ["slow"],
}, async () => {
  for (const index of [1, 2, 3, 4]) {
    const { wrong, counts } = await playStory({ seed: "test", index, edits: 3 });
    expect(wrong).toEqual([]);
    expect(counts.get("pushes")).toBe(4);
  }
});

it("ten pushes at once make one set of objects, and one new price for each amount", async () => {
  const double = await createPatientDouble();
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const first = newShop(stream("at once"), "acme");
  const plans = first.plans.map((plan) => ({
    ...plan,
    prices: plan.prices.map((price) => ({ ...price, cents: price.cents + 100 })),
  }));
  const dearer: Shop = { ...first, plans };
  const changed = plans.flatMap(({ prices }) => prices).length;
  expect(changed).toBeGreaterThan(1);
  for (const [shop, archived] of [
    [first, 0],
    [dearer, changed],
  ] as const) {
    const left = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { rest } = await push(stripe, catalogueOf(shop));
        return rest.operations.length + rest.drift.length + rest.conflicts.length;
      }),
    );
    expect(left).toEqual(Array(10).fill(0));
    const account = await accountOf(stripe);
    expect(wrongIn(shop, account, new Set())).toEqual([]);
    expect(account.prices.filter(({ active }) => !active)).toHaveLength(archived);
    expect(account.meters.length).toBeLessThanOrEqual(1);
  }
  await double.close();
});
