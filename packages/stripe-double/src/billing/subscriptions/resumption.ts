/** Pausing a subscription, and taking it up again, which waits until an invoice for that is paid. */
import { notModelled, refused } from "../../api/errors.js";
import type { World } from "../../world/world.js";
import { createInvoiceItem } from "../invoices/invoice-items.js";
import { collectInvoice, finalizeInvoice, voidInvoice } from "../invoices/invoices.js";
import { isRefused } from "../invoices/rehearsal.js";
import { HOUR, later } from "../later.js";
import { prorations } from "./prorations.js";
import { type Subscription, startingAt } from "./subscription.js";
import { billSubscription, draftFor } from "./subscriptions.js";

type PauseReason = "pause_requested" | "trial_end_without_payment_method";

/** Stops a subscription: it has no more periods and no more invoices until it is resumed. */
export function pauseSubscription(world: World, id: string, reason: PauseReason): Subscription {
  const before = world.find("subscription", id);
  const after = world.patch("subscription", id, {
    status: "paused",
    status_details: {
      paused: {
        subscription: { type: reason },
        transitioned_at: world.now(),
        type: "subscription",
      },
    },
  });
  world.raise("customer.subscription.updated", after, before);
  world.raise("customer.subscription.paused", after);
  world.due.subscription(id);
  return after;
}

/** Pauses on request; what was paid for and is not used is credited. */
export function pauseOnRequest(world: World, id: string): Subscription {
  const before = world.find("subscription", id);
  if (before.status !== "active" && before.status !== "trialing") {
    throw refused(`A subscription that is ${before.status} cannot be paused.`);
  }
  for (const credit of prorations(world, before, [])) createInvoiceItem(world, credit);
  return pauseSubscription(world, id, "pause_requested");
}

interface Resumption {
  readonly invoice: string;
  /** What the subscription becomes once it is paid. */
  readonly change: Pick<Subscription, "items" | "billing_cycle_anchor">;
}

const resumptions = new WeakMap<World, Map<string, Resumption>>();

function resumptionsOf(world: World): Map<string, Resumption> {
  const known = resumptions.get(world) ?? new Map<string, Resumption>();
  resumptions.set(world, known);
  return known;
}

/** On an attempt, whatever comes of it, or only once the invoice is paid. */
export type ResumeBehavior = "resume_on_payment_attempt" | "resume_on_payment_success";

/** Bills a new period that begins now. */
export function resumeSubscription(
  world: World,
  id: string,
  behavior: ResumeBehavior,
): Subscription {
  const before = world.find("subscription", id);
  if (before.status !== "paused") {
    throw refused("The subscription is not paused, so it cannot be resumed.");
  }
  if (before.collection_method !== "charge_automatically") {
    throw refused("Only a subscription that is charged automatically can be resumed.");
  }
  const now = world.now();
  const data = startingAt(before.items.data, now);
  const change = { items: { ...before.items, data }, billing_cycle_anchor: now };
  const resumed = { ...before, ...change };
  if (
    behavior === "resume_on_payment_attempt" &&
    isRefused(world, draftFor(world, resumed, "subscription_update"))
  ) {
    throw notModelled(`'${behavior}' when the payment fails`);
  }
  const bill = billSubscription(world, resumed, "subscription_update");
  resumptionsOf(world).set(id, { invoice: bill.id, change });
  const { status } = finalizeInvoice(world, bill.id);
  const outcome = status === "paid" ? "paid" : collectInvoice(world, bill.id);
  if (outcome === "paid") concludeResumption(world, id, bill.id);
  else {
    world.raise("customer.subscription.updated", world.find("subscription", id), before);
    later(world, 23 * HOUR, () => giveUp(world, bill.id));
  }
  return world.find("subscription", id);
}

/** Ends the pause, if this is the invoice that it waited for. */
export function concludeResumption(world: World, id: string, invoice: string): void {
  const resumption = resumptionsOf(world).get(id);
  if (resumption?.invoice !== invoice) return;
  resumptionsOf(world).delete(id);
  const before = world.find("subscription", id);
  const { status_details: _, ...rest } = before;
  const after: Subscription = { ...rest, ...resumption.change, status: "active" };
  world.objects.subscription.replace(after);
  world.raise("customer.subscription.updated", after, before);
  world.raise("customer.subscription.resumed", after);
  world.due.subscription(id);
}

function giveUp(world: World, invoice: string): void {
  if (world.find("invoice", invoice).status === "open") voidInvoice(world, invoice);
}
