/** What makes a subscription follow a count of seats, and when a failure is tried again. Pure. */
import type Stripe from "stripe";
import type { StripeObject } from "../../catalogue/catalogue.js";
import { isPerSeat } from "../../catalogue/seats.js";
import { LONGEST_PAUSE } from "../../mirror/due.js";
import type { StoredRecord, SubscriptionFacts } from "../../mirror/store.js";
import { isFollowing } from "../../runtime/commit/seats.js";
import { type Item, isMetered, type Products, productOf } from "../terms/items.js";
import { DEFAULT_PRORATION } from "../terms/update.js";

type Subscription = StripeObject<"subscriptions">;

/** Whether an item has the number of seats as its quantity; a metered one has no quantity. */
export const isSeated = (price: Item["price"], products: Pick<Products, "isPerSeat">): boolean =>
  !isMetered(price) && products.isPerSeat(price);

/**
 * The entity's subscriptions that may have an item by the seat, now or planned: Stripe is asked about
 * those whose products the mirror does not know.
 */
export function seatedAmong({
  subscriptions,
  products,
  schedules,
  prices,
}: SubscriptionFacts): readonly Subscription[] {
  const mayBeSeated = (price: Item["price"] | undefined): boolean => {
    if (price === undefined) return true;
    const product = products.find(({ id }) => id === productOf(price));
    return !isMetered(price) && (product === undefined || isPerSeat(price, product));
  };
  const plannedIn = ({ schedule }: Subscription) =>
    schedules
      .filter(({ id }) => id === schedule)
      .flatMap(({ phases }) => phases.flatMap(({ items }) => items))
      .map(({ price }) => prices.find(({ id }) => id === price));
  return subscriptions.filter(
    (each) =>
      isFollowing(each) &&
      [...each.items.data.map(({ price }) => price), ...plannedIn(each)].some(mayBeSeated),
  );
}

/**
 * The update that gives the items by the seat this quantity; undefined if they have it. Who uses the
 * seats is known already, so the change is not one that waits for its payment: a payment that fails
 * leaves the subscription past due.
 */
export function seatParams(
  items: readonly Item[],
  quantity: number,
  products: Pick<Products, "isPerSeat">,
): Stripe.SubscriptionUpdateParams | undefined {
  const changed = items.filter(
    (item) => isSeated(item.price, products) && item.quantity !== quantity,
  );
  if (changed.length === 0) return undefined;
  return {
    items: changed.map(({ id }) => ({ id, quantity })),
    proration_behavior: DEFAULT_PRORATION,
    payment_behavior: "allow_incomplete",
  };
}

/** How often what a record asks for was tried. */
export const triesOf = ({ data }: Pick<StoredRecord, "data">): number =>
  typeof data.tries === "number" ? data.tries : 0;

/** Milliseconds after which a failure is tried again: longer each time, at most half an hour. */
export const pauseAfter = (tries: number, delay: number): number =>
  Math.min(delay * 2 ** Math.min(tries, 20), LONGEST_PAUSE);
