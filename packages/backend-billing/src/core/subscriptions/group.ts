/**
 * Groups of products: an entity is meant to have one subscription of each group. A plan of the
 * catalogue says its group; of other products the metadata does, and all the rest share one.
 */
import type { StripeObject } from "../catalogue/catalogue.js";
import type { AnyCatalogue } from "../plans/catalogue.js";
import { MAIN_GROUP, planGroup } from "../plans/names.js";

/** The group of products that name none. */
export const DEFAULT_GROUP = MAIN_GROUP;

/** The metadata key under which a product carries its group. */
const GROUP_KEY = "billing_group";

type Catalogue = AnyCatalogue | undefined;

interface Product {
  readonly id: string;
  readonly metadata: { readonly [key: string]: string };
}

/** The group that a product's metadata name; of one that the mirror does not have, the default. */
export const namedGroup = (product: Pick<Product, "metadata"> | undefined): string =>
  product?.metadata[GROUP_KEY] || DEFAULT_GROUP;

/** The group of a product by its id. */
export const groupIn = (
  products: readonly Product[],
  productId: string,
  catalogue: Catalogue,
): string =>
  (catalogue && planGroup(catalogue, productId)) ??
  namedGroup(products.find(({ id }) => id === productId));

/** The groups of all items of a subscription. */
export const groupsOf = (
  subscription: StripeObject<"subscriptions">,
  products: readonly Product[],
  catalogue: Catalogue,
): ReadonlySet<string> =>
  groupsAmong(
    (subscription.items?.data ?? []).map(({ price }) => price.product),
    products,
    catalogue,
  );

/** The groups of what is sold together. */
export const groupsAmong = (
  productIds: readonly string[],
  products: readonly Product[],
  catalogue: Catalogue,
): ReadonlySet<string> => new Set(productIds.map((id) => groupIn(products, id, catalogue)));
