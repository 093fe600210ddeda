/** Changes that the portal puts off until the end of the period, which it does by a schedule. */
import type Stripe from "stripe";
import { refused } from "../api/errors.js";
import type { Features } from "../resources/portal/features.js";
import { adoptSubscription } from "../resources/subscriptions/new-schedule.js";
import type { Plain } from "../world/plain.js";
import type { World } from "../world/world.js";
import { cyclesAfter } from "./period.js";
import { amountOf } from "./prices/rates.js";
import { currentPhase, type Phase, scheduleOf } from "./schedules/schedule.js";
import type { SubscriptionItem } from "./subscriptions/items.js";
import { cycleOf, type Subscription } from "./subscriptions/subscription.js";

type Condition = Features["subscription_update"]["schedule_at_period_end"]["conditions"][number];

/** What an item is to become. */
interface Next {
  readonly price: Plain<Stripe.Price>;
  readonly quantity: number;
}

/** Whether one of the configuration's conditions puts this change off. */
export function isPutOff(
  world: World,
  conditions: readonly Condition[],
  { price: old, quantity = 1 }: SubscriptionItem,
  next: Next,
): boolean {
  const costsLess = amountOf(world, next.price, next.quantity) < amountOf(world, old, quantity);
  const length = (price: Plain<Stripe.Price>) => cyclesAfter(0, cycleOf({ price }), 1);
  const isShorter = length(next.price) < length(old);
  return conditions.some(({ type }) =>
    type === "decreasing_item_amount" ? costsLess : type === "shortening_interval" && isShorter,
  );
}

/** The item changes when its period ends; a schedule that is there already gets the new phase. */
export function putOff(
  world: World,
  subscription: Subscription,
  item: SubscriptionItem,
  next: Next,
): void {
  const before = scheduleOf(world, subscription) ?? adoptSubscription(world, subscription.id);
  const now = currentPhase(before);
  if (now === undefined) throw refused("This subscription cannot be updated now.");
  const end = cyclesAfter(now.end_date, cycleOf({ price: next.price }), 1);
  const later: Phase = {
    ...now,
    start_date: now.end_date,
    end_date: end,
    items: now.items.map((each) =>
      each.price === item.price.id
        ? { ...each, price: next.price.id, plan: next.price.id, quantity: next.quantity }
        : each,
    ),
    proration_behavior: "none",
    trial_end: null,
  };
  const after = world.patch("subscription_schedule", before.id, {
    end_behavior: "release",
    phases: [...before.phases.filter(({ end_date }) => end_date <= now.end_date), later],
  });
  world.raise("subscription_schedule.updated", after, before);
  world.due.subscription(subscription.id);
}
