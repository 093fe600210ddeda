/**
 * Fields of older API versions that a reader may expand, and where the newest version keeps what
 * they show. api/versions.ts puts them there for readers who do not expand them.
 */
import { findCoupon, findDiscount } from "../billing/invoices/discounts.js";
import { isPlainObject } from "../world/same.js";
import type { World } from "../world/world.js";

type Json = { readonly [key: string]: unknown };
type Read = (world: World, object: Json) => unknown;

/** The first versions without these fields. */
export const PAYMENTS_MOVED = "2025-03-31";
export const COUPONS_MOVED = "2025-09-30";

const coupon =
  (place: string): Read =>
  (world, object) => {
    const named = inside(object, place, "coupon");
    return typeof named === "string" ? findCoupon(world, named) : named;
  };

const discount: Read = (world, { discounts }) => {
  const [first] = Array.isArray(discounts) ? discounts : [];
  return typeof first === "string" ? findDiscount(world, first) : first;
};

/** How usage records make up the usage of a metered price without a meter. */
const aggregateUsage: Read = (world, { id }) => world.hidden.get(String(id))?.aggregate_usage;

/** Only a subscription with one item has a plan of its own. */
const ownPlan: Read = (_, subscription) => {
  const items = inside(subscription, "items", "data");
  return Array.isArray(items) && items.length === 1 ? items[0].plan : null;
};

const OLD_FIELDS: {
  readonly [object: string]: { readonly [field: string]: readonly [until: string, read: Read] };
} = {
  charge: {
    invoice: [PAYMENTS_MOVED, (world, charge) => invoiceOf(world, charge.payment_intent)],
  },
  discount: { coupon: [COUPONS_MOVED, coupon("source")] },
  invoice: {
    charge: [PAYMENTS_MOVED, (world, invoice) => paymentOf(world, invoice)?.charge],
    discount: [PAYMENTS_MOVED, discount],
    payment_intent: [PAYMENTS_MOVED, (world, invoice) => paymentOf(world, invoice)?.payment_intent],
    subscription: [
      PAYMENTS_MOVED,
      (_, invoice) => inside(invoice, "parent", "subscription_details", "subscription"),
    ],
  },
  payment_intent: { invoice: [PAYMENTS_MOVED, (world, { id }) => invoiceOf(world, id)] },
  plan: { aggregate_usage: [PAYMENTS_MOVED, aggregateUsage] },
  price: { aggregate_usage: [PAYMENTS_MOVED, aggregateUsage] },
  promotion_code: { coupon: [COUPONS_MOVED, coupon("promotion")] },
  subscription: {
    discount: [PAYMENTS_MOVED, discount],
    plan: [PAYMENTS_MOVED, ownPlan],
  },
};

/** What this version shows under the field; undefined if it has no such field, null for nothing. */
export function oldField(world: World, version: string, object: Json, field: string): unknown {
  const known = OLD_FIELDS[String(object.object)]?.[field];
  if (known === undefined) return undefined;
  const [until, read] = known;
  return version.slice(0, 10) < until ? (read(world, object) ?? null) : undefined;
}

/** Whether an older version shows this field, so that a newer one refuses to expand it. */
export const isOldField = (object: Json, field: string): boolean =>
  OLD_FIELDS[String(object.object)]?.[field] !== undefined;

function inside(object: Json, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, part) => (isPlainObject(at) ? at[part] : undefined), object);
}

/** What collects an invoice; a draft has nothing yet. */
function paymentOf(world: World, { id, status }: Json) {
  const intent = world.hidden.get(String(id))?.payment_intent;
  if (typeof intent !== "string" || status === "draft") return undefined;
  const charge = world.objects.payment_intent.get(intent)?.latest_charge ?? null;
  return { payment_intent: intent, charge };
}

function invoiceOf(world: World, intent: unknown): unknown {
  return world.hidden.get(String(intent))?.invoice;
}
