/** Discounts on a checkout: those it was made with, and the code that a customer types. */
import { notModelled, refused } from "../../api/errors.js";
import type { World } from "../../world/world.js";
import { type Coupon, couponFor, type DiscountSource, productsOf } from "../invoices/discounts.js";
import { current, discounted, type LineItem, taxed, totalsOf } from "./lines.js";
import {
  attemptOf,
  type CheckoutDiscount,
  type CheckoutSession,
  lineItems,
  purposeOf,
  type Totals,
} from "./session.js";

/** What is to be discounted. */
export interface Discounted {
  readonly customer: string | undefined;
  readonly amount: number;
  readonly currency: string;
  readonly products: readonly (string | undefined)[];
}

/** The coupon that a source leads to, or Stripe's reason why it cannot be used on this. */
export function couponOf(world: World, source: DiscountSource, on: Discounted): Coupon {
  const { coupon } = couponFor(world, source, on, "discounts[0]");
  const only = productsOf(world, coupon.id);
  if (only && on.products.some((product) => !only.includes(product ?? ""))) {
    throw notModelled("a coupon that applies to some of the line items only");
  }
  return coupon;
}

export function sourceOf({ coupon, promotion_code: code }: CheckoutDiscount): DiscountSource {
  return code === null ? { coupon: coupon ?? undefined } : { promotion_code: code };
}

/** The active promotion code that a customer typed; capital letters do not matter. */
function typed(world: World, code: string): CheckoutDiscount {
  const wanted = code.toLowerCase();
  const found = [...world.objects.promotion_code.values()].find(
    (each) => each.active && each.code.toLowerCase() === wanted,
  );
  if (found === undefined) throw refused("This code is invalid.");
  return { coupon: null, promotion_code: found.id };
}

export interface Priced {
  readonly discount: CheckoutDiscount | undefined;
  readonly items: readonly LineItem[];
  readonly totals: Totals;
}

/** What a session costs with this code, or with the discount it was made with. Throws a refusal. */
export function priced(world: World, session: CheckoutSession, code: string | undefined): Priced {
  const { begins, taxes } = purposeOf(world, session.id);
  const items = taxed(world, current(world, lineItems(world, session.id), begins), taxes);
  // An attempt may have redeemed the code already; it holds for the next one too.
  const { subscription, terms } = attemptOf(world, session.id);
  if (subscription !== undefined && terms !== undefined && terms.code === code) return terms;
  const discount = code === undefined ? session.discounts?.[0] : typed(world, code);
  if (discount === undefined) return { discount, items, totals: totalsOf(items) };
  const coupon = couponOf(world, sourceOf(discount), {
    customer: session.customer ?? undefined,
    amount: totalsOf(items).amount_subtotal,
    currency: session.currency ?? "usd",
    products: items.map(({ price }) => price?.product),
  });
  const less = taxed(world, discounted(items, coupon), taxes);
  return { discount, items: less, totals: totalsOf(less) };
}
