/** Entitlements: which features a customer has by what they subscribe to. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import { at, first, idOf, last, statusOf } from "../../harness/read.js";
import { docs, reference, thread } from "../../harness/sources.js";
import type { World } from "../../harness/world.js";

const SUMMARY = "entitlements.active_entitlement_summary.updated";

/** Somebody who subscribes to a product with so many features. */
async function entitled(
  { stripe, price, subscribe }: World,
  features: number,
  params: Partial<Stripe.SubscriptionCreateParams> = {},
) {
  const id = await price(1000);
  const product = idOf((await stripe.prices.retrieve(id)).product);
  for (let index = 0; index < features; index += 1) {
    const lookup_key = `feature_${index}`;
    const feature = await stripe.entitlements.features.create({ name: lookup_key, lookup_key });
    await stripe.products.createFeature(product, { entitlement_feature: feature.id });
  }
  return subscribe(0, { items: [{ price: id }], ...params });
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
      name: "a trial entitles, an unpaid beginning does not",
      source: thread("formbricks/formbricks#7456: entitlements of trials"),
      expected: { trial: 1, incomplete: 0 },
      async see(world) {
        const trial = await entitled(world, 1, { trial_period_days: 7 });
        const { price } = first(trial.items);
        const incomplete = await world.subscribe(0, {
          items: [{ price: price.id }],
          payment_behavior: "default_incomplete",
        });
        const count = async (subscription: Stripe.Subscription) =>
          (await keysOf(world, subscription)).length;
        return { trial: await count(trial), incomplete: await count(incomplete) };
      },
    },
    {
      name: "a pause takes them away",
      source: docs("billing/subscriptions/pause"),
      expected: [],
      async see(world) {
        const subscription = await entitled(world, 1);
        await world.stripe.subscriptions.pause(subscription.id, { type: "subscription" });
        return keysOf(world, subscription);
      },
    },
    {
      name: "a feature that is attached later comes with the next period, without an event before",
      source: docs("billing/entitlements#attach-features-to-products"),
      expected: { events: [], now: 1, later: 2 },
      async see(world) {
        const subscription = await entitled(world, 1);
        const product = idOf(first(subscription.items).price.product);
        const { id } = await world.stripe.entitlements.features.create({
          name: "Late",
          lookup_key: "late",
        });
        const events = await world.raisedBy(() =>
          world.stripe.products.createFeature(product, { entitlement_feature: id }),
        );
        const now = (await keysOf(world, subscription)).length;
        await world.double.clock.advance({ days: 29 });
        return { events, now, later: (await keysOf(world, subscription)).length };
      },
    },
    {
      name: "an archived feature is in no list, entitles where it is attached, and stays archived",
      source: docs("billing/entitlements#archive-a-feature"),
      expected: { listed: 0, archived: 1, entitles: ["feature_0"], again: 400 },
      async see(world) {
        const { features } = world.stripe.entitlements;
        const subscription = await entitled(world, 1);
        const { id } = first((await features.list()).data);
        await features.update(id, { active: false });
        await world.double.clock.advance({ days: 29 });
        return {
          listed: (await features.list()).data.length,
          archived: (await features.list({ archived: true })).data.length,
          entitles: await keysOf(world, subscription),
          again: await statusOf(features.update(id, { active: true })),
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
