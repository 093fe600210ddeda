/** Pausing a subscription, and taking it up again, which waits until an invoice for that is paid. */
import { notModelled, refused } from "../../api/errors.js";
import type { World } from "../../world/world.js";
import { prorations } from "../changes/prorations.js";
import { createInvoiceItem, pendingItems } from "../invoices/invoice-items.js";
import {
  collectInvoice,
  finalizeInvoice,
  hasPaymentMethod,
  voidInvoice,
} from "../invoices/invoices.js";
import { isRefused } from "../invoices/rehearsal.js";
import { HOUR, later } from "../later.js";
import { scheduleOf } from "../schedules/schedule.js";
import { billSubscription, draftFor } from "./bills.js";
import { inPeriod, periodFor, type Subscription, startingAt } from "./subscription.js";

type PauseReason = "pause_requested" | "trial_end_without_payment_method";

/** What the end of a trial means for a subscription that has nothing to pay with. */
export function endWithoutMethod(
  world: World,
  { status, customer, default_payment_method: own, trial_settings: settings }: Subscription,
): "cancel" | "pause" | undefined {
  if (status !== "trialing" || hasPaymentMethod(world, customer, own)) return undefined;
  const missing = settings?.end_behavior.missing_payment_method;
  return missing === "cancel" ? "cancel" : missing === "pause" ? "pause" : undefined;
}

/**
 * Stops a subscription: it has no more periods and no more invoices until it is resumed. The event
 * tells of all that has changed since `before`.
 */
export function pauseSubscription(
  world: World,
  id: string,
  reason: PauseReason,
  before: Subscription = world.find("subscription", id),
): Subscription {
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

/** What a pause on request does with what was paid for and is not used. */
export interface PauseOptions {
  /** From when on it is credited. */
  readonly unusedFrom: "item_current_period_start" | "none" | "now";
  /** Whether credits are invoiced at once, instead of with the next invoice. */
  readonly invoices: boolean;
}

/** Pauses on request. The current period ends with it. */
export function pauseOnRequest(
  world: World,
  id: string,
  { unusedFrom, invoices }: PauseOptions,
): Subscription {
  const before = world.find("subscription", id);
  if (before.status !== "active") {
    throw refused(`A subscription that is ${before.status} cannot be paused.`);
  }
  if (before.billing_mode.type !== "flexible") {
    throw refused("Only a subscription with `billing_mode[type]=flexible` can be paused.");
  }
  if (before.collection_method !== "charge_automatically") {
    throw refused("Only a subscription that is charged automatically can be paused.");
  }
  if (scheduleOf(world, before)) {
    throw refused("A subscription that is managed by a subscription schedule cannot be paused.");
  }
  const now = world.now();
  const { data } = before.items;
  const starts = data.map(({ current_period_start: start }) => start);
  const at = unusedFrom === "now" ? now : Math.min(...starts);
  const credits = unusedFrom === "none" ? [] : prorations(world, before, [], { at });
  for (const credit of credits) createInvoiceItem(world, credit);
  const ended = data.map((item) => ({ ...item, current_period_end: now }));
  world.patch("subscription", id, { items: { ...before.items, data: ended } });
  if (invoices && pendingItems(world, before).length > 0) {
    const bill = billSubscription(world, before, "subscription_update", { items: [] });
    if (finalizeInvoice(world, bill.id).status !== "paid") collectInvoice(world, bill.id);
  }
  return pauseSubscription(world, id, "pause_requested", before);
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

export interface ResumeOptions {
  readonly behavior: ResumeBehavior;
  /** Whether a whole new period begins now, or what is left of the one that it would be in. */
  readonly anchor: "now" | "unchanged";
  /** How that rest is billed. */
  readonly proration: "always_invoice" | "create_prorations" | "none";
}

/** Bills a new period that begins now, or the rest of the current one. */
export function resumeSubscription(
  world: World,
  id: string,
  { behavior, anchor, proration }: ResumeOptions,
): Subscription {
  const before = world.find("subscription", id);
  if (before.status !== "paused") {
    throw refused("The subscription is not paused, so it cannot be resumed.");
  }
  if (before.collection_method !== "charge_automatically") {
    throw refused("Only a subscription that is charged automatically can be resumed.");
  }
  const now = world.now();
  if (anchor === "unchanged") return resumeInPeriod(world, before, proration);
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

/**
 * Goes on in the period that it would be in. The rest of that costs its part, which waits for the
 * next invoice like any proration.
 */
function resumeInPeriod(
  world: World,
  before: Subscription,
  proration: ResumeOptions["proration"],
): Subscription {
  if (proration === "always_invoice") {
    throw notModelled("'always_invoice' when a subscription is resumed in its period");
  }
  const now = world.now();
  const { id, items } = before;
  const data = items.data.map((item) =>
    inPeriod(item, periodFor({ ...before, status: "active" }, item.price, now)),
  );
  const paused = { ...before, status: "active" as const, items: { ...items, data: [] } };
  const charges = proration === "none" ? [] : prorations(world, paused, data);
  for (const charge of charges) createInvoiceItem(world, charge);
  conclude(world, id, { items: { ...items, data } });
  return world.find("subscription", id);
}

/** Ends the pause, if this is the invoice that it waited for. */
export function concludeResumption(world: World, id: string, invoice: string): void {
  const resumption = resumptionsOf(world).get(id);
  if (resumption?.invoice !== invoice) return;
  resumptionsOf(world).delete(id);
  conclude(world, id, resumption.change);
}

function conclude(world: World, id: string, change: Partial<Subscription>): void {
  const before = world.find("subscription", id);
  const { status_details: _, ...rest } = before;
  const after: Subscription = { ...rest, ...change, status: "active" };
  world.objects.subscription.replace(after);
  world.raise("customer.subscription.updated", after, before);
  world.raise("customer.subscription.resumed", after);
  world.due.subscription(id);
}

function giveUp(world: World, invoice: string): void {
  if (world.find("invoice", invoice).status === "open") voidInvoice(world, invoice);
}
