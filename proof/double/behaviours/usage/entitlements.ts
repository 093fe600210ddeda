/** Entitlements: which features a customer has by what they subscribe to. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import { at, idOf, last, statusOf } from "../../harness/read.js";
import { docs, reference, thread } from "../../harness/sources.js";
import type { World } from "../../harness/world.js";

const SUMMARY = "entitlements.active_entitlement_summary.updated";

/** Somebody who subscribes to a product with so many features. */
async function entitled({ stripe, price, subscribe }: World, features: number) {
  const id = await price(1000);
  const product = idOf((await stripe.prices.retrieve(id)).product);
  for (let index = 0; index < features; index += 1) {
    const lookup_key = `feature_${index}`;
    const feature = await stripe.entitlements.features.create({ name: lookup_key, lookup_key });
    await stripe.products.createFeature(product, { entitlement_feature: feature.id });
  }
  return subscribe(0, { items: [{ price: id }] });
}

async function keysOf({ stripe }: World, { customer }: Stripe.Subscription): Promise<string[]> {
  const list = stripe.entitlements.activeEntitlements.list({ customer: idOf(customer) });
  const active = await list.autoPagingToArray({ limit: 100 });
  return active.map(({ lookup_key }) => lookup_key).sort();
}

export const entitlements: Theme = {
  name: "Entitlements",
  behaviours: [
    {
      name: "an active subscription entitles, a canceled one does not",
      source: docs("billing/entitlements"),
      expected: { active: ["feature_0", "feature_1"], canceled: [] },
      async see(world) {
        const subscription = await entitled(world, 2);
        const active = await keysOf(world, subscription);
        await world.stripe.subscriptions.cancel(subscription.id);
        return { active, canceled: await keysOf(world, subscription) };
      },
    },
    {
      name: "a summary lists ten of them, and says that there are more",
      source: thread("stripe/sync-engine#280: more than ten entitlements"),
      expected: { listed: 10, more: true, all: 11 },
      async see(world) {
        const subscription = await entitled(world, 11);
        const event = last(await world.events(SUMMARY));
        const data = at(event, "data.object.entitlements.data");
        return {
          listed: Array.isArray(data) ? data.length : 0,
          more: at(event, "data.object.entitlements.has_more") === true,
          all: (await keysOf(world, subscription)).length,
        };
      },
    },
    {
      name: "a summary has no id",
      source: thread("stripe/sync-engine#337: the summary has no id"),
      expected: { id: false, customer: true },
      async see(world) {
        const { customer } = await entitled(world, 1);
        const event = last(await world.events(SUMMARY));
        return {
          id: at(event, "data.object.id") !== undefined,
          customer: at(event, "data.object.customer") === idOf(customer),
        };
      },
    },
    {
      name: "a lookup key is unique among the active features",
      source: reference("entitlements/feature/create#lookup_key"),
      expected: { again: 400, archived: 200 },
      async see({ stripe }) {
        const create = () =>
          stripe.entitlements.features.create({ name: "Export", lookup_key: "export" });
        const { id } = await create();
        const again = await statusOf(create());
        await stripe.entitlements.features.update(id, { active: false });
        return { again, archived: await statusOf(create()) };
      },
    },
  ],
};
