/**
 * The records of the kind `seats`, each of which has an entity's seats counted: under the entity's
 * id, or under a subscription's, where a commit brings one that begins and the entity is looked up
 * later.
 */
import { isEntityId } from "../../catalogue/carrier.js";
import type { ResourceName, StripeObject } from "../../catalogue/catalogue.js";
import { isPerSeat } from "../../catalogue/seats.js";
import type { Offer, RecordRequest, Snapshot } from "../../mirror/store.js";
import { BillingError } from "../errors.js";

/** Milliseconds for which changes are merged, and between two updates for an entity. */
export const SEATS_DELAY = 10_000;

const OF_ENTITY = "entity ";
const OF_SUBSCRIPTION = "subscription ";

/** Refuses what cannot be an entity's id. */
export function checkEntityId(entityId: unknown): void {
  if (isEntityId(entityId)) return;
  throw new BillingError(
    "invalid_argument",
    "`entityId` must be a string of 1 to 500 characters, none of them a control character or half of a surrogate pair: the id your application gives to the user or organisation it bills.",
  );
}

/** The request that has an entity's seats counted. */
export function seatsRequest(entityId: string, due: number): RecordRequest {
  checkEntityId(entityId);
  return { kind: "seats", id: `${OF_ENTITY}${entityId}`, due, data: {} };
}

/** The request that has the seats of a subscription's entity counted. */
export const startRequest = (subscriptionId: string, due: number): RecordRequest => ({
  kind: "seats",
  id: `${OF_SUBSCRIPTION}${subscriptionId}`,
  due,
  data: {},
});

/** Whose seats a record has counted. */
export function countedBy(
  id: string,
): { readonly entityId: string } | { readonly subscriptionId: string } {
  return id.startsWith(OF_SUBSCRIPTION)
    ? { subscriptionId: id.slice(OF_SUBSCRIPTION.length) }
    : { entityId: id.slice(OF_ENTITY.length) };
}

type Subscription = StripeObject<"subscriptions">;

/** Stripe takes another quantity in these; the others have not begun, pause, or are over. */
const FOLLOWING: ReadonlySet<string> = new Set(["active", "trialing", "past_due", "unpaid"]);

/** Whether the quantity of a subscription follows the seats. */
export const isFollowing = ({ status }: Pick<Subscription, "status">): boolean =>
  FOLLOWING.has(status);

/** The subscription that a snapshot shows, if its quantity is one that could follow the seats. */
export function followingIn({ resource, content }: Snapshot): Subscription | undefined {
  if (resource !== ("subscriptions" satisfies ResourceName) || content === null) return undefined;
  const shown = content as Partial<Subscription>;
  const isWhole = shown.status !== undefined && Array.isArray(shown.items?.data);
  return isWhole && isFollowing(shown as Subscription) ? (shown as Subscription) : undefined;
}

/**
 * Whether a subscription may have to be counted that is shown after another content: it begins, or
 * has other prices, and one of them is by the seat, or of a product that the mirror does not know.
 */
export function isToCount(
  before: Subscription | null | undefined,
  after: Subscription,
  offers: readonly Offer[],
): boolean {
  const isSeated = after.items.data.some(({ price }) => {
    const product = offers.find((offer) => offer.price.id === price.id)?.product;
    return product === undefined || isPerSeat(price, product);
  });
  if (!isSeated) return false;
  return !before || !isFollowing(before) || pricesOf(before).join() !== pricesOf(after).join();
}

/** The prices of a subscription, in an order of their own. */
export const pricesOf = ({ items }: Pick<Subscription, "items">): readonly string[] =>
  items.data.map(({ price }) => price.id).sort();
