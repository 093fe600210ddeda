/** What a subscription is, before anything is done to it. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { Cycle } from "../period.js";
import type { SubscriptionItem } from "./items.js";

export type Subscription = Plain<Stripe.Subscription>;

export const isOver = ({ status }: Subscription): boolean =>
  status === "canceled" || status === "incomplete_expired";

export function cycleOf(items: readonly SubscriptionItem[]): Cycle {
  const cycle = items[0]?.price.recurring;
  if (!cycle) throw new Error("A subscription has no recurring item");
  return cycle;
}

export function sameCycle(a: readonly SubscriptionItem[], b: readonly SubscriptionItem[]): boolean {
  const [left, right] = [cycleOf(a), cycleOf(b)];
  return left.interval === right.interval && left.interval_count === right.interval_count;
}
