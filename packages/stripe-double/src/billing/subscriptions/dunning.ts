/**
 * What Stripe does on its own to get an invoice paid: it finalizes the draft, tries the card, tries
 * again for two weeks, and gives up. Each outcome is told to the subscription behind the invoice.
 */
import { mergeMetadata } from "../../resources/common.js";
import type { World } from "../../world/world.js";
import { announcementOf, type Invoice } from "../invoices/draft.js";
import {
  type Collected,
  collectInvoice,
  finalizeInvoice,
  invoiceIdOf,
  markPaidElsewhere,
  markUncollectible,
  recordAttempt,
  subscriptionOf,
  voidInvoice,
} from "../invoices/invoices.js";
import { DAY, HOUR, later } from "../later.js";
import type { PaymentIntent } from "../payments/payment-intents.js";
import { noteMetered } from "../usage/metered.js";
import { endSubscription } from "./end.js";
import { concludeResumption } from "./resumption.js";
import { isOver, type Subscription } from "./subscription.js";
import { savedMethod } from "./subscriptions.js";

/** Days after the first failure at which collection is tried again, before it is given up. */
const RETRY_DAYS = [3, 8, 15];
/** How long endpoints that refuse `invoice.created` hold up what follows. */
const LONGEST_DELAY = 72 * HOUR;

/** Finalizes a draft in an hour, as Stripe does with those that advance by themselves. */
export function advanceLater(world: World, id: string): void {
  later(world, HOUR, () => finalizeAndCollect(world, id));
}

function finalizeAndCollect(world: World, id: string): void {
  const draft = world.objects.invoice.get(id);
  if (draft?.status !== "draft" || !draft.auto_advance) return;
  if (world.objects.customer.get(draft.customer ?? "") === undefined) return;
  const announcement = announcementOf(world, id);
  const refused = announcement !== undefined && announcement.failing > 0;
  if (refused && world.now() < draft.created + LONGEST_DELAY) {
    advanceLater(world, id);
    return;
  }
  finalizeInvoice(world, id);
  collectFinalized(world, id);
}

/** Goes on with an invoice that was just finalized and that advances by itself. */
export function collectFinalized(world: World, id: string): void {
  const invoice = world.find("invoice", id);
  if (invoice.status === "paid") {
    subscriptionCollected(world, id, "paid");
    return;
  }
  if (invoice.collection_method === "send_invoice") {
    world.raise("invoice.sent", invoice);
    const { due_date: due } = invoice;
    if (due !== null) later(world, due - world.now(), () => overdue(world, id));
    return;
  }
  const owner = world.objects.subscription.get(subscriptionOf(invoice) ?? "");
  const paused = owner?.pause_collection?.behavior;
  if (paused === "void" || paused === "mark_uncollectible") {
    (paused === "void" ? voidInvoice : markUncollectible)(world, id);
    return;
  }
  attempt(world, id, 0);
}

/** A bill that was sent and not paid in time. */
function overdue(world: World, id: string): void {
  const invoice = world.find("invoice", id);
  if (invoice.status !== "open") return;
  world.raise("invoice.overdue", invoice);
  setDelinquent(world, invoice, true);
  subscriptionCollected(world, id, "failed");
}

/** Tries to collect, and sets the time of the next try; after the last one the subscription ends. */
function attempt(world: World, id: string, round: number): void {
  const days = RETRY_DAYS[round];
  const wait = days === undefined ? null : (days - (RETRY_DAYS[round - 1] ?? 0)) * DAY;
  const nextAttempt = wait === null ? null : world.now() + wait;
  const outcome = collectInvoice(world, id, { nextAttempt });
  if (outcome === "processing") return;
  const invoice = world.find("invoice", id);
  setDelinquent(world, invoice, outcome !== "paid");
  subscriptionCollected(world, id, outcome);
  if (outcome === "paid") return;
  if (wait !== null) {
    later(world, wait, () => retry(world, id, round + 1));
    return;
  }
  const owner = subscriptionOf(invoice);
  if (owner !== undefined && invoice.billing_reason !== "manual") {
    endSubscription(world, owner, "payment_failed");
  }
}

function retry(world: World, id: string, round: number): void {
  const invoice = world.find("invoice", id);
  const owner = world.objects.subscription.get(subscriptionOf(invoice) ?? "");
  if (invoice.status !== "open" || !invoice.auto_advance || (owner && isOver(owner))) return;
  attempt(world, id, round);
}

/** Whether the last thing known of a customer's invoices is that one was not paid. */
export function setDelinquent(world: World, invoice: Invoice, delinquent: boolean): void {
  const customer = world.objects.customer.get(invoice.customer ?? "");
  if (customer) world.change("customer", customer.id, { delinquent }, "customer.updated");
}

/** Nothing is left to collect of an open invoice, without a payment: it counts as paid. */
export function settleElsewhere(world: World, invoice: Invoice): Invoice {
  const paid = markPaidElsewhere(world, invoice);
  setDelinquent(world, paid, false);
  subscriptionCollected(world, paid.id, "paid");
  return paid;
}

/** Tells the subscription behind an invoice how its collection went. */
export function subscriptionCollected(world: World, invoice: string, outcome: Collected): void {
  const bill = world.find("invoice", invoice);
  // One that was made by hand for a subscription does not change it.
  if (bill.billing_reason === "manual") return;
  const subscription = world.objects.subscription.get(subscriptionOf(bill) ?? "");
  if (subscription === undefined || isOver(subscription)) return;
  if (outcome === "processing") return;
  if (outcome === "paid") collected(world, subscription, bill);
  else if (subscription.status === "active" && bill.billing_reason !== "subscription_update") {
    const pastDue = { status: "past_due" } as const;
    world.change("subscription", subscription.id, pastDue, "customer.subscription.updated");
  }
  world.due.subscription(subscription.id);
}

/** Tells the invoice that an intent collects, if there is one, what became of a confirmation. */
export function tellInvoice(world: World, intent: PaymentIntent): void {
  const invoice = world.objects.invoice.get(invoiceIdOf(world, intent.id) ?? "");
  if (invoice?.status !== "open") return;
  const outcome = recordAttempt(world, invoice.id, intent);
  if (outcome === "paid") setDelinquent(world, invoice, false);
  subscriptionCollected(world, invoice.id, outcome);
}

function collected(world: World, subscription: Subscription, bill: Invoice): void {
  const { id, status, pending_update: pending } = subscription;
  if (pending?.subscription_items && subscription.latest_invoice === bill.id) {
    const after = world.patch("subscription", id, {
      items: { ...subscription.items, data: pending.subscription_items },
      billing_cycle_anchor: pending.billing_cycle_anchor ?? subscription.billing_cycle_anchor,
      metadata: mergeMetadata(subscription.metadata, pending.metadata ?? undefined),
      pending_update: null,
    });
    noteMetered(world, subscription.items.data, after.items.data);
    world.raise("customer.subscription.updated", after, subscription);
    world.raise("customer.subscription.pending_update_applied", after);
  } else if (status === "paused") concludeResumption(world, id, bill.id);
  else if (isLatest(world, id, bill) && /^(incomplete|past_due|unpaid)$/.test(status)) {
    world.change(
      "subscription",
      id,
      { status: "active", ...savedMethod(world, subscription, bill.id) },
      "customer.subscription.updated",
    );
  }
}

/** Only the newest invoice that is more than a draft says whether a subscription is paid for. */
function isLatest(world: World, subscription: string, { id, customer }: Invoice): boolean {
  const latest = world.objects.invoice
    .where("customer", customer ?? "")
    .findLast((each) => each.status !== "draft" && subscriptionOf(each) === subscription);
  return latest?.id === id;
}
