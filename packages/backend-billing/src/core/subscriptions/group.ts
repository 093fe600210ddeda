/**
 * Groups of products: an entity is meant to have one subscription of each group. A product's
 * metadata names its group; all others share one.
 */
import type { StripeObject } from "../catalogue/catalogue.js";

/** The group of products that name none. */
export const DEFAULT_GROUP = "main";

/** The metadata key under which a product carries its group. */
const GROUP_KEY = "billing_group";

/** The group of a product; of one that the mirror does not have, the default. */
export function groupOf(
  product: { readonly metadata: { readonly [key: string]: string } } | undefined,
): string {
  return product?.metadata[GROUP_KEY] || DEFAULT_GROUP;
}

/** The groups of all items of a subscription. */
export function groupsOf(
  subscription: StripeObject<"subscriptions">,
  products: readonly StripeObject<"products">[],
): ReadonlySet<string> {
  return new Set(subscription.items.data.map(({ price }) => groupIn(products, price.product)));
}

/** The group of a product by its id. */
export function groupIn(products: readonly StripeObject<"products">[], productId: string): string {
  return groupOf(products.find(({ id }) => id === productId));
}
