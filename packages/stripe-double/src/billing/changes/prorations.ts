/** Credits and charges for a change within a period. */
import type { World } from "../../world/world.js";
import { ownOrCustomers, usable } from "../invoices/discounts.js";
import type { NewInvoiceItem } from "../invoices/invoice-items.js";
import { amountsOf, nameOf } from "../invoices/lines.js";
import { type Amounts, netOf, partOf } from "../invoices/shares.js";
import { type Debit, debitsOf, unused } from "../subscriptions/debits.js";
import type { SubscriptionItem } from "../subscriptions/items.js";
import { type Subscription, wholePeriod } from "../subscriptions/subscription.js";

/**
 * Credits for what was debited for the old items and is not used, and charges for what the new
 * items take beyond it. New periods are billed whole, so nothing is charged for them here.
 */
export function prorations(
  world: World,
  subscription: Subscription,
  items: readonly SubscriptionItem[],
  { restarts = false, at: now = world.now() }: { restarts?: boolean; at?: number | undefined } = {},
): NewInvoiceItem[] {
  if (subscription.status === "trialing") return [];
  const old = subscription.items.data;
  const credited = old.flatMap((item) => {
    const kept = restarts ? undefined : counterpart(item, items);
    return credits(world, subscription, item, kept?.current_period_end ?? now);
  });
  const charged = restarts ? [] : items;
  return [
    ...credited,
    ...charged.map((item) => {
      const from = counterpart(item, old)?.current_period_end ?? now;
      return charge(world, subscription, items, item, from);
    }),
  ].filter(({ amount }) => amount !== 0);
}

/** The same item with the same price and quantity; only its period may differ. */
function counterpart(
  item: SubscriptionItem,
  others: readonly SubscriptionItem[],
): SubscriptionItem | undefined {
  return others.find(
    ({ id, price, quantity }) =>
      id === item.id && price.id === item.price.id && quantity === item.quantity,
  );
}

/** What was debited for an item beyond a moment. */
function credits(
  world: World,
  subscription: Subscription,
  item: SubscriptionItem,
  from: number,
): NewInvoiceItem[] {
  // What an earlier change without prorations left of an earlier period stays as it is.
  const debits = debitsOf(world, subscription.customer, item.id).filter(
    ({ period }) => period.start >= item.current_period_start,
  );
  const flexible = subscription.billing_mode.type === "flexible";
  return (flexible ? debits : classicDebits(world, subscription, item, debits)).map((debit) => {
    const period = { start: Math.max(from, debit.period.start), end: debit.until };
    const { gross, discounts } = unused(debit, from);
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
  const { currency } = subscription;
  const amounts = amountsOf(world, items, { currency, discounts })[items.indexOf(item)];
  const period = wholePeriod(subscription, item);
  const until = item.current_period_end;
  return amounts ? [{ ...amounts, source: last?.source ?? null, period, until }] : [];
}

/** What an item costs from a moment on, among these items, until its period ends. */
function charge(
  world: World,
  subscription: Subscription,
  items: readonly SubscriptionItem[],
  item: SubscriptionItem,
  from: number,
): NewInvoiceItem {
  const { start, end } = wholePeriod(subscription, item);
  const discounts = usable(world, ownOrCustomers(world, subscription), world.now());
  const { currency } = subscription;
  const whole = amountsOf(world, items, { currency, discounts })[items.indexOf(item)];
  const part = Math.max(0, item.current_period_end - from) / (end - start);
  const amounts = partOf(whole ?? { gross: 0, discounts: [] }, part);
  const period = { start: from, end: item.current_period_end };
  return proration(world, subscription, item, { amounts, period });
}

/** `09 Dec 2025`. */
const dayOf = (moment: number): string => new Date(moment * 1000).toUTCString().slice(5, 16);

function proration(
  world: World,
  { id, customer, currency, billing_mode: mode }: Subscription,
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
    currency,
    description: `${kind} time on ${what} after ${dayOf(period.start)}`,
    period,
    proration: { credits: credited?.source ?? null, discounts: amounts.discounts, itemized },
    subscription: { id, item: item.id },
    price: item.price,
    quantity,
    tax_rates: item.tax_rates ?? [],
  };
}
