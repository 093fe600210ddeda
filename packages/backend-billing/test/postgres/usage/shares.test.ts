// What plans included when subscriptions change, on PostgreSQL: by the store, and in an application.
import { isDeepStrictEqual } from "node:util";
import { describe, it } from "vitest";
import { describeShares } from "../../../../../support/usage/shares.js";
import { defineCatalogue, usd } from "../../../src/catalogue/index.js";
import { applications, eventually } from "../service/kit.js";
import { openUsage } from "./kit.js";

describeShares(openUsage);

const prices = { monthly: usd("20").monthly() };
const catalogue = defineCatalogue({
  app: "acme",
  features: { credits: "credits" },
  plans: {
    basic: { name: "Basic", prices, features: { credits: { included: 100 } } },
    pro: { name: "Pro", prices, features: { credits: { included: 500 } } },
  },
});
const openApplication = applications();

describe("an application whose plans include something", () => {
  it.each([
    ["webhooks", true],
    ["a sync alone", false],
  ])("keeps what a better plan included, by %s", async (_, endpoint) => {
    const app = await openApplication({ config: { catalogue }, endpoint });
    const { customerId: customer } = await app.b.setup({ entityId: "org_1" });
    const price: { [plan: string]: string } = {};
    for (const plan of ["basic", "pro"]) {
      await app.stripe.products.create({ id: `acme_${plan}`, name: plan });
      const recurring = { interval: "month" } as const;
      const terms = { product: `acme_${plan}`, currency: "usd", unit_amount: 0, recurring };
      price[plan] = (await app.stripe.prices.create(terms)).id;
    }
    const becomes = async (plan: string, credits: number) => {
      if (!endpoint) await app.b.sync();
      await eventually(
        async () => {
          const [held] = await app.b.store.held("org_1");
          const { credits: found } = await app.b.store.usageOf("org_1");
          return [held?.products[0]?.id, found?.granted, found?.remaining];
        },
        (found) => isDeepStrictEqual(found, [`acme_${plan}`, credits, credits]),
      );
    };
    const { id, items } = await app.stripe.subscriptions.create({
      customer,
      items: [{ price: String(price.pro) }],
    });
    await becomes("pro", 500);
    const item = { id: String(items.data[0]?.id), price: String(price.basic) };
    await app.stripe.subscriptions.update(id, { items: [item] });
    await becomes("basic", 500);
    await eventually(
      () => app.b.store.records("share", "", 10),
      (left) => left.length === 0,
    );
  });
});
