/** What there is to buy, what an entity has, and the links with which it buys and manages. */
import { and, desc, eq, isNull } from "drizzle-orm";
import Stripe from "stripe";
import type { Account, Entity, Order, Price, Product, Subscription } from "../../ui/types.ts";
import { refuse } from "./auth.ts";
import { baseUrl, db, setup, store, stripe, stripeApi } from "./billing.ts";
import { billingCustomers, billingSubscriptions, orders } from "./schema.ts";

/** Everything that is for sale, from the mirror. */
export async function products(): Promise<Product[]> {
  return (await store.plans()).map(({ product, prices }) => ({
    id: product.id,
    name: product.name,
    description: product.description,
    features: product.marketing_features.flatMap(({ name }) => name ?? []),
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
  await settleOrders(entity);
  const [subscription, bought] = await Promise.all([subscriptionOf(entity), ordersOf(entity)]);
  return { subscription, orders: bought };
}

/** The entity's latest subscription, from the mirror: no request to Stripe. */
async function subscriptionOf(entity: Entity): Promise<Subscription | null> {
  const rows = await db
    .select({ found: billingSubscriptions.stripe })
    .from(billingSubscriptions)
    .innerJoin(billingCustomers, eq(billingCustomers.customerId, billingSubscriptions.customerId))
    .where(eq(billingCustomers.entityId, entity.id));
  const [latest] = rows
    .flatMap(({ found }) => found ?? [])
    .filter(({ status }) => !status.startsWith("incomplete"))
    .sort((a, b) => b.created - a.created);
  const item = latest?.items.data[0];
  if (!latest || !item) return null;
  const product = await store.row("products", item.price.product);
  const periodEnd = item.current_period_end;
  const ends = latest.ended_at ?? latest.cancel_at ?? (latest.cancel_at_period_end && periodEnd);
  return {
    status: latest.status,
    name: product?.stripe.name ?? "Your plan",
    price: priceOf(item.price),
    renewsAt: ends ? null : periodEnd * 1000,
    endsAt: ends ? ends * 1000 : null,
  };
}

const backTo = (entity: Entity, from?: "checkout" | "payment") =>
  `${baseUrl}/for/${entity.id}${from ? `?from=${from}` : ""}`;

/**
 * A page to subscribe on. An entity has one such page open at most, so that it cannot pay twice:
 * - Whoever asks while one is open is sent to it, or it is closed first if it sells another plan.
 * - Stripe itself is then asked for a subscription: the mirror may not know yet what was paid a
 *   second ago, and no page is left on which anything could be paid meanwhile.
 * - Requests at the same moment saw the same pages, so they use the same idempotency key: Stripe
 *   gives them the same page, and refuses the one that asks for another plan.
 */
export async function subscribe(entity: Entity, priceId: string): Promise<string> {
  await offered(priceId, false);
  const { customerId: customer } = await setup({ entityId: entity.id });
  const pages = await stripeApi.checkout.sessions.list({ customer, limit: 100 });
  const last = pages.data.find(({ mode }) => mode === "subscription");
  if (last?.status === "open") {
    if (last.metadata?.priceId === priceId && last.url) return last.url;
    await stripeApi.checkout.sessions.expire(last.id).catch((error: unknown) => {
      // It was paid, or closed by another tab, a moment ago: either way it is not open any more.
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    });
  }
  const known = await stripeApi.subscriptions.list({ customer, limit: 100 });
  if (known.data.some(({ status }) => !status.startsWith("incomplete"))) {
    refuse(409, `${entity.name} has a plan already. Change it under “Manage billing”.`);
  }
  const page = await stripe
    .subscribe(
      {},
      {
        entityId: entity.id,
        priceId,
        mode: "subscription",
        metadata: { priceId },
        success_url: backTo(entity, "checkout"),
        cancel_url: backTo(entity),
      },
      { idempotencyKey: `subscribe ${entity.id} ${last?.id ?? "first"}` },
    )
    .catch((error: Error) => {
      if (!(error.cause instanceof Stripe.errors.StripeIdempotencyError)) throw error;
      return refuse(409, "Another tab has just opened a checkout. Try again to use this one.");
    });
  return page.url;
}

/** A page to pay on, once. The order is stored first; Stripe is given its id as the reference. */
export async function pay(entity: Entity, priceId: string): Promise<string> {
  const { name } = await offered(priceId, true);
  await settleOrders(entity);
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

/** One-time payments are not mirrored: while an order is open, Stripe is asked what became of it. */
async function settleOrders(entity: Entity): Promise<void> {
  const open = await unpaid(entity);
  if (open.length === 0) return;
  const { customerId: customer } = await setup({ entityId: entity.id });
  const pages = await stripeApi.checkout.sessions.list({ customer, limit: 100 });
  for (const { id } of open) {
    const page = pages.data.find(({ client_reference_id }) => client_reference_id === id);
    const order = eq(orders.id, id);
    if (page?.payment_status === "paid") {
      await db.update(orders).set({ paidAt: new Date() }).where(order);
    } else if (page?.status === "expired") {
      await db.delete(orders).where(order);
    }
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
