/**
 * What gates go by, read from the contents of subscriptions: for a store that reads one thing after
 * another. One that can read all of it at once does so, and answers the same.
 */
import type { StripeObject } from "../catalogue/catalogue.js";
import { heldStatuses } from "../mirror/reads/reads.js";
import { type FactReads, oldestOpen } from "../mirror/reads/subscribed.js";
import type { Held, HeldOptions, HeldProduct } from "../mirror/store.js";
import { isLapsed, pastDueSince } from "./lapse.js";

type Subscription = StripeObject<"subscriptions">;

/** What is read beside the subscriptions. */
export interface HeldReads extends Pick<FactReads, "product" | "invoices" | "lapse"> {
  /** The features of a product. */
  features(productId: string): Promise<readonly StripeObject<"product_features">[]>;
}

/** Those of the subscriptions that may give access. */
export const readHeld = (
  subscriptions: readonly Subscription[],
  reads: HeldReads,
  { described = false, whole = false }: HeldOptions,
): Promise<readonly Held[]> =>
  Promise.all(
    subscriptions
      .filter(({ status }) => heldStatuses.has(status))
      .map(async (subscription) => ({
        id: subscription.id,
        status: subscription.status,
        created: subscription.created,
        isLapsed: await isOver(subscription, reads),
        products: await Promise.all(
          subscription.items.data.map(({ price: { product } }) =>
            described ? describedProduct(product, reads) : bare(product),
          ),
        ),
        ...(whole ? { whole: subscription } : {}),
      })),
  );

const bare = (id: string): HeldProduct => ({ id, metadata: {}, features: [] });

async function describedProduct(id: string, reads: HeldReads): Promise<HeldProduct> {
  const [product, features] = await Promise.all([reads.product(id), reads.features(id)]);
  return {
    id,
    metadata: product?.metadata ?? {},
    features: features.map(({ entitlement_feature: feature }) => feature.lookup_key),
  };
}

/** The record is read first: most are not past due, and of most that are the grace lasts. */
async function isOver(subscription: Subscription, reads: HeldReads): Promise<boolean> {
  if (subscription.status !== "past_due") return false;
  const lapse = await reads.lapse(subscription.id);
  if (lapse?.data.over !== true) return false;
  const invoices = oldestOpen(await reads.invoices(subscription.id));
  const since = pastDueSince({ invoices }, subscription);
  return isLapsed({ lapses: [lapse] }, subscription.id, since);
}
