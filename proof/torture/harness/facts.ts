/**
 * What is compared: a few facts of each object that anybody who bills reads, in a form that does
 * not depend on the API version. A subject answers the facts it keeps; only those are held
 * against it. Our own subjects keep whole objects, and every field of those is compared.
 */
import type Stripe from "stripe";

export type Kind =
  | "customer"
  | "product"
  | "price"
  | "subscription"
  | "coupon"
  | "promotion_code"
  | "payout"
  | "refund";

/** The id, and whatever else is known of an object by name. */
export type Facts = { readonly id: string; readonly [fact: string]: unknown };

/** An object as JSON: of any API version, from Stripe or from a subject's table. */
export type Json = { readonly [field: string]: unknown };

interface Item {
  readonly id?: string;
  readonly quantity?: number;
  readonly current_period_end?: number;
  readonly price?: { readonly id: string } | string;
}

const idOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? (value as { id?: unknown }).id : value;

/** `1 × price_…`, sorted: which prices somebody pays for, and how often. */
export const itemFacts = (items: readonly Item[]): string[] =>
  items.map(({ quantity, price }) => `${quantity ?? 1} × ${String(idOf(price))}`).sort();

const pick =
  (...fields: string[]) =>
  (object: Json): Json =>
    Object.fromEntries(fields.map((field) => [field, object[field] ?? null]));

const read: { readonly [K in Kind]: (object: Json) => Json } = {
  customer: pick("name", "email", "metadata"),
  product: pick("name", "active", "metadata"),
  price: (price) => ({ ...pick("active", "unit_amount")(price), product: idOf(price.product) }),
  coupon: pick("name", "percent_off"),
  promotion_code: pick("active", "code"),
  payout: pick("status", "amount"),
  refund: pick("status", "amount"),
  subscription: (subscription) => {
    const { data } = subscription.items as { data: readonly Item[] };
    return {
      ...pick("status", "metadata", "cancel_at", "cancel_at_period_end", "trial_end")(subscription),
      quantity: data[0]?.quantity ?? 1,
      customer: idOf(subscription.customer),
      items: itemFacts(data),
      price: idOf(data[0]?.price),
      period_end: data[0]?.current_period_end ?? subscription.current_period_end ?? null,
    };
  },
};

/** The facts of a Stripe object. */
export function factsOf(kind: Kind, object: Json): Facts {
  return { id: String(object.id), ...read[kind](object) };
}

/**
 * The facts, and the object itself in every field. Left out is what nobody promises: copies of
 * other objects inside it, and counters that Stripe moves without an event.
 */
export function allFactsOf(kind: Kind, object: Json): Facts {
  return { ...factsOf(kind, object), whole: canonical(withoutCopies(object)) };
}

/** By which name the merchant calls what is subscribed to, for subjects that keep only that. */
function planOf({ items }: Json): unknown {
  const { data } = items as { data: readonly { price?: { lookup_key?: string | null } }[] };
  return data[0]?.price?.lookup_key ?? null;
}

const COPIES = new Set(["price", "plan", "coupon", "product"]);
const COUNTERS = new Set(["times_redeemed", "next_invoice_sequence"]);

function withoutCopies(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutCopies(each, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !COUNTERS.has(key))
      .map(([key, inner]) => [
        key,
        COPIES.has(key) ? idOf(inner) : withoutCopies(inner, depth + 1),
      ]),
  );
}

/** JSON with its keys in order, so that equal objects are equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

type Lister = (stripe: Stripe) => AsyncIterable<object>[];

const lists: { readonly [K in Kind]: Lister } = {
  customer: (stripe) => [stripe.customers.list({ limit: 100 })],
  product: (stripe) => [
    stripe.products.list({ limit: 100, active: true }),
    stripe.products.list({ limit: 100, active: false }),
  ],
  price: (stripe) => [
    stripe.prices.list({ limit: 100, active: true }),
    stripe.prices.list({ limit: 100, active: false }),
  ],
  subscription: (stripe) => [stripe.subscriptions.list({ limit: 100, status: "all" })],
  coupon: (stripe) => [stripe.coupons.list({ limit: 100 })],
  promotion_code: (stripe) => [stripe.promotionCodes.list({ limit: 100 })],
  payout: (stripe) => [stripe.payouts.list({ limit: 100 })],
  refund: (stripe) => [stripe.refunds.list({ limit: 100 })],
};

/** What Stripe shows of a kind now, with nothing hidden and no list cut short. */
export async function truth(stripe: Stripe, kind: Kind): Promise<Facts[]> {
  const all: Facts[] = [];
  for (const list of lists[kind](stripe)) {
    for await (const object of list) {
      const plain = JSON.parse(JSON.stringify(object)) as Json;
      if (kind !== "subscription") all.push(allFactsOf(kind, plain));
      else all.push({ ...allFactsOf(kind, await whole(stripe, plain)), plan: planOf(plain) });
    }
  }
  return all;
}

async function whole(stripe: Stripe, subscription: Json): Promise<Json> {
  const items = subscription.items as { has_more: boolean };
  if (!items.has_more) return subscription;
  const data = await stripe.subscriptionItems
    .list({ subscription: String(subscription.id), limit: 100 })
    .autoPagingToArray({ limit: 1000 });
  return JSON.parse(
    JSON.stringify({ ...subscription, items: { ...items, data, has_more: false } }),
  );
}
