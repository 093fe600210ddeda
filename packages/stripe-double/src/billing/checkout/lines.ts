/** What a checkout sells: its line items, and the totals that they and a discount make. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { type AnchorConfig, anchorFor } from "../anchor.js";
import { shareOut } from "../invoices/shares.js";
import { cycleAt } from "../period.js";
import { amountOf } from "../prices/rates.js";
import { ratesFor } from "../taxes/rates.js";
import { addedBy, includedIn, type TaxRate, taxesOn } from "../taxes/taxes.js";

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

/** Where the cycles of what is subscribed to begin, if not now. */
export interface Beginning {
  readonly asked?: number | undefined;
  readonly config?: AnchorConfig | undefined;
  /** Whether the time until then is billed in part, or not at all. */
  readonly prorates: boolean;
}

/** What each costs now: of what recurs only the part until its first cycle begins. */
function firstAmounts(
  world: World,
  sold: readonly Sold[],
  { asked, config, prorates }: Beginning,
  currency: string,
): number[] {
  const now = world.now();
  const cycles = sold.flatMap(({ price }) => price.recurring ?? []);
  const later = asked !== undefined || config !== undefined;
  const anchor = later && cycles.length > 0 ? anchorFor(now, cycles, asked, config) : now;
  return sold.map((each) => {
    const { price } = each;
    const whole = firstAmount(world, each, { trial: false, currency });
    if (!price.recurring || anchor === now) return whole;
    if (!prorates) return 0;
    const { start, end } = cycleAt(anchor, price.recurring, now);
    return Math.round((whole * (end - now)) / (end - start));
  });
}

/** The same items as they cost now; they keep their ids. */
export function current(
  world: World,
  items: readonly LineItem[],
  begins: Beginning,
): readonly LineItem[] {
  if (begins.asked === undefined && begins.config === undefined) return items;
  const sold = items.flatMap(({ price, quantity }) => (price ? [{ price, quantity }] : []));
  const amounts = firstAmounts(world, sold, begins, items[0]?.currency ?? "usd");
  return items.map((item, index) => ({
    ...item,
    amount_subtotal: amounts[index] ?? item.amount_subtotal,
  }));
}

/** The line items of what is sold. Recurring ones cost nothing yet when a trial comes first. */
export function lineItemsOf(
  world: World,
  sold: readonly Sold[],
  options: {
    readonly trial: boolean;
    readonly currency: string;
    readonly coupon?: Coupon | undefined;
    readonly begins: Beginning;
  },
): LineItem[] {
  const amounts = firstAmounts(world, sold, options.begins, options.currency).map(
    (amount, index) => (options.trial && sold[index]?.price.recurring ? 0 : amount),
  );
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

/** How a checkout is taxed: automatically, or by the rates of each line, in their order. */
export interface LineTaxes {
  readonly automatic: boolean;
  /** Rates for lines without their own, of what a session subscribes to. */
  readonly defaults: readonly TaxRate[];
  readonly rates: readonly (readonly TaxRate[])[];
  readonly exempt: boolean;
}

/** The same items with their taxes, on what discounts leave of them. */
export function taxed(world: World, items: readonly LineItem[], taxes: LineTaxes): LineItem[] {
  return items.map((item, index) => {
    const net = item.amount_subtotal - item.amount_discount;
    const rates = ratesFor(world, taxes, taxes.rates[index] ?? [], item.price?.id);
    const due = taxes.exempt ? [] : taxesOn(net, rates);
    return {
      ...item,
      amount_tax: addedBy(due) + includedIn(due),
      amount_total: net + addedBy(due),
    };
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
      amount_tax: sum((item) => item.amount_tax),
    },
  };
}
