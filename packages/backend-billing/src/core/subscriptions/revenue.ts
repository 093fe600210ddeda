/**
 * What comes in each month, by a definition of our own: the licensed items of subscriptions that are
 * active or past due, per month, before discounts and taxes. docs/reading.md has it beside Stripe's.
 */
import type { StripeObject } from "../catalogue/catalogue.js";
import type { Revenue, Store } from "../mirror/store.js";

type Subscription = StripeObject<"subscriptions">;

/** The statuses that count. */
export const EARNING: readonly string[] = ["active", "past_due"];
/** Milliseconds in which an end is one of late. */
export const CHURN_WINDOW = 30 * 24 * 60 * 60 * 1000;
/** How often an interval comes in a year. */
export const PER_YEAR: { readonly [interval: string]: number } = {
  day: 365,
  week: 52,
  month: 12,
  year: 1,
};

/** What a subscription comes to in a month. Usage is not known before it is invoiced, nor are tiers. */
export function monthlyOf({ items }: Pick<Subscription, "items">): number {
  let sum = 0;
  for (const { price, quantity } of items.data) {
    const { recurring, unit_amount_decimal: amount } = price;
    if (recurring?.usage_type !== "licensed" || amount === null) continue;
    const yearly = (quantity ?? 1) * Number(amount) * (PER_YEAR[recurring.interval] ?? 0);
    sum += yearly / (12 * recurring.interval_count);
  }
  return sum;
}

/** Whether it ended of late, and had been more than a trial. */
export function isChurned(
  { status, ended_at: ended, trial_end: trial }: Subscription,
  now: number,
): boolean {
  if (status !== "canceled" || ended === null || ended * 1000 < now - CHURN_WINDOW) return false;
  return trial === null || ended > trial;
}

/** Adds up subscriptions, by currency. */
export function revenueSums(now: number): {
  add(subscription: Subscription): void;
  sums(): readonly Revenue[];
} {
  const sums = new Map<string, { -readonly [K in keyof Revenue]: Revenue[K] }>();
  return {
    add(subscription) {
      const { currency, status } = subscription;
      const none = { plan: null, currency, subscriptions: 0, monthly: 0, trialing: 0, churned: 0 };
      const sum = sums.get(currency) ?? none;
      if (EARNING.includes(status)) {
        sum.subscriptions++;
        sum.monthly += monthlyOf(subscription);
      } else if (status === "trialing") sum.trialing++;
      else if (isChurned(subscription, now)) sum.churned++;
      else return;
      sums.set(currency, sum);
    },
    sums: () =>
      [...sums.values()]
        .map((sum) => ({ ...sum, monthly: Math.round(sum.monthly) }))
        .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
  };
}

/** Rows that are read at once. */
const PAGE = 100;

/** The sums over all rows, where the database cannot add them up itself. */
export async function readRevenue(
  store: Pick<Store, "rows">,
  now: number,
): Promise<readonly Revenue[]> {
  const { add, sums } = revenueSums(now);
  for (let after = ""; ; ) {
    const page = await store.rows("subscriptions", after, PAGE);
    for (const { stripe } of page) if (stripe !== null) add(stripe);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return sums();
    after = last._id;
  }
}
