// An entity leaves on Convex: told of inside a mutation of the application, and nothing personal stays.
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { ada, babbage, comeLate, live, personal } from "../../../../../support/erase/life.js";
import { PATIENCE } from "../../../../../support/patience.js";
import { defineCatalogue } from "../../../src/catalogue/index.js";
import { createLocal } from "../../../src/convex/local.js";
import { billingTables } from "../../../src/convex/tables/index.js";
import { type App, openApp } from "./kit.js";

const catalogue = defineCatalogue({ features: { letters: "credits" } });
const { erase, grant } = createLocal({ catalogue });

/** Where something is found, in all tables of the library. */
const found = ({ deployment }: App, texts: readonly string[]): Promise<readonly string[]> =>
  deployment.backend.run(async ({ db }) => {
    const all: string[] = [];
    for (const table of Object.keys(billingTables)) {
      const rows = await db.query(table as "backend_billing_records").collect();
      all.push(...rows.map((row) => `${table} ${JSON.stringify(row)}`));
    }
    return texts.flatMap((text) =>
      all.filter((row) => row.includes(text)).map((row) => `${text}: ${row.slice(0, 300)}`),
    );
  });

/** Lists everything at Stripe, and answers what is in doubt. */
async function listed(app: App): Promise<void> {
  await app.call("billing:sync");
  await app.double.settle(app.deployment.backend);
}

/** Works until the entity is erased. */
async function erased(app: App): Promise<void> {
  const waiting = () =>
    app.deployment.backend.run(async ({ db }) =>
      (await db.query("backend_billing_records").collect()).some(
        ({ kind, due }) => kind === "erased" && due !== null,
      ),
    );
  for (const end = Date.now() + PATIENCE; await waiting(); ) {
    if (Date.now() > end) throw new Error("It is never erased");
    await app.call("billing:sync", { step: "work" });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe("an entity that is erased in a mutation", { tags: ["slow"] }, () => {
  it("leaves nothing personal in any table, and others as they are", async () => {
    const app = await openApp({ config: { catalogue } });
    const stripe = new Stripe(app.double.secretKey, app.double.stripeConfig);
    const hand = { stripe, double: app.double };
    const { id: price } = await stripe.prices.create({
      currency: "usd",
      unit_amount: 1_000,
      recurring: { interval: "month" },
      product_data: { name: "Engine" },
    });
    const customers: string[] = [];
    for (const person of [ada, babbage]) {
      const { entityId, email, secret } = person;
      const { customerId } = await app.call<{ customerId: string }>("billing:setup", {
        entityId,
        email,
        metadata: { secret },
      });
      customers.push(customerId);
      await live(hand, customerId, price, person);
      await app.deployment.backend.mutation(async (ctx) => {
        await grant(ctx, { entityId, feature: "letters", amount: 5, key: `to ${email}` });
      });
    }
    await listed(app);
    const [customer = ""] = customers;
    const all = [...personal(ada), ada.entityId];
    expect(await found(app, all)).not.toEqual([]);
    const kept = await found(app, [...personal(babbage), babbage.entityId]);
    await app.deployment.backend.mutation((ctx) => erase(ctx, { entityId: ada.entityId }));
    await erased(app);
    expect(await found(app, all)).toEqual([]);
    expect(app.double.objects("customer").map(({ id }) => id)).toEqual(customers.slice(1));
    await comeLate(hand, customer, ada);
    await listed(app);
    expect(await found(app, all)).toEqual([]);
    expect(await found(app, [...personal(babbage), babbage.entityId])).toHaveLength(kept.length);
  });
});
