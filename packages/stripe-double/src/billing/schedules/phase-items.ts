/** The items of a phase beside those of a subscription: what one is as the other. */
import { mergeMetadata } from "../../resources/common.js";
import type { World } from "../../world/world.js";
import { sameLength } from "../period.js";
import { isMetered } from "../prices/rates.js";
import { makeItem, type SubscriptionItem } from "../subscriptions/items.js";
import { cycleOf, periodFor, type Subscription } from "../subscriptions/subscription.js";
import type { Phase } from "./schedule.js";

/** The items that a subscription has in a phase. One with the same price stays what it is. */
export function phaseItems(
  world: World,
  subscription: Subscription,
  { items }: Pick<Phase, "items">,
): SubscriptionItem[] {
  const old = subscription.items.data;
  return items.map(({ price: id, quantity, metadata }) => {
    const known = old.find(({ price }) => price.id === id);
    if (known !== undefined) {
      return {
        ...known,
        ...(isMetered(known.price) ? {} : { quantity: quantity ?? 1 }),
        metadata: mergeMetadata(known.metadata, metadata ?? {}),
      };
    }
    const price = world.find("price", id);
    // At the end of a period the item that takes the place of another one is renewed with the rest.
    const like = old.find((item) => sameLength(cycleOf(item), cycleOf({ price })));
    const period = like
      ? { start: like.current_period_start, end: like.current_period_end }
      : periodFor(subscription, price, world.now());
    const made = { price: id, quantity, metadata: mergeMetadata({}, metadata) };
    return makeItem(world, subscription.id, made, period);
  });
}

/** An item of a subscription, as a phase names it. */
export function phaseItemOf(item: SubscriptionItem): Phase["items"][number] {
  return {
    billing_thresholds: null,
    discounts: [],
    metadata: { ...item.metadata },
    plan: item.price.id,
    price: item.price.id,
    ...(item.quantity === undefined ? {} : { quantity: item.quantity }),
    tax_rates: [],
  };
}
