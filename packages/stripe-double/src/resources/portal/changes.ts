/** Which changes of a subscription a portal configuration lets customers make. */
import type Stripe from "stripe";
import { refused } from "../../api/errors.js";
import { hasCurrency } from "../../billing/prices/rates.js";
import type { Subscription } from "../../billing/subscriptions/subscription.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { type PortalConfiguration, portalProducts } from "./features.js";

export interface PortalChange {
  readonly item: string;
  readonly price?: string | undefined;
  readonly quantity?: number | undefined;
}

/** The plans that a subscription may have: those the configuration names, among the ones on sale. */
export function offeredPlans(
  world: World,
  { id, features, is_default: isDefault }: PortalConfiguration,
  subscription: Subscription,
): Plain<Stripe.Price>[] {
  const { default_allowed_updates: allowed } = features.subscription_update;
  if (!allowed.includes("price") || subscription.items.data.length !== 1) return [];
  const named = portalProducts(world, id)?.flatMap(({ prices }) => prices);
  // The dashboard asks for products; a default that was saved without any offers all there are.
  if (named === undefined && !isDefault) return [];
  return [...world.objects.price.values()].filter(
    (price) =>
      price.recurring !== null &&
      price.active &&
      hasCurrency(world, price, subscription.currency) &&
      (named === undefined || named.includes(price.id)),
  );
}

/** How many of a plan a customer may choose; undefined if the number cannot be changed. */
export function quantitiesFor(
  world: World,
  { id, features }: PortalConfiguration,
  product: string,
): { readonly minimum: number; readonly maximum: number } | undefined {
  if (!features.subscription_update.default_allowed_updates.includes("quantity")) return undefined;
  const limits = portalProducts(world, id)?.find((each) => each.product === product);
  const { enabled = true, minimum = 1, maximum = null } = limits?.adjustable_quantity ?? {};
  return enabled ? { minimum, maximum: maximum ?? Number.POSITIVE_INFINITY } : undefined;
}

/** Refuses what the configuration does not allow, and what changes nothing. */
export function checkChange(
  world: World,
  configuration: PortalConfiguration,
  subscription: Subscription,
  { item: id, price, quantity }: PortalChange,
  param?: string,
): void {
  const at = (name: string) => (param === undefined ? undefined : `${param}[${name}]`);
  const item = subscription.items.data.find((each) => each.id === id);
  if (item === undefined) {
    throw refused(`No such subscription item: '${id}'`, at("id"), "resource_missing");
  }
  const switches = price !== undefined && price !== item.price.id;
  const counts = quantity !== undefined && quantity !== (item.quantity ?? 1);
  if (!switches && !counts) throw refused("This is the plan that you have now.", param);
  const plans = offeredPlans(world, configuration, subscription);
  if (switches && !plans.some((plan) => plan.id === price)) {
    throw refused("Choose one of the plans.", at("price"));
  }
  const product = world.find("price", price ?? item.price.id).product;
  const limits = quantitiesFor(world, configuration, product);
  if (!counts || (limits && quantity >= limits.minimum && quantity <= limits.maximum)) return;
  throw refused("The portal does not let this quantity be chosen.", at("quantity"));
}
