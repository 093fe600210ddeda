/** What a subscription is, and the periods of its items, before anything is done to it. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import { type Cycle, cycleAt, cycleEnd, sameLength } from "../period.js";
import type { SubscriptionItem } from "./items.js";

export type Subscription = Plain<Stripe.Subscription>;

interface Period {
  readonly start: number;
  readonly end: number;
}

export const isOver = ({ status }: Subscription): boolean =>
  status === "canceled" || status === "incomplete_expired";

export function cycleOf({ price }: Pick<SubscriptionItem, "price">): Cycle {
  if (!price.recurring) throw new Error(`${price.id} is not recurring`);
  return price.recurring;
}

/** Whether the items have one interval, that of the first. */
export function isUniform(items: readonly SubscriptionItem[]): boolean {
  const [first] = items;
  return first !== undefined && items.every((item) => sameLength(cycleOf(item), cycleOf(first)));
}

/** The cycle that an item is in, even if it began or the subscription ends within it. */
export const wholePeriod = (
  { billing_cycle_anchor: anchor }: Subscription,
  item: SubscriptionItem,
): Period => cycleAt(anchor, cycleOf(item), item.current_period_start);

/** The period that an item with this price has if it is added now. */
export function periodFor(
  { billing_cycle_anchor: anchor, cancel_at: end, items, start_date, status }: Subscription,
  price: SubscriptionItem["price"],
  now: number,
): Period {
  const [first] = items.data;
  if (status === "trialing" && first) {
    return { start: first.current_period_start, end: first.current_period_end };
  }
  const cycle = cycleAt(anchor, cycleOf({ price }), now);
  return {
    start: Math.max(cycle.start, start_date),
    end: Math.min(cycle.end, end ?? cycle.end),
  };
}

export const inPeriod = (item: SubscriptionItem, { start, end }: Period): SubscriptionItem => ({
  ...item,
  current_period_start: start,
  current_period_end: end,
});

/** The items with a period that begins now. */
export const startingAt = (items: readonly SubscriptionItem[], now: number): SubscriptionItem[] =>
  items.map((item) => inPeriod(item, { start: now, end: cycleEnd(now, cycleOf(item), now) }));

/** The items with periods that end then, or with the whole ones again. */
export const endingAt = (subscription: Subscription, end: number | null): SubscriptionItem[] =>
  subscription.items.data.map((item) => {
    const whole = wholePeriod(subscription, item);
    const start = item.current_period_start;
    return inPeriod(item, { start, end: Math.min(whole.end, end ?? whole.end) });
  });

/** When the first of the items' periods ends. They end together unless the intervals differ. */
export const periodEnd = ({ items }: Subscription): number =>
  Math.min(...items.data.map(({ current_period_end: end }) => end));

/** The items after the next renewal, and those of them that it renews. */
export function renewedItems(subscription: Subscription): {
  readonly items: SubscriptionItem[];
  readonly due: SubscriptionItem[];
} {
  const { billing_cycle_anchor: anchor, cancel_at: last } = subscription;
  const start = periodEnd(subscription);
  const items = subscription.items.data.map((item) => {
    if (item.current_period_end !== start) return item;
    const end = cycleEnd(anchor, cycleOf(item), start);
    // A period that the subscription does not reach the end of is billed in part.
    return inPeriod(item, {
      start,
      end: last !== null && last > start ? Math.min(end, last) : end,
    });
  });
  return { items, due: items.filter((item) => item.current_period_start === start) };
}
