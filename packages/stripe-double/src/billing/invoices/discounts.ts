/**
 * Discounts: a coupon, possibly by way of a promotion code, applied to something. They are in no
 * list of their own; other objects hold their ids, and show them when asked to.
 */
import type Stripe from "stripe";
import { refused } from "../../api/errors.js";
import { referenced } from "../../resources/common.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { cyclesAfter } from "../period.js";
import type { Terms } from "./shares.js";

export type Discount = Plain<Stripe.Discount>;
export type Coupon = Plain<Stripe.Coupon>;
export type PromotionCode = Plain<Stripe.PromotionCode>;

/** What a caller names: one or the other. */
export interface DiscountSource {
  readonly coupon?: string | undefined;
  readonly promotion_code?: string | undefined;
}

/** What the discount is on. `amount` and `currency` are checked against the terms where given. */
export interface DiscountTarget {
  readonly customer?: string | null | undefined;
  readonly subscription?: string | undefined;
  readonly subscription_item?: string | undefined;
  readonly invoice?: string | undefined;
  readonly checkout_session?: string | undefined;
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
}

interface Applied {
  readonly discount: Discount;
  /** As it was when applied: the coupon may be deleted since, and the discount stays. */
  readonly coupon: Coupon;
  /** Whether an invoice has it. */
  readonly used: boolean;
}

const applied = new WeakMap<World, Map<string, Applied>>();

function appliedIn(world: World): Map<string, Applied> {
  const known = applied.get(world) ?? new Map<string, Applied>();
  applied.set(world, known);
  return known;
}

export function findDiscount(world: World, id: string): Discount | undefined {
  return appliedIn(world).get(id)?.discount;
}

/** A coupon by its id; one that was deleted is still known by what it was applied to. */
export function findCoupon(world: World, id: string): Coupon | undefined {
  const current = world.objects.coupon.get(id);
  if (current !== undefined) return current;
  const last = [...appliedIn(world).values()].findLast(({ coupon }) => coupon.id === id)?.coupon;
  return last && { ...last, valid: false };
}

/** The coupon that a source leads to, if it can be used on this target. */
export function couponFor(
  world: World,
  source: DiscountSource,
  target: DiscountTarget,
  param: string,
): { readonly coupon: Coupon; readonly promotion?: PromotionCode } {
  if (source.promotion_code === undefined) {
    const coupon = referenced(world, "coupon", source.coupon ?? "", `${param}[coupon]`);
    checkCoupon(coupon, target, `${param}[coupon]`);
    return { coupon };
  }
  const where = `${param}[promotion_code]`;
  const promotion = referenced(world, "promotion_code", source.promotion_code, where);
  checkPromotion(world, promotion, target, where);
  const coupon = referenced(world, "coupon", promotion.promotion.coupon ?? "", where);
  checkCoupon(coupon, target, where);
  return { coupon, promotion };
}

function checkCoupon(coupon: Coupon, target: DiscountTarget, param: string): void {
  if (!coupon.valid) throw refused(`Coupon expired: ${coupon.id}`, param, "coupon_expired");
  if (
    coupon.currency !== null &&
    target.currency !== undefined &&
    coupon.currency !== target.currency
  ) {
    throw refused(
      `The coupon ${coupon.id} is in ${coupon.currency} and cannot be applied to an amount in ${target.currency}.`,
      param,
    );
  }
}

function checkPromotion(
  world: World,
  promotion: PromotionCode,
  target: DiscountTarget,
  param: string,
): void {
  const { restrictions, customer } = promotion;
  if (!promotion.active) {
    throw refused("This promotion code is inactive and cannot be redeemed.", param);
  }
  if (customer !== null && customer !== target.customer) {
    throw refused("This promotion code cannot be redeemed by this customer.", param);
  }
  const least = restrictions.minimum_amount;
  if (least !== null && target.amount !== undefined && target.amount < least) {
    throw refused(
      "This promotion code cannot be redeemed because the amount is below its minimum.",
      param,
    );
  }
  if (restrictions.first_time_transaction && target.customer && hasPaid(world, target.customer)) {
    throw refused(
      "This promotion code cannot be redeemed because the associated customer has prior transactions.",
      param,
    );
  }
}

function hasPaid(world: World, customer: string): boolean {
  return world.objects.charge.where("customer", customer).some(({ paid }) => paid);
}

/** Applies a coupon or promotion code. It is not counted as redeemed yet; see `redeem`. */
export function discountFrom(
  world: World,
  source: DiscountSource,
  target: DiscountTarget,
  param = "discounts[0]",
): Discount {
  const { coupon, promotion } = couponFor(world, source, target, param);
  const start = world.now();
  const months = coupon.duration === "repeating" ? coupon.duration_in_months : null;
  const discount: Discount = {
    id: world.id("di"),
    object: "discount",
    checkout_session: target.checkout_session ?? null,
    customer: target.customer ?? null,
    customer_account: null,
    end:
      months === null ? null : cyclesAfter(start, { interval: "month", interval_count: 1 }, months),
    invoice: target.invoice ?? null,
    invoice_item: null,
    promotion_code: promotion?.id ?? null,
    source: { coupon: coupon.id, type: "coupon" },
    start,
    subscription: target.subscription ?? null,
    subscription_item: target.subscription_item ?? null,
  };
  appliedIn(world).set(discount.id, { discount, coupon, used: false });
  return discount;
}

/** Applies and redeems each of them, once all are known to be good; answers the discounts' ids. */
export function discountsFrom(
  world: World,
  sources: readonly DiscountSource[],
  target: DiscountTarget,
): string[] {
  sources.forEach((source, index) => {
    couponFor(world, source, target, `discounts[${index}]`);
  });
  return sources.map((source, index) => {
    const { id } = discountFrom(world, source, target, `discounts[${index}]`);
    redeem(world, id);
    return id;
  });
}

/** Says what a discount turned out to be on, such as a subscription that had no id before. */
export function assignDiscount(
  world: World,
  id: string,
  target: Partial<Pick<Discount, "subscription" | "invoice" | "customer" | "checkout_session">>,
): void {
  const known = appliedIn(world).get(id);
  if (known !== undefined) {
    appliedIn(world).set(id, { ...known, discount: { ...known.discount, ...target } });
  }
}

/**
 * Counts a redemption of the discount's coupon and promotion code. Stripe is not known to raise an
 * event for it, nor when it makes the coupon invalid: a change that only asking again reveals.
 */
function redeem(world: World, id: string): void {
  const known = appliedIn(world).get(id);
  const coupon = known && world.objects.coupon.get(known.coupon.id);
  if (coupon !== undefined) {
    const redeemed = { ...coupon, times_redeemed: coupon.times_redeemed + 1 };
    const { times_redeemed, max_redemptions: most } = redeemed;
    const usedUp = most !== null && times_redeemed >= most;
    world.patch("coupon", coupon.id, { times_redeemed, valid: coupon.valid && !usedUp });
    if (usedUp) retirePromotionCodes(world, coupon.id);
  }
  const promotion = world.objects.promotion_code.get(known?.discount.promotion_code ?? "");
  if (promotion !== undefined) {
    const times_redeemed = promotion.times_redeemed + 1;
    const { max_redemptions: most } = promotion;
    const usedUp = most !== null && times_redeemed >= most;
    world.patch("promotion_code", promotion.id, {
      times_redeemed,
      active: promotion.active && !usedUp,
    });
  }
}

/** A promotion code is active only while its coupon is valid; that too changes without an event. */
export function retirePromotionCodes(world: World, coupon: string): void {
  for (const { id, active, promotion } of world.objects.promotion_code.values()) {
    if (active && promotion.coupon === coupon) world.patch("promotion_code", id, { active: false });
  }
}

/** What these discounts take off, as their coupons were when they were applied. */
export function termsOf(world: World, discounts: readonly string[]): Terms[] {
  return discounts.flatMap((discount) => {
    const coupon = appliedIn(world).get(discount)?.coupon;
    if (coupon === undefined) return [];
    const { percent_off, amount_off } = coupon;
    return [{ discount, percent_off, amount_off, products: productsOf(world, coupon.id) }];
  });
}

/** The products that a coupon is limited to, which Stripe shows only when asked. */
export function productsOf(world: World, coupon: string): readonly string[] | undefined {
  const limits = world.hidden.get(coupon)?.applies_to;
  if (typeof limits !== "object" || limits === null || !("products" in limits)) return undefined;
  return Array.isArray(limits.products) ? limits.products : undefined;
}

/**
 * Those of the discounts that count for what is billed at this time: their months have not passed,
 * and one that serves a single invoice has not served it yet.
 */
export function usable(world: World, discounts: readonly string[], at: number): string[] {
  return discounts.filter((id) => {
    const known = appliedIn(world).get(id);
    if (known === undefined) return true;
    const { end } = known.discount;
    if (typeof end === "number" && at >= end) return false;
    return known.coupon.duration !== "once" || !known.used;
  });
}

/**
 * Tells of the discounts that a subscription has come to have, and of those that it has no longer:
 * before Stripe tells of the subscription. One in the place of another is a change of it.
 */
export function tellOfDiscounts(
  world: World,
  before: readonly string[],
  after: readonly string[],
): void {
  const found = (ids: readonly string[], others: readonly string[]) =>
    ids.filter((id) => !others.includes(id)).flatMap((id) => findDiscount(world, id) ?? []);
  const [made, gone] = [found(after, before), found(before, after)];
  const [next, last] = [made[0], gone[0]];
  if (made.length === 1 && gone.length === 1 && next && last) {
    world.raise("customer.discount.updated", next, last);
    return;
  }
  for (const discount of made) world.raise("customer.discount.created", discount);
  for (const discount of gone) world.raise("customer.discount.deleted", discount);
}

/** Says that an invoice has these discounts. */
export function noteUse(world: World, discounts: readonly string[]): void {
  for (const id of discounts) {
    const known = appliedIn(world).get(id);
    if (known !== undefined) appliedIn(world).set(id, { ...known, used: true });
  }
}

/** The discounts of something, or that of its customer if it has none of its own. */
export function ownOrCustomers(
  world: World,
  { customer, discounts }: { readonly customer: string; readonly discounts: readonly string[] },
): readonly string[] {
  if (discounts.length > 0) return discounts;
  const usual = world.objects.customer.get(customer)?.discount;
  return usual ? [usual.id] : [];
}
