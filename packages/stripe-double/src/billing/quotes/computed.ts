/** What a quote comes to: its lines, what is due when it is accepted, and what recurs after that. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { discounted, type LineItem, lineItemsOf, type Sold, totalsOf } from "../checkout/lines.js";
import type { Coupon } from "../invoices/discounts.js";

export type Quote = Plain<Stripe.Quote>;

/** What a quote offers. A line that was there before keeps its id. */
export interface Offer {
  readonly lines: readonly (Sold & { readonly id: string | undefined })[];
  readonly currency: string;
  readonly coupon: Coupon | undefined;
  readonly trial: boolean;
}

type Amounts = Pick<
  Quote,
  "amount_subtotal" | "amount_total" | "computed" | "currency" | "total_details"
>;

interface Quoted {
  readonly amounts: Amounts;
  readonly items: readonly LineItem[];
  readonly upfront: readonly LineItem[];
}

export function quoted(world: World, { lines, currency, coupon, trial }: Offer): Quoted {
  const made = lineItemsOf(world, lines, {
    trial: false,
    currency,
    coupon,
    begins: { prorates: true },
  });
  const items = made.map((item, index) => ({ ...item, id: lines[index]?.id ?? item.id }));
  const first = items.map((item) =>
    trial && recurs(item) ? { ...item, amount_subtotal: 0 } : item,
  );
  const upfront = discounted(first, coupon);
  return {
    items,
    upfront,
    amounts: {
      ...totalsOf(items),
      computed: { recurring: recurring(items, coupon), upfront: totalsOf(upfront) },
      currency: items.length === 0 ? null : currency,
    },
  };
}

export const recurs = ({ price }: LineItem): boolean => price?.recurring != null;

/** What each later invoice costs: only a discount that never ends counts there. */
function recurring(
  items: readonly LineItem[],
  coupon: Coupon | undefined,
): Quote["computed"]["recurring"] {
  const again = items.filter(recurs);
  const cycle = again[0]?.price?.recurring;
  if (!cycle) return null;
  const { interval, interval_count } = cycle;
  const lasting = coupon?.duration === "forever" ? coupon : undefined;
  return { ...totalsOf(discounted(again, lasting)), interval, interval_count };
}
