/** Invoice items: what waits for an invoice, be it asked for or left by a change within a period. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import type { TaxRate } from "../taxes/taxes.js";
import { type DiscountAmount, sumOf } from "./shares.js";

export type InvoiceItem = Plain<Stripe.InvoiceItem>;
export type CreditedItems = NonNullable<
  NonNullable<InvoiceItem["proration_details"]>["credited_items"]
>;

export interface NewInvoiceItem {
  readonly customer: string;
  readonly amount: number;
  readonly currency: string;
  readonly description?: string | null | undefined;
  readonly invoice?: string | undefined;
  readonly metadata?: { [key: string]: string } | undefined;
  readonly period?: { readonly start: number; readonly end: number };
  readonly proration?: Proration;
  /** The subscription that it is for; a proration is for one of its items. */
  readonly subscription?: { readonly id: string; readonly item?: string } | undefined;
  readonly price?: Plain<Stripe.Price>;
  readonly quantity?: number;
  readonly discountable?: boolean | undefined;
  /** Discounts of its own. */
  readonly discounts?: readonly string[] | undefined;
  /** What one of it costs, if that is not a price's. */
  readonly unit_amount_decimal?: string | undefined;
  readonly tax_rates?: readonly TaxRate[] | undefined;
}

/** What only prorations have. */
export interface Proration {
  /** The debit that this is a credit for. */
  readonly credits: CreditedItems | null;
  readonly discounts: readonly DiscountAmount[];
  /** Whether the amount is that before discounts. */
  readonly itemized: boolean;
}

/** Works an item out without keeping it or telling anybody. */
export function composeInvoiceItem(world: World, id: string, params: NewInvoiceItem): InvoiceItem {
  const now = world.now();
  const quantity = params.quantity ?? 1;
  const { proration, amount } = params;
  const discounts = proration?.discounts ?? [];
  return {
    id,
    object: "invoiceitem",
    amount,
    currency: params.currency,
    customer: params.customer,
    customer_account: null,
    date: now,
    description: params.description ?? null,
    // Stripe's default: false for prorations and for what is negative.
    discountable: params.discountable ?? (proration === undefined && amount >= 0),
    discounts: [...(params.discounts ?? discounts.map(({ discount }) => discount))],
    invoice: params.invoice ?? null,
    livemode: world.livemode,
    metadata: params.metadata ?? {},
    net_amount: proration?.itemized ? amount - sumOf(discounts) : amount,
    parent: params.subscription
      ? {
          type: "subscription_details",
          subscription_details: {
            subscription: params.subscription.id,
            ...(params.subscription.item === undefined
              ? {}
              : { subscription_item: params.subscription.item }),
          },
        }
      : null,
    period: { start: params.period?.start ?? now, end: params.period?.end ?? now },
    pricing: pricingOf(params),
    proration: proration !== undefined,
    ...(proration === undefined
      ? {}
      : {
          proration_details: {
            credited_items: proration.credits,
            discount_amounts: [...discounts],
          },
        }),
    quantity,
    quantity_decimal: String(quantity),
    tax_rates: [...(params.tax_rates ?? [])],
    test_clock: world.objects.customer.get(params.customer)?.test_clock ?? null,
  };
}

function pricingOf({
  price,
  unit_amount_decimal: unit,
}: Partial<NewInvoiceItem>): InvoiceItem["pricing"] {
  if (price === undefined)
    return unit === undefined ? null : { type: "price_details", unit_amount_decimal: unit };
  return {
    type: "price_details",
    price_details: { price: price.id, product: price.product },
    unit_amount_decimal: price.unit_amount_decimal,
  };
}

export function createInvoiceItem(world: World, params: NewInvoiceItem): InvoiceItem {
  const item = composeInvoiceItem(world, world.id("ii"), params);
  world.objects.invoiceitem.add(item);
  world.raise("invoiceitem.created", item);
  return item;
}

/** What other terms make of an item; a quantity alone counts at the price that it has. */
export function repriceItem(
  before: InvoiceItem,
  terms: Partial<NewInvoiceItem>,
): Partial<InvoiceItem> {
  const quantity = terms.quantity ?? before.quantity;
  const unit = before.pricing?.unit_amount_decimal;
  const amount =
    terms.amount ??
    (terms.quantity === undefined || !unit
      ? before.amount
      : Math.round(Number(unit) * terms.quantity));
  const pricing = pricingOf(terms);
  return {
    amount,
    net_amount: amount,
    pricing: pricing ?? before.pricing,
    quantity,
    quantity_decimal: String(quantity),
    ...(terms.discounts === undefined ? {} : { discounts: [...terms.discounts] }),
    ...(terms.tax_rates === undefined ? {} : { tax_rates: [...terms.tax_rates] }),
  };
}

/** The items that wait for the next invoice of this subscription of the customer. */
export function pendingItems(
  world: World,
  subscription: { readonly id: string; readonly customer: string },
): InvoiceItem[] {
  return world.objects.invoiceitem
    .where("customer", subscription.customer)
    .filter(({ invoice, parent }) => invoice === null && ownedBy(parent, subscription.id));
}

function ownedBy(parent: InvoiceItem["parent"], subscription: string): boolean {
  const owner = parent?.subscription_details?.subscription;
  return owner === undefined || owner === subscription;
}
