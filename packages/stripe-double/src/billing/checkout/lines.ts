/** What a checkout sells: its line items, and the totals that they and a discount make. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { shareOut } from "../invoices/shares.js";
import { amountOf } from "../prices/rates.js";

export type LineItem = Plain<Stripe.LineItem>;
type Price = Plain<Stripe.Price>;
type Coupon = Plain<Stripe.Coupon>;

export interface Sold {
  readonly price: Price;
  /** Null for a metered price. */
  readonly quantity: number | null;
}

/** What is due for it when it is bought. What is metered was not used yet. */
export function firstAmount(
  world: World,
  { price, quantity }: Sold,
  options: { readonly trial: boolean; readonly currency: string },
): number {
  if (quantity === null || (options.trial && price.recurring)) return 0;
  const chosen = price.custom_unit_amount?.preset ?? 0;
  return price.custom_unit_amount
    ? chosen * quantity
    : amountOf(world, price, quantity, options.currency);
}

/** What a coupon takes off an amount that it applies to. */
function couponOff(coupon: Coupon, amount: number): number {
  if (coupon.percent_off !== null) return Math.round((amount * coupon.percent_off) / 100);
  return Math.min(amount, coupon.amount_off ?? 0);
}

/** The line items of what is sold. Recurring ones cost nothing yet when a trial comes first. */
export function lineItemsOf(
  world: World,
  sold: readonly Sold[],
  options: {
    readonly trial: boolean;
    readonly currency: string;
    readonly coupon?: Coupon | undefined;
  },
): LineItem[] {
  const amounts = sold.map((each) => firstAmount(world, each, options));
  const off = shares(amounts, options.coupon);
  return sold.map(({ price, quantity }, index) => {
    const subtotal = amounts[index] ?? 0;
    const discount = off[index] ?? 0;
    return {
      id: world.id("li"),
      object: "item",
      adjustable_quantity: null,
      amount_discount: discount,
      amount_subtotal: subtotal,
      amount_tax: 0,
      amount_total: subtotal - discount,
      currency: options.currency,
      description: world.objects.product.get(price.product)?.name ?? null,
      metadata: {},
      price,
      quantity,
    };
  });
}

/** The same items with another discount; they keep their ids. */
export function discounted(items: readonly LineItem[], coupon: Coupon | undefined): LineItem[] {
  const off = shares(
    items.map((item) => item.amount_subtotal),
    coupon,
  );
  return items.map((item, index) => {
    const discount = off[index] ?? 0;
    return { ...item, amount_discount: discount, amount_total: item.amount_subtotal - discount };
  });
}

/** Spreads a discount over the lines by their amounts. */
function shares(amounts: readonly number[], coupon: Coupon | undefined): number[] {
  const whole = amounts.reduce((sum, amount) => sum + amount, 0);
  return shareOut(coupon === undefined ? 0 : couponOff(coupon, whole), amounts);
}

export function totalsOf(items: readonly LineItem[]) {
  const sum = (read: (item: LineItem) => number) =>
    items.reduce((total, item) => total + read(item), 0);
  return {
    amount_subtotal: sum((item) => item.amount_subtotal),
    amount_total: sum((item) => item.amount_total),
    total_details: {
      amount_discount: sum((item) => item.amount_discount),
      amount_shipping: 0,
      amount_tax: 0,
    },
  };
}
