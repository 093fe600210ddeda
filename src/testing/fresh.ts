/**
 * Subscriptions hold their prices whole, and Stripe shows them as they are now: a price that is
 * renamed shows in every subscription that has it, without any event of theirs.
 */
import type Stripe from "stripe";
import type { Plain } from "../core/catalogue/plain.js";
import { planOf } from "./billing/plan.js";
import type { World } from "./world.js";

type Item = Plain<Stripe.SubscriptionItem>;

export function withCurrentPrices<T extends object>(world: World, object: T): T {
  const { object: kind, deleted } = object as { object?: unknown; deleted?: unknown };
  if (deleted) return object;
  if (kind === "subscription_item") return freshItem(world, object as unknown as Item) as never;
  if (kind !== "subscription") return object;
  const { items } = object as unknown as Plain<Stripe.Subscription>;
  const data = items.data.map((item) => freshItem(world, item));
  if (data.every((item, index) => item === items.data[index])) return object;
  return { ...object, items: { ...items, data } };
}

function freshItem(world: World, item: Item): Item {
  const price = world.objects.price.get(item.price.id);
  return price === undefined || price === item.price
    ? item
    : { ...item, price, plan: planOf(price) };
}
