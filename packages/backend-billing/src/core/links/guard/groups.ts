/** The groups of a subscription that Stripe has shown. */
import type Stripe from "stripe";
import type { StripeObject } from "../../catalogue/catalogue.js";
import type { Reach } from "../../customers/setup.js";
import { plain, stripeStatus } from "../../mirror/snapshot.js";
import { provider } from "../../runtime/errors.js";
import type { Runtime } from "../../runtime/runtime.js";
import { groupsOf } from "../../subscriptions/group.js";

type Product = StripeObject<"products">;

export const overlaps = (some: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...some].some((each) => others.has(each));

/** Its products are read from the mirror, or else from Stripe: their metadata name the groups. */
export async function groupsAtStripe(
  runtime: Runtime,
  subscription: Stripe.Subscription,
  reach: Reach,
): Promise<ReadonlySet<string>> {
  const content = plain(subscription) as StripeObject<"subscriptions">;
  const ids = new Set(content.items.data.map(({ price }) => price.product));
  const found = await Promise.all([...ids].map((id) => productOf(runtime, id, reach)));
  return groupsOf(
    content,
    found.filter((product) => product !== undefined),
    runtime.config.catalogue,
  );
}

async function productOf(runtime: Runtime, id: string, reach: Reach): Promise<Product | undefined> {
  const isMirrored = reach.stripeAccount === undefined && runtime.resources.includes("products");
  const row = isMirrored ? await runtime.store.row("products", id) : undefined;
  if (row !== undefined) return row.stripe;
  try {
    const found = await runtime.stripe().products.retrieve(id, {}, reach);
    return found.deleted ? undefined : (plain(found) as Product);
  } catch (error) {
    return stripeStatus(error) === 404 ? undefined : provider(error);
  }
}
