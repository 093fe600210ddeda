/** Credits and charges for a change within a period. */
import type { World } from "../../world/world.js";
import { usable } from "../invoices/discounts.js";
import type { NewInvoiceItem } from "../invoices/invoice-items.js";
import { amountsOf, nameOf } from "../invoices/lines.js";
import { type Amounts, netOf, partOf } from "../invoices/shares.js";
import { cycleEnd } from "../period.js";
import { type Debit, debitsOf, unused } from "./debits.js";
import type { SubscriptionItem } from "./items.js";
import { cycleOf, type Subscription, sameCycle } from "./subscription.js";

/** Credits for the rest of what was debited for the old items, and charges for the rest of the new ones. */
export function prorations(
  world: World,
  subscription: Subscription,
  items: readonly SubscriptionItem[],
): NewInvoiceItem[] {
  if (subscription.status === "trialing") return [];
  const old = subscription.items.data;
  const credited = old.filter((item) => !isAmong(item, items));
  // A new period is billed whole, so only a change within the period charges for its rest.
  const added = items.filter((item) => !isAmong(item, old));
  const charged = added.length > 0 && sameCycle(old, items) ? added : [];
  return [
    ...credited.flatMap((item) => credits(world, subscription, item)),
    ...charged.map((item) => charge(world, subscription, items, item)),
  ].filter(({ amount }) => amount !== 0);
}

function isAmong(item: SubscriptionItem, others: readonly SubscriptionItem[]): boolean {
  return others.some(
    ({ id, price, quantity }) =>
      id === item.id && price.id === item.price.id && quantity === item.quantity,
  );
}

/** What an item does not use from now on. */
function credits(
  world: World,
  subscription: Subscription,
  item: SubscriptionItem,
): NewInvoiceItem[] {
  const now = world.now();
  const debits = debitsOf(world, subscription.customer, item.id);
  const flexible = subscription.billing_mode.type === "flexible";
  return (flexible ? debits : classicDebits(world, subscription, item, debits)).map((debit) => {
    const period = { start: Math.max(now, debit.period.start), end: debit.until };
    const { gross, discounts } = unused(debit, now);
    const amounts = {
      gross: -gross,
      discounts: discounts.map(({ amount, discount }) => ({ amount: -amount, discount })),
    };
    return proration(world, subscription, item, { amounts, period, credited: debit });
  });
}

/**
 * In classic billing mode a credit follows from the current price and quantity, and from the
 * discounts that were used last, whatever was debited.
 */
function classicDebits(
  world: World,
  subscription: Subscription,
  item: SubscriptionItem,
  debits: readonly Debit[],
): Debit[] {
  const last = debits.at(-1);
  const discounts = last?.discounts.map(({ discount }) => discount) ?? [];
  const items = subscription.items.data;
  const amounts = amountsOf(world, items, discounts)[items.indexOf(item)];
  const period = cycleAround(subscription, item);
  const until = item.current_period_end;
  return amounts ? [{ ...amounts, source: last?.source ?? null, period, until }] : [];
}

/** What an item costs from now on, among these items, until its period ends. */
function charge(
  world: World,
  subscription: Subscription,
  items: readonly SubscriptionItem[],
  item: SubscriptionItem,
): NewInvoiceItem {
  const now = world.now();
  const { start, end } = cycleAround(subscription, item);
  const discounts = usable(world, subscription.discounts, now);
  const whole = amountsOf(world, items, discounts)[items.indexOf(item)];
  const part = Math.max(0, item.current_period_end - now) / (end - start);
  const amounts = partOf(whole ?? { gross: 0, discounts: [] }, part);
  const period = { start: now, end: item.current_period_end };
  return proration(world, subscription, item, { amounts, period });
}

/** The whole cycle that an item is in, even if the subscription ends within it. */
function cycleAround({ billing_cycle_anchor: anchor }: Subscription, item: SubscriptionItem) {
  const start = item.current_period_start;
  return { start, end: cycleEnd(anchor, cycleOf([item]), start) };
}

/** `09 Dec 2025`. */
const dayOf = (moment: number): string => new Date(moment * 1000).toUTCString().slice(5, 16);

function proration(
  world: World,
  { id, customer, billing_mode: mode }: Subscription,
  item: SubscriptionItem,
  {
    amounts,
    period,
    credited,
  }: {
    readonly amounts: Amounts;
    readonly period: { readonly start: number; readonly end: number };
    /** The debit that this is a credit for. */
    readonly credited?: Debit;
  },
): NewInvoiceItem {
  const itemized = mode.flexible?.proration_discounts === "itemized";
  const quantity = item.quantity ?? 1;
  const name = nameOf(world, item.price);
  const what = quantity === 1 ? name : `${quantity} × ${name}`;
  const kind = credited ? "Unused" : "Remaining";
  return {
    customer,
    amount: itemized ? amounts.gross : netOf(amounts),
    currency: item.price.currency,
    description: `${kind} time on ${what} after ${dayOf(period.start)}`,
    period,
    proration: { credits: credited?.source ?? null, discounts: amounts.discounts, itemized },
    subscription: { id, item: item.id },
    price: item.price,
    quantity,
  };
}
