/** The invoices of a subscription: of its current period, and of the next one before it comes. */
import type { World } from "../../world/world.js";
import { usable } from "../invoices/discounts.js";
import { composeInvoice, type Draft, draftInvoice, type Invoice } from "../invoices/draft.js";
import { type InvoiceItem, pendingItems } from "../invoices/invoice-items.js";
import { itemLine, periodLine } from "../invoices/lines.js";
import { phaseItems } from "../schedules/phase-items.js";
import { nextPhase, scheduleOf } from "../schedules/schedule.js";
import type { SubscriptionItem } from "./items.js";
import { periodEnd, renewedItems, type Subscription, wholePeriod } from "./subscription.js";

interface BillOptions {
  /** Seconds until it is finalized; null, when it is not by itself. */
  readonly finalizesIn?: number | null;
  readonly autoAdvance?: boolean;
  /** The items whose period is billed; all of them unless some are named. */
  readonly items?: readonly SubscriptionItem[];
  /** Whether the period itself costs nothing. */
  readonly free?: boolean;
  /** What it bills beside what waits for it. */
  readonly more?: readonly InvoiceItem[];
}

type BillReason = "subscription_create" | "subscription_cycle" | "subscription_update";

/** What an invoice for the current period of a subscription has on it, pending items included. */
export function draftFor(
  world: World,
  subscription: Subscription,
  reason: BillReason,
  options: BillOptions = {},
): Draft {
  const billed = options.items ?? subscription.items.data;
  const shown = billed[0] ?? subscription.items.data[0];
  const trial = subscription.status === "trialing";
  const waiting = [...pendingItems(world, subscription), ...(options.more ?? [])];
  const pending = waiting.map((item) => itemLine(world, item));
  const period = billed.map((item) => {
    const { current_period_start: from, current_period_end: to } = item;
    const { start, end } = wholePeriod(subscription, item);
    const part = trial || options.free ? 0 : (to - from) / (end - start);
    return periodLine(world, subscription.id, item, part);
  });
  return {
    customer: subscription.customer,
    currency: subscription.currency,
    billing_reason: reason,
    lines: [...pending, ...period],
    period: {
      start: shown?.current_period_start ?? world.now(),
      end: shown?.current_period_end ?? world.now(),
    },
    subscription: { id: subscription.id, metadata: subscription.metadata },
    collection_method:
      subscription.collection_method === "send_invoice" ? "send_invoice" : "charge_automatically",
    days_until_due: subscription.days_until_due,
    default_payment_method: subscription.default_payment_method,
    discounts: usable(world, subscription.discounts, world.now()),
    auto_advance: options.autoAdvance ?? true,
    finalizesIn: options.finalizesIn ?? null,
  };
}

/** An invoice for the current period of a subscription; still a draft. */
export function billSubscription(
  world: World,
  subscription: Subscription,
  reason: BillReason,
  options: BillOptions = {},
): Invoice {
  const pending = pendingItems(world, subscription);
  const draft = draftFor(world, subscription, reason, options);
  // The subscription's own method is used while it is collected; it is not written on the invoice.
  const invoice = draftInvoice(world, { ...draft, default_payment_method: null });
  for (const item of pending) world.patch("invoiceitem", item.id, { invoice: invoice.id });
  world.patch("subscription", subscription.id, { latest_invoice: invoice.id });
  return invoice;
}

/** What the next renewal changes, and the items that it bills. */
export function renewal(
  world: World,
  before: Subscription,
): {
  readonly change: Pick<Subscription, "status" | "items" | "discounts">;
  readonly due: readonly SubscriptionItem[];
} {
  const { items, due } = renewedItems(before);
  return {
    change: {
      status: before.status === "trialing" ? "active" : before.status,
      items: { ...before.items, data: items },
      discounts: usable(world, before.discounts, periodEnd(before)),
    },
    due,
  };
}

/** The invoice of the next renewal, with what is to be billed beside what waits for it. */
export function upcomingDraft(
  world: World,
  subscription: Subscription,
  more: readonly InvoiceItem[] = [],
): Draft {
  const planned = inNextPhase(world, subscription);
  const { change, due } = renewal(world, planned);
  const next = { ...planned, ...change };
  return draftFor(world, next, "subscription_cycle", { items: due, more });
}

/** The subscription with the items of the phase that begins with its next period, if one does. */
function inNextPhase(world: World, subscription: Subscription): Subscription {
  const schedule = scheduleOf(world, subscription);
  const next = schedule && nextPhase(schedule);
  if (next === undefined || next.start_date !== periodEnd(subscription)) return subscription;
  const data = phaseItems(world, subscription, next);
  return { ...subscription, items: { ...subscription.items, data } };
}

/** Like an invoice, but not made yet, and so without an id. */
export function upcomingInvoice(world: World, subscription: Subscription): Invoice {
  const { id: _, ...upcoming } = composeInvoice(world, "", upcomingDraft(world, subscription));
  // Stripe's types say that it has an id; what Stripe sends has none.
  return upcoming as Invoice;
}
