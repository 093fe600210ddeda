/**
 * What Stripe does with old subscriptions of test mode. The double does it only on demand, because
 * a test that lives longer than 90 days mostly wants its subscriptions to live as long.
 */
import type { World } from "../world/world.js";
import { subscriptionOf } from "./invoices/invoices.js";
import { endSubscription } from "./subscriptions/end.js";
import { isOver } from "./subscriptions/subscription.js";

const DAY = 86_400;
const ENDED_AFTER = 90 * DAY;
const REMOVED_AFTER = 30 * DAY;
const REASON = "canceled_by_retention_policy";

/**
 * Ends subscriptions that are 90 days old, and removes those that were ended so 30 days ago. No
 * event tells of a removal.
 */
export function applyRetentionPolicy(world: World): void {
  const now = world.now();
  for (const subscription of [...world.objects.subscription.values()]) {
    const { id, created, ended_at: endedAt, cancellation_details: details } = subscription;
    if (!isOver(subscription)) {
      if (created <= now - ENDED_AFTER) endSubscription(world, id, REASON);
    } else if (details?.reason === REASON && (endedAt ?? now) <= now - REMOVED_AFTER) {
      removeForGood(world, id, subscription.customer);
    }
  }
}

function removeForGood(world: World, id: string, customer: string): void {
  for (const invoice of world.objects.invoice.where("customer", customer)) {
    if (subscriptionOf(invoice) === id) world.objects.invoice.remove(invoice.id);
  }
  world.objects.subscription.remove(id);
}
