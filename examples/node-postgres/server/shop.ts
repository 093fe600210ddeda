/** What there is to buy, what an entity has, and the links with which it buys and manages. */
import { and, desc, eq, isNull } from "drizzle-orm";
import type {
  Account,
  Entity,
  Order,
  Preview,
  Price,
  Product,
  Subscription,
} from "../../ui/types.ts";
import { refuse } from "./auth.ts";
import { baseUrl, db, store, stripe } from "./billing.ts";
import { orders } from "./schema.ts";
import { membersOf } from "./team.ts";

/** Everything that is for sale, from the mirror. */
export async function products(): Promise<Product[]> {
  return (await store.plans()).map(({ product, prices }) => ({
    id: product.id,
    name: product.name,
    description: product.description,
    features: product.marketing_features.flatMap(({ name }) => name ?? []),
    perSeat: product.metadata.billing_per_seat === "true",
    prices: prices.map(priceOf),
  }));
}

type StripePrice = Awaited<ReturnType<typeof store.plans>>[number]["prices"][number];

function priceOf({ id, unit_amount, currency, recurring }: StripePrice): Price {
  return { id, amount: unit_amount ?? 0, currency, interval: recurring?.interval ?? null };
}

/** People may buy what is for sale, not whatever price they know the id of. */
async function offered(priceId: string, once: boolean): Promise<Product> {
  const fits = (price: Price) => price.id === priceId && (price.interval === null) === once;
  const product = (await products()).find(({ prices }) => prices.some(fits));
  return product ?? refuse(404, "This is not for sale.");
}

export async function account(entity: Entity): Promise<Account> {
  const [subscription, bought, members] = await Promise.all([
    subscriptionOf(entity),
    ordersOf(entity),
    membersOf(entity),
  ]);
  return { subscription, orders: bought, members };
}

/** What the entity has, from the mirror: no request to Stripe. */
async function subscriptionOf(entity: Entity): Promise<Subscription | null> {
  const found = await store.subscriptionOf(entity.id);
  if (found.status === "none" || found.status.startsWith("incomplete")) return null;
  const { status, quantity, renewsAt, endsAt } = found;
  const [product, price] = await Promise.all([
    store.row("products", found.productId),
    store.row("prices", found.priceId),
  ]);
  if (!price) return null;
  const name = product?.stripe.name ?? "Your plan";
  return { status, name, price: priceOf(price.stripe), quantity, renewsAt, endsAt };
}

const backTo = (entity: Entity, from?: "checkout" | "payment") =>
  `${baseUrl}/for/${entity.id}${from ? `?from=${from}` : ""}`;

/**
 * Where to subscribe. Two tabs get the same page, another plan closes the page of the first, and who
 * has a plan already is sent to where it is changed, or to the invoice that is to be paid.
 */
export async function subscribe(entity: Entity, priceId: string): Promise<string> {
  await offered(priceId, false);
  const { url } = await stripe.subscribe(
    {},
    {
      entityId: entity.id,
      priceId,
      mode: "subscription",
      success_url: backTo(entity, "checkout"),
      cancel_url: backTo(entity),
    },
  );
  return url;
}

/** What another plan would cost: now, and with the next invoice. */
export const preview = (entity: Entity, priceId: string): Promise<Preview> =>
  stripe.preview({ entityId: entity.id, priceId });

/** Changes the plan for what the preview said. Answers a page if the bank wants to hear the person. */
export async function change(entity: Entity, priceId: string, quote: string) {
  const changed = await stripe.change({ entityId: entity.id, priceId, quote });
  return changed.state === "payment_required" ? changed.url : null;
}

/** Ends the plan with its period, and takes that back. */
export const cancel = (entity: Entity) => stripe.cancel({ entityId: entity.id });
export const resume = (entity: Entity) => stripe.resume({ entityId: entity.id });

/** A page to pay on, once. The order is stored first; Stripe is given its id as the reference. */
export async function pay(entity: Entity, priceId: string): Promise<string> {
  const { name } = await offered(priceId, true);
  await dropExpired(entity);
  await db.insert(orders).values({ entityId: entity.id, priceId, name }).onConflictDoNothing();
  const order = (await unpaid(entity)).find((each) => each.priceId === priceId);
  if (!order) return refuse(409, "This was paid for just now, in another tab.");
  const { url } = await stripe.pay(
    {},
    {
      entityId: entity.id,
      referenceId: order.id,
      mode: "payment",
      line_items: [{ price: priceId, quantity: 1 }],
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
