/** Items of subscriptions. Each change of one is a change of its subscription. */
import { missing } from "../../api/errors.js";
import { listArray, pageShape } from "../../api/list.js";
import { required, word } from "../../api/params.js";
import type { SubscriptionItem } from "../../billing/subscriptions/items.js";
import { route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { referenced } from "../common.js";
import { itemShape, paymentBehavior, prorationBehavior } from "./shapes.js";
import { updateSubscription } from "./update.js";

export function itemOf(
  world: World,
  id: string,
): { readonly item: SubscriptionItem; readonly subscription: string } {
  for (const subscription of world.objects.subscription.values()) {
    const item = subscription.items.data.find((each) => each.id === id);
    if (item !== undefined) return { item, subscription: subscription.id };
  }
  throw missing("subscription_item", id);
}

const payment = { proration_behavior: prorationBehavior, payment_behavior: paymentBehavior };

export const subscriptionItems = [
  route(
    "GET /v1/subscription_items",
    { ...pageShape, subscription: required(word) },
    ({ world }, params) => {
      const { items } = referenced(world, "subscription", params.subscription, "subscription");
      const url = `/v1/subscription_items?subscription=${params.subscription}`;
      return listArray(items.data, params, url);
    },
  ),
  route(
    "POST /v1/subscription_items",
    { ...itemShape, ...payment, subscription: required(word) },
    ({ world }, { subscription, proration_behavior, payment_behavior, ...item }) => {
      referenced(world, "subscription", subscription, "subscription");
      const after = updateSubscription(world, subscription, {
        items: [item],
        proration_behavior,
        payment_behavior,
      });
      return after.items.data.at(-1) ?? after;
    },
  ),
  route("GET /v1/subscription_items/:item", {}, ({ world, path }) => itemOf(world, path.item).item),
  route(
    "POST /v1/subscription_items/:item",
    { ...itemShape, ...payment },
    ({ world, path }, { proration_behavior, payment_behavior, ...change }) => {
      const { subscription } = itemOf(world, path.item);
      updateSubscription(world, subscription, {
        items: [{ ...change, id: path.item }],
        proration_behavior,
        payment_behavior,
      });
      return itemOf(world, path.item).item;
    },
  ),
  route(
    "DELETE /v1/subscription_items/:item",
    { proration_behavior: prorationBehavior },
    ({ world, path }, { proration_behavior }) => {
      const { subscription } = itemOf(world, path.item);
      const items = [{ id: path.item, deleted: true }];
      updateSubscription(world, subscription, { items, proration_behavior });
      return { id: path.item, object: "subscription_item", deleted: true };
    },
  ),
];
