/** Reads what is at Stripe, as far as a catalogue is concerned. It changes nothing. */
import type Stripe from "stripe";
import type { Metadata } from "../core/plans/metadata.js";
import { decimalText, type Interval } from "../core/plans/money.js";
import { patiently } from "./patience.js";

export interface ObservedProduct {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly metadata: Metadata;
  readonly defaultPrice: string | null;
}

export interface ObservedPrice {
  readonly id: string;
  readonly product: string;
  readonly active: boolean;
  readonly created: number;
  readonly key: string | null;
  readonly metadata: Metadata;
  readonly currency: string;
  /** In smallest units; null for prices of a kind that no catalogue has. */
  readonly amount: string | null;
  readonly taxBehavior: string;
  readonly recurring: {
    readonly interval: Interval;
    readonly intervalCount: number;
    /** The id of its meter; null for what is not billed by usage. */
    readonly meterId: string | null;
  } | null;
}

export interface ObservedMeter {
  readonly id: string;
  readonly eventName: string;
  readonly active: boolean;
  /** Whether it adds up the key `value` for the customer in `stripe_customer_id`. */
  readonly isPlain: boolean;
}

export interface Observed {
  /** All of the account, the oldest first. */
  readonly products: readonly ObservedProduct[];
  /** Those of the application's products, and those that have a key that it wants. */
  readonly prices: readonly ObservedPrice[];
  readonly meters: readonly ObservedMeter[];
  /** The products, of those that are no longer wanted, that have a live subscription. */
  readonly subscribed: ReadonlySet<string>;
}

/** What is looked for beside the application's own products. */
export interface Wanted {
  readonly app: string;
  readonly products: readonly { readonly id: string }[];
  readonly keys: readonly string[];
}

export async function observe(stripe: Stripe, wanted: Wanted): Promise<Observed> {
  const products = (await all(() => stripe.products.list({ limit: 100 }))).map(productOf).reverse();
  const own = products.filter(({ metadata }) => metadata.billing_app === wanted.app);
  const prices = new Map<string, ObservedPrice>();
  for (const filter of [...own.map(({ id }) => ({ product: id })), ...keyFilters(wanted.keys)]) {
    for (const active of [true, false]) {
      const found = await all(() => stripe.prices.list({ ...filter, active, limit: 100 }));
      for (const price of found) prices.set(price.id, priceOf(price));
    }
  }
  const meters = (await all(() => stripe.billing.meters.list({ limit: 100 }))).map(meterOf);
  const kept = new Set(wanted.products.map(({ id }) => id));
  const left = own.filter(({ id }) => !kept.has(id));
  const all_ = [...prices.values()];
  const subscribed = await subscribedOf(stripe, left, all_);
  return { products, prices: all_, meters, subscribed };
}

/** Stripe takes ten keys at a time. */
function keyFilters(keys: readonly string[]): { readonly lookup_keys: string[] }[] {
  const parts = Math.ceil(keys.length / 10);
  return Array.from({ length: parts }, (_, at) => ({
    lookup_keys: keys.slice(at * 10, at * 10 + 10),
  }));
}

/** A product that is archived with all its prices was found to have none when it was. */
export const isPutAway = (
  { id, active, defaultPrice }: ObservedProduct,
  prices: readonly ObservedPrice[],
): boolean =>
  !active &&
  defaultPrice === null &&
  !prices.some((price) => price.product === id && price.active && isOwn(price));

/** Whether push made a price; others on the same product are left alone. */
export const isOwn = ({ metadata }: ObservedPrice): boolean => metadata.billing_price !== undefined;

async function subscribedOf(
  stripe: Stripe,
  left: readonly ObservedProduct[],
  prices: readonly ObservedPrice[],
): Promise<ReadonlySet<string>> {
  const subscribed = new Set<string>();
  for (const product of left) {
    if (isPutAway(product, prices)) continue;
    for (const { id, product: owner, recurring } of prices) {
      if (owner !== product.id || recurring === null || subscribed.has(product.id)) continue;
      // Without a status, Stripe leaves out those that are cancelled.
      const { data } = await patiently(() => stripe.subscriptions.list({ price: id, limit: 100 }));
      if (data.some(({ status }) => status !== "incomplete_expired")) subscribed.add(product.id);
    }
  }
  return subscribed;
}

/** All pages of a list. */
async function all<T>(list: () => AsyncIterable<T>): Promise<T[]> {
  return patiently(async () => {
    const items: T[] = [];
    for await (const item of list()) items.push(item);
    return items;
  });
}

const idOf = (reference: string | { readonly id: string }): string =>
  typeof reference === "string" ? reference : reference.id;

function productOf(product: Stripe.Product): ObservedProduct {
  const { id, name, active, metadata, default_price: price } = product;
  return { id, name, active, metadata, defaultPrice: price ? idOf(price) : null };
}

function priceOf(price: Stripe.Price): ObservedPrice {
  const { id, active, created, lookup_key: key, metadata, currency, recurring } = price;
  return {
    ...{ id, active, created, key, metadata, currency },
    product: idOf(price.product),
    amount: amountOf(price),
    taxBehavior: price.tax_behavior ?? "unspecified",
    recurring: recurring && {
      interval: recurring.interval as Interval,
      intervalCount: recurring.interval_count,
      meterId: recurring.meter,
    },
  };
}

function amountOf(price: Stripe.Price): string | null {
  const isPlain =
    price.billing_scheme === "per_unit" && !price.transform_quantity && !price.custom_unit_amount;
  const amount = price.unit_amount_decimal;
  return isPlain && amount !== null ? decimalText(Number(String(amount))) : null;
}

function meterOf(meter: Stripe.Billing.Meter): ObservedMeter {
  const { id, event_name: eventName, status } = meter;
  const isPlain =
    meter.default_aggregation.formula === "sum" &&
    meter.customer_mapping.event_payload_key === "stripe_customer_id" &&
    meter.value_settings.event_payload_key === "value" &&
    meter.event_time_window === null;
  return { id, eventName, active: status === "active", isPlain };
}
