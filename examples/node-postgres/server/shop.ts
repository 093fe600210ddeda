/** What an entity has, and the links with which it buys and manages. */
import { and, desc, eq, isNull } from "drizzle-orm";
import type { Account, Entity, Order, Preview, Subscription } from "../../ui/types.ts";
import { catalogue } from "../catalogue.ts";
import { refuse } from "./auth.ts";
import { baseUrl, db, store, stripe } from "./billing.ts";
import { orders } from "./schema.ts";
import { membersOf } from "./team.ts";

/** A browser can send any key. People may buy what the catalogue sells. */
const sold = (key: string) => (catalogue.isKey(key) ? key : refuse(404, "This is not for sale."));

export async function account(entity: Entity): Promise<Account> {
  const [subscription, bought, members, room, support, { sends }] = await Promise.all([
    subscriptionOf(entity),
    ordersOf(entity),
    membersOf(entity),
    store.limit(entity.id, "members"),
    store.can(entity.id, "support"),
    store.usageOf(entity.id),
  ]);
  return { subscription, orders: bought, members, room, support, sends };
}

/** What the entity has, from the mirror: no request to Stripe. */
async function subscriptionOf(entity: Entity): Promise<Subscription | null> {
  const found = await store.subscriptionOf(entity.id);
  if (found.status === "none" || found.status.startsWith("incomplete")) return null;
  const { status, lookupKey: key, quantity, renewsAt, endsAt } = found;
  // What they pay, also if it costs others more by now.
  const [product, price] = await Promise.all([
    store.row("products", found.productId),
    store.row("prices", found.priceId),
  ]);
  if (!price) return null;
  const { unit_amount, currency, recurring } = price.stripe;
  return {
    status,
    name: product?.stripe.name ?? "Your plan",
    price: { amount: unit_amount ?? 0, currency, interval: recurring?.interval ?? null },
    key,
    quantity,
    renewsAt,
    endsAt,
  };
}

const backTo = (entity: Entity, from?: "checkout" | "payment") =>
  `${baseUrl}/for/${entity.id}${from ? `?from=${from}` : ""}`;

/**
 * Where to subscribe. Two tabs get the same page, another plan closes the page of the first, and who
 * has a plan already is sent to where it is changed, or to the invoice that is to be paid.
 */
export async function subscribe(entity: Entity, key: string): Promise<string> {
  const { url } = await stripe.subscribe(
    {},
    {
      entityId: entity.id,
      lookupKey: sold(key),
      mode: "subscription",
      success_url: backTo(entity, "checkout"),
      cancel_url: backTo(entity),
    },
  );
  return url;
}

/** What another plan would cost: now, and with the next invoice. */
export const preview = async (entity: Entity, key: string): Promise<Preview> =>
  stripe.preview({ entityId: entity.id, lookupKey: sold(key) });

/** Changes the plan for what the preview said. Answers a page if the bank wants to hear the person. */
export async function change(entity: Entity, key: string, quote: string) {
  const changed = await stripe.change({ entityId: entity.id, lookupKey: sold(key), quote });
  return changed.state === "payment_required" ? changed.url : null;
}

/** Ends the plan with its period, and takes that back. */
export const cancel = (entity: Entity) => stripe.cancel({ entityId: entity.id });
export const resume = (entity: Entity) => stripe.resume({ entityId: entity.id });

/** A page to pay on, once. The order is stored first; Stripe is given its id as the reference. */
export async function pay(entity: Entity, key: string): Promise<string> {
  const found = Object.entries(catalogue.packs).find(([pack]) => pack === key);
  const [pack, { name }] = found ?? refuse(404, "This is not for sale.");
  await dropExpired(entity);
  await db.insert(orders).values({ entityId: entity.id, pack, name }).onConflictDoNothing();
  const order = (await unpaid(entity)).find((each) => each.pack === pack);
  if (!order) return refuse(409, "This was paid for just now, in another tab.");
  const { url } = await stripe.pay(
    {},
    {
      entityId: entity.id,
      lookupKey: pack,
      referenceId: order.id,
      mode: "payment",
      success_url: backTo(entity, "payment"),
      cancel_url: backTo(entity),
    },
    { idempotencyKey: order.id },
  );
  return url;
}

/** Where plans and cards are changed, invoices are found, and plans are cancelled. */
export async function portal(entity: Entity): Promise<string> {
  return (await stripe.portal({}, { entityId: entity.id, returnUrl: backTo(entity) })).url;
}

const unpaid = (entity: Entity) =>
  db
    .select()
    .from(orders)
    .where(and(eq(orders.entityId, entity.id), isNull(orders.paidAt)));

/** An order has one page. Where that was not paid in time, the next order has another one. */
async function dropExpired(entity: Entity): Promise<void> {
  for (const { id } of await unpaid(entity)) {
    const purchase = await store.purchaseBy({ referenceId: id });
    if (purchase?.state === "expired") await db.delete(orders).where(eq(orders.id, id));
  }
}

async function ordersOf(entity: Entity): Promise<Order[]> {
  const found = await db
    .select()
    .from(orders)
    .where(eq(orders.entityId, entity.id))
    .orderBy(desc(orders.paidAt));
  return found.map(({ id, name, paidAt }) => ({ id, name, paidAt: paidAt?.getTime() ?? null }));
}
