/** Lines of an invoice: a period of a subscription item, a proration, a one-off item. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import type { InvoiceLine } from "./draft.js";

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

function pricingOf(price: Plain<Stripe.Price>): NonNullable<NewLine["pricing"]> {
  return {
    type: "price_details",
    price_details: { price: price.id, product: price.product },
    unit_amount_decimal: price.unit_amount_decimal,
  };
}

/** One period of one item; free while on trial. */
export function periodLine(
  world: World,
  subscription: string,
  item: Item,
  trial: boolean,
): NewLine {
  const quantity = item.quantity ?? (isMetered(item.price) ? 0 : 1);
  const product = world.objects.product.get(item.price.product);
  return {
    ...lineOf(world, item.price.currency, trial ? 0 : amountOf(item.price, quantity)),
    description: trial
      ? `Trial period for ${product?.name ?? item.price.product}`
      : `${quantity} × ${product?.name ?? item.price.product}`,
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
export function itemLine(world: World, item: Plain<Stripe.InvoiceItem>): NewLine {
  return {
    ...lineOf(world, item.currency, item.amount),
    description: item.description,
    discountable: item.discountable,
    metadata: item.metadata ?? {},
    period: { start: item.period.start, end: item.period.end },
    parent: {
      type: "invoice_item_details",
      subscription_item_details: null,
      invoice_item_details: {
        invoice_item: item.id,
        proration: item.proration,
        proration_details: { credited_items: null },
        subscription: item.parent?.subscription_details?.subscription ?? null,
      },
    },
    quantity: item.quantity,
    quantity_decimal: String(item.quantity),
    subscription: item.parent?.subscription_details?.subscription ?? null,
  };
}
