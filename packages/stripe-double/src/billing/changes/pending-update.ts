/** Updates that wait to be paid for: how long, and how they are given up (docs: pending updates). */
import type { World } from "../../world/world.js";
import { voidInvoice } from "../invoices/invoices.js";
import { periodEnd, type Subscription } from "../subscriptions/subscription.js";

const LONGEST = 23 * 3600;

/** When an update is given up: after 23 hours, or with the trial or the period if that ends first. */
export function updateExpiry(world: World, subscription: Subscription): number {
  const { status, trial_end: trial } = subscription;
  const ends = [periodEnd(subscription), ...(status === "trialing" && trial ? [trial] : [])];
  return Math.min(world.now() + LONGEST, ...ends);
}

/** Gives up what waits, and voids its invoice. Answers whether anything did. */
export function discardUpdate(
  world: World,
  { id, pending_update: pending }: Subscription,
): boolean {
  if (pending === null) return false;
  const before = world.find("subscription", id);
  const after = world.patch("subscription", id, { pending_update: null });
  world.raise("customer.subscription.updated", after, before);
  const invoice = world.objects.invoice.get(before.latest_invoice ?? "");
  if (invoice?.status === "open") voidInvoice(world, invoice.id);
  return true;
}

/** Gives up what waits because its time is over, or because a phase begins, and says so. */
export function expireUpdate(world: World, subscription: Subscription): void {
  if (!discardUpdate(world, subscription)) return;
  const after = world.find("subscription", subscription.id);
  world.raise("customer.subscription.pending_update_expired", after);
}
