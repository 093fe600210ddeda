/** Credits and charges for a change within a period, as invoice items that wait to be billed. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { amountOf } from "../invoices/lines.js";
import type { SubscriptionItem } from "./items.js";
import { type Subscription, sameCycle } from "./subscription.js";

type InvoiceItem = Plain<Stripe.InvoiceItem>;

export interface NewInvoiceItem {
  readonly customer: string;
  readonly amount: number;
  readonly currency: string;
  readonly description?: string | null | undefined;
  readonly invoice?: string | undefined;
  readonly metadata?: { [key: string]: string } | undefined;
  readonly period?: { readonly start: number; readonly end: number };
  readonly proration?: boolean;
  readonly subscription?: { readonly id: string; readonly item: string };
  readonly price?: Plain<Stripe.Price>;
  readonly quantity?: number;
}

/** Works an item out without keeping it or telling anybody. */
export function composeInvoiceItem(world: World, id: string, params: NewInvoiceItem): InvoiceItem {
  const now = world.now();
  const quantity = params.quantity ?? 1;
  return {
    id,
    object: "invoiceitem",
    amount: params.amount,
    currency: params.currency,
    customer: params.customer,
    customer_account: null,
    date: now,
    description: params.description ?? null,
    discountable: !params.proration,
    discounts: [],
    invoice: params.invoice ?? null,
    livemode: world.livemode,
    metadata: params.metadata ?? {},
    net_amount: params.amount,
    parent: params.subscription
      ? {
          type: "subscription_details",
          subscription_details: {
            subscription: params.subscription.id,
            subscription_item: params.subscription.item,
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
    proration: params.proration ?? false,
    quantity,
    quantity_decimal: String(quantity),
    tax_rates: [],
    test_clock: null,
  };
}

export function createInvoiceItem(world: World, params: NewInvoiceItem): InvoiceItem {
  const item = composeInvoiceItem(world, world.id("ii"), params);
  world.objects.invoiceitem.add(item);
  world.raise("invoiceitem.created", item);
  return item;
}

/** Credits for the rest of what was paid for the old items, and charges for the rest of the new ones. */
export function prorations(
  world: World,
  subscription: Subscription,
  items: readonly SubscriptionItem[],
): NewInvoiceItem[] {
  if (subscription.status === "trialing") return [];
  const old = subscription.items.data;
  const credits = old.filter((item) => !isAmong(item, items));
  // A new period is billed whole, so only a change within the period charges for its rest.
  const added = items.filter((item) => !isAmong(item, old));
  const charges = added.length > 0 && sameCycle(old, items) ? added : [];
  return [
    ...credits.map((item) => proration(world, subscription, item, -1)),
    ...charges.map((item) => proration(world, subscription, item, 1)),
  ].filter(({ amount }) => amount !== 0);
}

function isAmong(item: SubscriptionItem, others: readonly SubscriptionItem[]): boolean {
  return others.some(
    ({ id, price, quantity }) =>
      id === item.id && price.id === item.price.id && quantity === item.quantity,
  );
}

function proration(
  world: World,
  { id, customer }: Subscription,
  item: SubscriptionItem,
  sign: 1 | -1,
): NewInvoiceItem {
  const { price, current_period_start: start, current_period_end: end } = item;
  const now = world.now();
  const quantity = item.quantity ?? 1;
  const part = start === end ? 0 : Math.max(0, end - now) / (end - start);
  const name = world.objects.product.get(price.product)?.name ?? price.product;
  return {
    customer,
    amount: sign * Math.round(amountOf(price, quantity) * part),
    currency: price.currency,
    description: `${sign < 0 ? "Unused" : "Remaining"} time on ${name}`,
    period: { start: now, end },
    proration: true,
    subscription: { id, item: item.id },
    price,
    quantity,
  };
}

/** The items that wait for this subscription's next invoice. */
export function pendingItems(world: World, subscription: Subscription): InvoiceItem[] {
  return world.objects.invoiceitem
    .where("customer", subscription.customer)
    .filter(({ invoice, parent }) => invoice === null && ownedBy(parent, subscription.id));
}

function ownedBy(parent: InvoiceItem["parent"], subscription: string): boolean {
  const owner = parent?.subscription_details?.subscription;
  return owner === undefined || owner === subscription;
}
