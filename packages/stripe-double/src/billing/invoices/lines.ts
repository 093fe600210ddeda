/** Lines of an invoice: a proration, a one-off item. Those of periods are in subscription-lines.ts. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { amountOf, isMetered } from "../prices/rates.js";
import { termsOf } from "./discounts.js";
import type { NewLine } from "./draft.js";
import type { InvoiceItem } from "./invoice-items.js";
import { type Amounts, discountParts } from "./shares.js";

export type { NewLine } from "./draft.js";

type Item = Plain<Stripe.SubscriptionItem>;

export const lineOf = (world: World, currency: string, amount: number): NewLine => ({
  object: "line_item",
  amount,
  currency,
  description: null,
  discount_amounts: [],
  discountable: true,
  discounts: [],
  livemode: world.livemode,
  metadata: {},
  parent: null,
  period: { start: world.now(), end: world.now() },
  pretax_credit_amounts: [],
  pricing: null,
  quantity: 1,
  quantity_decimal: "1",
  subscription: null,
  subtotal: amount,
  taxes: [],
});

/**
 * What each of these items costs for a whole period, with what the discounts take off it. Metered
 * ones cost nothing beforehand.
 */
export function amountsOf(
  world: World,
  items: readonly Item[],
  { currency, discounts }: { readonly currency: string; readonly discounts: readonly string[] },
): Amounts[] {
  const parts = items.map((item) => ({
    amount: isMetered(item.price) ? 0 : amountOf(world, item.price, item.quantity ?? 1, currency),
    discountable: true,
    product: item.price.product,
  }));
  const off = discountParts(parts, termsOf(world, discounts));
  return parts.map(({ amount }, index) => ({ gross: amount, discounts: off[index] ?? [] }));
}

export const nameOf = (world: World, { product }: Pick<Plain<Stripe.Price>, "product">): string =>
  world.objects.product.get(product)?.name ?? product;

/** What an invoice item becomes on the invoice that bills it. */
export function itemLine(world: World, item: InvoiceItem): NewLine {
  const owner = item.parent?.subscription_details;
  const applied = item.proration_details?.discount_amounts ?? [];
  const inside = item.amount === item.net_amount;
  return {
    ...lineOf(world, item.currency, item.amount),
    description: item.description,
    discountable: item.discountable,
    discounts: item.discounts ?? [],
    // Discounts that the amount has inside are named without an amount.
    discount_amounts: applied.map((each) => (inside ? { ...each, amount: 0 } : each)),
    metadata: item.metadata ?? {},
    period: { start: item.period.start, end: item.period.end },
    parent: owner?.subscription_item ? prorationParent(item, owner) : itemParent(item),
    pricing: item.pricing,
    quantity: item.quantity,
    quantity_decimal: String(item.quantity),
    rates: item.tax_rates ?? [],
    subscription: owner?.subscription ?? null,
  };
}

const itemParent = ({ id, proration, parent }: InvoiceItem): NewLine["parent"] => ({
  type: "invoice_item_details",
  subscription_item_details: null,
  invoice_item_details: {
    invoice_item: id,
    proration,
    proration_details: { credited_items: null },
    subscription: parent?.subscription_details?.subscription ?? null,
  },
});

/** A line for a change of a subscription item, with the lines of the debit that it credits. */
function prorationParent(
  item: InvoiceItem,
  owner: NonNullable<NonNullable<InvoiceItem["parent"]>["subscription_details"]>,
): NewLine["parent"] {
  const credited = item.proration_details?.credited_items?.invoice_line_item_details ?? null;
  return {
    type: "subscription_item_details",
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: item.id,
      proration: item.proration,
      proration_details: { credited_items: credited },
      subscription: owner.subscription,
      subscription_item: owner.subscription_item ?? "",
    },
  };
}
