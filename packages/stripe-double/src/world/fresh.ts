/**
 * Subscriptions hold their prices whole, and Stripe shows them as they are now: a price that is
 * renamed shows in every subscription that has it, without any event of theirs.
 */
import type Stripe from "stripe";
import { planOf } from "../billing/plan.js";
import type { Plain } from "./plain.js";

/** The prices as they are now, by id. */
interface Prices {
  get(id: string): Plain<Stripe.Price> | undefined;
}

type Item = Plain<Stripe.SubscriptionItem>;

export function withCurrentPrices<T extends object>(prices: Prices, object: T): T {
  const { object: kind, deleted } = object as { object?: unknown; deleted?: unknown };
  if (deleted) return object;
  if (kind === "subscription_item") return freshItem(prices, object as unknown as Item) as never;
  if (kind !== "subscription") return object;
  const { items } = object as unknown as Plain<Stripe.Subscription>;
  const data = items.data.map((item) => freshItem(prices, item));
  if (data.every((item, index) => item === items.data[index])) return object;
  return { ...object, items: { ...items, data } };
}

function freshItem(prices: Prices, item: Item): Item {
  const price = prices.get(item.price.id);
  return price === undefined || price === item.price
    ? item
    : { ...item, price, plan: planOf(price) };
}
