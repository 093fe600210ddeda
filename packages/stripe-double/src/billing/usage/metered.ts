/** What subscriptions used, by their metered items: how much, for which time, and the lines for it. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import type { NewInvoiceItem } from "../invoices/invoice-items.js";
import { type NewLine, nameOf } from "../invoices/lines.js";
import { periodLines, trialLine } from "../invoices/subscription-lines.js";
import { amountOf, isMetered } from "../prices/rates.js";
import { type Formula, meteredSince, type Span, usageIn } from "./ledger.js";

type Price = Plain<Stripe.Price>;
type Item = Plain<Stripe.SubscriptionItem>;
type Subscription = Plain<Stripe.Subscription>;

/** Seconds until what was reported shows in summaries and previews. */
export const DELAY = 60;

/** What was used of an item in a time that is billed now. */
export interface Used {
  readonly item: Item;
  readonly period: { readonly start: number; readonly end: number };
  /** It was a trial. */
  readonly free: boolean;
}

/** The metered items of a subscription, with what of their current periods is over by then. */
export function usedUntil(world: World, subscription: Subscription, until: number): Used[] {
  return subscription.items.data
    .filter(({ price }) => isMetered(price))
    .map((item) => ({
      item,
      period: countedPeriod(world, item, until),
      free: isTrial(subscription),
    }));
}

const isTrial = ({ status }: Subscription): boolean => status === "trialing";

function countedPeriod(world: World, item: Item, until: number): Used["period"] {
  const start = Math.max(item.current_period_start, meteredSince(world, item.id));
  return { start, end: Math.max(start, Math.min(until, item.current_period_end)) };
}

/** How much a customer used by the meter of a price. Less than nothing is nothing. */
export function quantityUsed(
  world: World,
  customer: string,
  item: { readonly id: string; readonly price: Price },
  span: Span,
): number {
  const meter = world.objects["billing.meter"].get(item.price.recurring?.meter ?? "");
  if (meter === undefined) return quantityRecorded(world, customer, item, span);
  const formula = meter.default_aggregation.formula as Formula;
  return Math.max(0, usageIn(world, { meter: meter.id, customer }, formula, span));
}

/** How usage records of older API versions make up what was used. */
const FORMULAS: { readonly [name: string]: Formula } = {
  last_during_period: "last",
  last_ever: "last",
  max: "max",
};

/** How much was used by the usage records of an item whose price has no meter. */
function quantityRecorded(
  world: World,
  customer: string,
  item: { readonly id: string; readonly price: Price },
  span: Span,
): number {
  const name = String(world.hidden.get(item.price.id)?.aggregate_usage);
  const start = name === "last_ever" ? 0 : span.start;
  return usageIn(world, { meter: item.id, customer }, FORMULAS[name] ?? "sum", { ...span, start });
}

/** The lines that bill what was used. */
export function usedLines(
  world: World,
  subscription: Subscription,
  { item, period, free }: Used,
  knownBy?: number,
): NewLine[] {
  const quantity = quantityUsed(world, subscription.customer, item, { ...period, knownBy });
  const billed = { subscription, item, period };
  return free ? [trialLine(world, billed, quantity)] : periodLines(world, billed, quantity);
}

/** What was used of an item that is given up within its period, for the next invoice. */
export function usedItem(
  world: World,
  { id, customer, currency }: Subscription,
  { item, period }: Used,
): NewInvoiceItem {
  const quantity = quantityUsed(world, customer, item, period);
  return {
    customer,
    amount: amountOf(world, item.price, quantity, currency),
    currency,
    description: `${quantity} × ${nameOf(world, item.price)}`,
    period,
    subscription: { id, item: item.id },
    price: item.price,
    quantity,
  };
}

/** Counts usage at a new metered price from now on. What was used before is billed at the old one, or not at all. */
export function noteMetered(world: World, before: readonly Item[], after: readonly Item[]): void {
  for (const { id, price } of after) {
    const old = before.find((item) => item.id === id);
    if (!isMetered(price) || old?.price.id === price.id) continue;
    world.hidden.set(id, { ...world.hidden.get(id), metered_since: world.now() });
  }
}
