/** A subscription before and after a change of its row, as applications read it. Pure. */
import type { StripeObject } from "../catalogue/catalogue.js";
import type { SubscriptionFacts } from "../mirror/store.js";
import { type StateOptions, type Subscribed, subscriptionStates } from "../subscriptions/state.js";
import type { Step } from "./event.js";

type Content = StripeObject<"subscriptions">;

/**
 * Both states are worked out from the row's contents and from what else is known at the delivery:
 * open invoices, schedules and the end of a grace period are those of now. A row that is gone is
 * shown as it last was, canceled.
 */
export function subscriptionStep(
  facts: SubscriptionFacts,
  { before, after }: { readonly before: Content | null; readonly after: Content | null },
  options: StateOptions,
): Step<Subscribed> {
  const last = after ?? (before && { ...before, status: "canceled" as const });
  if (last === null) throw new RangeError("A change has a content before or after");
  const stateOf = (content: Content) =>
    subscriptionStates({ ...facts, subscriptions: [content] }, options)[0] as Subscribed;
  const is = stateOf(last);
  // The product that was sold before may not be among the facts, and so its group.
  return { before: before && { ...stateOf(before), group: is.group }, after: is };
}
