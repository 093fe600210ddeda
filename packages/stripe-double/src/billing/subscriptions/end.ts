/** The end of a subscription, whatever the reason, and what that leaves uncollected. */
import { missing } from "../../api/errors.js";
import type { World } from "../../world/world.js";
import { subscriptionOf } from "../invoices/invoices.js";
import { isOver, type Subscription } from "./subscription.js";

/** Ends a subscription now. It stays, as canceled. */
export function endSubscription(
  world: World,
  id: string,
  reason?: "cancellation_requested" | "payment_failed",
): Subscription {
  const before = world.find("subscription", id);
  const now = world.now();
  const after = world.patch("subscription", id, {
    status: "canceled",
    ended_at: now,
    canceled_at: before.canceled_at ?? now,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      ...before.cancellation_details,
      reason: before.cancellation_details?.reason ?? reason ?? "cancellation_requested",
    },
  });
  world.raise("customer.subscription.deleted", after);
  stopCollecting(world, after);
  world.due.subscription(id);
  return after;
}

/** Stripe collects nothing more for what has ended, unless it is asked to. */
function stopCollecting(world: World, { id, customer }: Subscription): void {
  for (const invoice of world.objects.invoice.where("customer", customer)) {
    const { status, auto_advance: advances } = invoice;
    if (subscriptionOf(invoice) !== id || !advances) continue;
    if (status !== "draft" && status !== "open") continue;
    const stopped = {
      auto_advance: false,
      automatically_finalizes_at: null,
      next_payment_attempt: null,
    };
    world.change("invoice", invoice.id, stopped, "invoice.updated");
  }
}

/** Ends a subscription on request. */
export function cancelSubscription(
  world: World,
  id: string,
  reason: "cancellation_requested" = "cancellation_requested",
): Subscription {
  if (isOver(world.find("subscription", id))) throw missing("subscription", id);
  return endSubscription(world, id, reason);
}
