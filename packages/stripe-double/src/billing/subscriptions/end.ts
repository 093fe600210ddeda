/** The end of a subscription, whatever the reason, and what that leaves uncollected. */
import { missing } from "../../api/errors.js";
import type { World } from "../../world/world.js";
import { prorations } from "../changes/prorations.js";
import { createInvoiceItem, pendingItems } from "../invoices/invoice-items.js";
import { collectInvoice, finalizeInvoice, subscriptionOf } from "../invoices/invoices.js";
import { HOUR } from "../later.js";
import { closeSchedule } from "../schedules/closing.js";
import { usedUntil } from "../usage/metered.js";
import { billSubscription } from "./bills.js";
import { isOver, type Subscription } from "./subscription.js";

/** Ends a subscription now. It stays, as canceled. */
export function endSubscription(
  world: World,
  id: string,
  reason?: "cancellation_requested" | "payment_failed" | "canceled_by_retention_policy",
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
  closeSchedule(world, after.schedule, reason === "payment_failed" ? "aborted" : "canceled");
  world.due.subscription(id);
  return after;
}

/**
 * Ends a subscription whose time has come. What was used until then is billed, and at the end of a
 * period what waits for an invoice.
 */
export function endOnTime(world: World, id: string): void {
  const before = world.find("subscription", id);
  const used = usedUntil(world, before, world.now()).filter(({ free }) => !free);
  const after = endSubscription(world, id);
  const waits = after.cancel_at_period_end && pendingItems(world, after).length > 0;
  if (used.length === 0 && !waits) return;
  const options = { items: [], used, finalizesIn: HOUR };
  world.due.draft(billSubscription(world, after, "subscription_cycle", options).id);
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

/** What a request to end a subscription may ask for; neither is so unless it is asked for. */
export interface Cancellation {
  /** Credits what was paid for and is not used. */
  readonly prorate?: boolean | undefined;
  /** Bills what was used, and what waits for the next invoice, which there will not be. */
  readonly invoice_now?: boolean | undefined;
}

/** Ends a subscription on request. */
export function cancelSubscription(
  world: World,
  id: string,
  { prorate = false, invoice_now: bills = false }: Cancellation = {},
): Subscription {
  const before = world.find("subscription", id);
  if (isOver(before)) throw missing("subscription", id);
  if (prorate) {
    for (const credit of prorations(world, before, [])) createInvoiceItem(world, credit);
  }
  // What was used in this very second counts.
  const used = usedUntil(world, before, world.now() + 1).filter(({ free }) => !free);
  const after = endSubscription(world, id, "cancellation_requested");
  if (!bills || (used.length === 0 && pendingItems(world, after).length === 0)) return after;
  const options = { items: [], used };
  const { id: invoice } = billSubscription(world, after, "subscription_update", options);
  if (finalizeInvoice(world, invoice).status !== "paid") collectInvoice(world, invoice);
  return world.find("subscription", id);
}
