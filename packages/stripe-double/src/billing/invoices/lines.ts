/** Lines of an invoice: a period of a subscription item, a proration, a one-off item. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { money } from "../money.js";
import { termsOf } from "./discounts.js";
import type { InvoiceLine } from "./draft.js";
import type { InvoiceItem } from "./invoice-items.js";
import { type Amounts, discountParts } from "./shares.js";

type NewLine = Omit<InvoiceLine, "id" | "invoice">;
type Item = Plain<Stripe.SubscriptionItem>;

const lineOf = (world: World, currency: string, amount: number): NewLine => ({
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

export const isMetered = ({ recurring }: Pick<Plain<Stripe.Price>, "recurring">): boolean =>
  recurring?.usage_type === "metered";

/** The price of a quantity, rounded to the smallest unit of the currency. Of a metered price none was used. */
export function amountOf(price: Plain<Stripe.Price>, quantity: number): number {
  if (isMetered(price)) return 0;
  return Math.round(Number(price.unit_amount_decimal ?? price.unit_amount ?? 0) * quantity);
}

const quantityOf = (item: Item): number => item.quantity ?? (isMetered(item.price) ? 0 : 1);

/** What each of these items costs for a whole period, with what the discounts take off it. */
export function amountsOf(
  world: World,
  items: readonly Item[],
  discounts: readonly string[],
): Amounts[] {
  const parts = items.map((item) => ({
    amount: amountOf(item.price, quantityOf(item)),
    discountable: true,
    product: item.price.product,
  }));
  const off = discountParts(parts, termsOf(world, discounts));
  return parts.map(({ amount }, index) => ({ gross: amount, discounts: off[index] ?? [] }));
}

export const nameOf = (world: World, { product }: Pick<Plain<Stripe.Price>, "product">): string =>
  world.objects.product.get(product)?.name ?? product;

/** `(at $10.00 / month)`, `(at $30.00 / every 3 months)`. */
function rateOf({ unit_amount_decimal: amount, currency, recurring }: Plain<Stripe.Price>): string {
  const { interval = "month", interval_count: count = 1 } = recurring ?? {};
  const each = money(Number(amount ?? 0), currency);
  return `(at ${each} / ${count === 1 ? interval : `every ${count} ${interval}s`})`;
}

function pricingOf(price: Plain<Stripe.Price>): NonNullable<NewLine["pricing"]> {
  return {
    type: "price_details",
    price_details: { price: price.id, product: price.product },
    unit_amount_decimal: price.unit_amount_decimal,
  };
}

/** A period of an item, or the part of it that the subscription lasts; none of it is a trial. */
export function periodLine(world: World, subscription: string, item: Item, part: number): NewLine {
  const quantity = quantityOf(item);
  const name = nameOf(world, item.price);
  return {
    ...lineOf(world, item.price.currency, Math.round(amountOf(item.price, quantity) * part)),
    description:
      part === 0 ? `Trial period for ${name}` : `${quantity} × ${name} ${rateOf(item.price)}`,
    period: { start: item.current_period_start, end: item.current_period_end },
    parent: {
      type: "subscription_item_details",
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: { credited_items: null },
        subscription,
        subscription_item: item.id,
      },
    },
    pricing: pricingOf(item.price),
    quantity,
    quantity_decimal: String(quantity),
    subscription,
  };
}

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
