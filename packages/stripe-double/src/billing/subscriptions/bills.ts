/** The invoices of a subscription: of its current period, and of the next one before it comes. */
import type { World } from "../../world/world.js";
import { ownOrCustomers, tellOfDiscounts, usable } from "../invoices/discounts.js";
import { composeInvoice, type Draft, draftInvoice, type Invoice } from "../invoices/draft.js";
import { type InvoiceItem, pendingItems } from "../invoices/invoice-items.js";
import { itemLine } from "../invoices/lines.js";
import { periodLines, trialLine, unusedLine } from "../invoices/subscription-lines.js";
import { isMetered } from "../prices/rates.js";
import { phaseItems } from "../schedules/phase-items.js";
import { nextPhase, scheduleOf } from "../schedules/schedule.js";
import { DELAY, type Used, usedLines, usedUntil } from "../usage/metered.js";
import type { SubscriptionItem } from "./items.js";
import { isOver, periodEnd, renewedItems, type Subscription, wholePeriod } from "./subscription.js";

interface BillOptions {
  /** Seconds until it is finalized; null, when it is not by itself. */
  readonly finalizesIn?: number | null;
  readonly autoAdvance?: boolean;
  /** The items whose period is billed; all of them unless some are named. */
  readonly items?: readonly SubscriptionItem[];
  /** Whether the period itself costs nothing. */
  readonly free?: boolean;
  /** What was used in the time before. */
  readonly used?: readonly Used[];
  /** Leaves out usage that was reported later. */
  readonly knownBy?: number;
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
  const used = (options.used ?? []).flatMap((each) =>
    usedLines(world, subscription, each, options.knownBy),
  );
  const showsUnused = subscription.billing_mode.type === "classic" && options.used === undefined;
  const period = billed.flatMap((item) => {
    const { current_period_start: start, current_period_end: end } = item;
    const line = { subscription, item, period: { start, end } };
    if (isMetered(item.price)) return showsUnused ? [unusedLine(world, line)] : [];
    const quantity = item.quantity ?? 1;
    if (trial || options.free) return [trialLine(world, line, quantity)];
    const whole = wholePeriod(subscription, item);
    return periodLines(world, line, quantity, (end - start) / (whole.end - whole.start));
  });
  return {
    customer: subscription.customer,
    currency: subscription.currency,
    billing_reason: reason,
    lines: [...pending, ...used, ...period],
    period: {
      start: shown?.current_period_start ?? world.now(),
      end: shown?.current_period_end ?? world.now(),
    },
    subscription: { id: subscription.id, metadata: subscription.metadata },
    collection_method:
      subscription.collection_method === "send_invoice" ? "send_invoice" : "charge_automatically",
    days_until_due: subscription.days_until_due,
    default_payment_method: subscription.default_payment_method,
    discounts: usable(world, ownOrCustomers(world, subscription), world.now()),
    taxes: {
      automatic: subscription.automatic_tax.enabled,
      defaults: subscription.default_tax_rates ?? [],
    },
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
  const { discounts } = world.find("subscription", subscription.id);
  // An invoice uses up a coupon that is for one (stripe-go#944): the subscription has it no longer.
  const left = isOver(subscription) ? discounts : usable(world, discounts, world.now());
  world.patch("subscription", subscription.id, { latest_invoice: invoice.id, discounts: left });
  tellOfDiscounts(world, discounts, left);
  return invoice;
}

/** What the next renewal changes, and the items that it bills. */
export function renewal(
  world: World,
  before: Subscription,
): {
  readonly change: Pick<Subscription, "status" | "items" | "discounts">;
  readonly due: readonly SubscriptionItem[];
  /** What was used in the periods that end with it. */
  readonly used: readonly Used[];
} {
  const { items, due } = renewedItems(before);
  const ends = periodEnd(before);
  return {
    change: {
      status: before.status === "trialing" ? "active" : before.status,
      items: { ...before.items, data: items },
      discounts: usable(world, before.discounts, ends),
    },
    due,
    used: usedUntil(world, before, ends).filter(({ item }) => item.current_period_end === ends),
  };
}

/** The invoice of the next renewal, with what is to be billed beside what waits for it. */
export function upcomingDraft(
  world: World,
  subscription: Subscription,
  more: readonly InvoiceItem[] = [],
): Draft {
  const planned = inNextPhase(world, subscription);
  const { change, due, used } = renewal(world, planned);
  const next = { ...planned, ...change };
  const knownBy = world.now() - DELAY;
  return draftFor(world, next, "subscription_cycle", { items: due, used, knownBy, more });
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
