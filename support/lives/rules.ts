/**
 * Stripe's published rules about money, as far as the lives need them, worked out here once more:
 * nothing is shared with the double. Amounts are whole cents, moments whole seconds.
 */
import { type Coupon, type CycleName, LENGTHS } from "./script.js";

/**
 * The only place where anything is rounded: to the nearest cent, and half a cent away from zero.
 * Stripe says that amounts are rounded to the nearest cent (docs: prices and unit_amount_decimal).
 * For half a cent it publishes no rule; this is the usual commercial one.
 */
export function nearest(numerator: number, denominator: number): number {
  const [n, d] = [BigInt(numerator), BigInt(denominator)];
  const rounded = ((n < 0n ? -n : n) * 2n + d) / (d * 2n);
  return Number(n < 0n ? -rounded : rounded);
}

/** Proration is by the second (docs: prorations, "How prorations work"). */
export const timeShare = (amount: number, seconds: number, of: number): number =>
  nearest(amount * seconds, of);

/**
 * A period ends on the day of the anchor, or on the last day of a shorter month; the anchor's day
 * comes back afterwards (docs: subscriptions, "billing cycle anchor").
 */
export function periodAfter(anchor: number, cycle: CycleName, start: number): number {
  const { interval, interval_count: count } = LENGTHS[cycle];
  if (interval === "week") return start + count * 7 * 86_400;
  const months = interval === "year" ? 12 : count;
  const [from, to] = [new Date(anchor * 1000), new Date(start * 1000)];
  const passed = (to.getUTCFullYear() - from.getUTCFullYear()) * 12;
  return monthsAfter(anchor, passed + to.getUTCMonth() - from.getUTCMonth() + months);
}

export function monthsAfter(anchor: number, months: number): number {
  const from = new Date(anchor * 1000);
  const moved = new Date(anchor * 1000);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0));
  moved.setUTCDate(Math.min(from.getUTCDate(), lastDay.getUTCDate()));
  return moved.getTime() / 1000;
}

/** What discounts can be taken off. */
export interface Discountable {
  readonly amount: number;
  readonly product?: string | undefined;
}

/**
 * What is left of each amount. A coupon takes its part off the subtotal (API reference: coupon,
 * percent_off and amount_off), of the products that it is for (applies_to), and never more than
 * there is; several apply in their order, each to what the ones before left (docs: coupons, stacking).
 * How a coupon's cents fall on the lines is not published: by size, and those that rounding leaves go
 * to the largest remainders, the first line first.
 */
export function afterDiscounts(
  lines: readonly Discountable[],
  coupons: readonly Coupon[],
): number[] {
  const left = lines.map(({ amount }) => amount);
  for (const { percent, amount = 0, only } of coupons) {
    const base = lines.map(({ product }, index) =>
      only === undefined || only === product ? (left[index] ?? 0) : 0,
    );
    const whole = base.reduce((sum, each) => sum + each, 0);
    const off = Math.min(whole, percent === undefined ? amount : nearest(whole * percent, 10_000));
    spread(off, base, whole).forEach((each, index) => {
      left[index] = (left[index] ?? 0) - each;
    });
  }
  return left;
}

function spread(amount: number, base: readonly number[], whole: number): number[] {
  if (whole === 0) return base.map(() => 0);
  const shares = base.map((each) => Math.floor((amount * each) / whole));
  const rests = base.map((each, index) => ({ index, rest: (amount * each) % whole }));
  let cents = amount - shares.reduce((sum, each) => sum + each, 0);
  for (const { index } of rests.sort((a, b) => b.rest - a.rest || a.index - b.index)) {
    if (cents-- > 0) shares[index] = (shares[index] ?? 0) + 1;
  }
  return shares;
}

/** The least that is charged in dollars (docs: currencies, minimum charge amounts). */
const LEAST = 50;

/**
 * The customer's balance is added to the total; what is owed to the customer, and what is too small
 * to be charged, stays on the balance (API reference: invoice, amount_due; docs: customer balance).
 */
export function settle(total: number, balance: number): { due: number; balance: number } {
  const owed = total + balance;
  return owed < LEAST ? { due: 0, balance: owed } : { due: owed, balance: 0 };
}

/** A renewal stays a draft for an hour (docs: subscription invoices). */
export const DRAFT_SECONDS = 3_600;

/** A first invoice that is not paid is void after 23 hours (docs: subscription statuses, incomplete). */
export const INCOMPLETE_SECONDS = 23 * 3_600;

/** Days after the first failure at which it is tried again: a setting, the double's being three tries. */
export const RETRY_DAYS = [3, 8, 15];
