/** Invoice items: what waits for an invoice, be it asked for or left by a change within a period. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
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
  readonly subscription?: { readonly id: string; readonly item?: string };
  readonly price?: Plain<Stripe.Price>;
  readonly quantity?: number;
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
    discountable: proration === undefined && amount >= 0,
    discounts: discounts.map(({ discount }) => discount),
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
    pricing: params.price
      ? {
          type: "price_details",
          price_details: { price: params.price.id, product: params.price.product },
          unit_amount_decimal: params.price.unit_amount_decimal,
        }
      : null,
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
    tax_rates: [],
    test_clock: world.objects.customer.get(params.customer)?.test_clock ?? null,
  };
}

export function createInvoiceItem(world: World, params: NewInvoiceItem): InvoiceItem {
  const item = composeInvoiceItem(world, world.id("ii"), params);
  world.objects.invoiceitem.add(item);
  world.raise("invoiceitem.created", item);
  return item;
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
