/** The links with which an entity buys and manages, and what became of what it paid for once. */
import { ConvexError, v } from "convex/values";
import Stripe from "stripe";
import { api, internal } from "./_generated/api";
import {
  type ActionCtx,
  action,
  env,
  internalMutation,
  internalQuery,
  type QueryCtx,
} from "./_generated/server";
import { asking, type Entity, requireEntity } from "./auth";
import { site, stripe } from "./stripe";

/** Stripe's own client, for what the library leaves to the app. */
const stripeApi = () => new Stripe(env.STRIPE_SECRET_KEY ?? "");

const buying = { ...asking, priceId: v.string() };

const backTo = (entity: Entity, from?: "checkout" | "payment") =>
  `${site}/for/${entity.id}${from ? `?from=${from}` : ""}`;

/**
 * A page to subscribe on. An entity has one such page open at most, so that it cannot pay twice:
 * - Whoever asks while one is open is sent to it, or it is closed first if it sells another plan.
 * - Stripe itself is then asked for a subscription: the mirror may not know yet what was paid a
 *   second ago, and no page is left on which anything could be paid meanwhile.
 * - Requests at the same moment saw the same pages. `reserve` lets them through for one plan, and
 *   they use the same idempotency key: Stripe gives them the same page.
 */
export const subscribe = action({
  args: buying,
  returns: v.string(),
  handler: async (ctx, { priceId, ...asked }): Promise<string> => {
    const entity = await requireEntity(ctx, asked);
    await offered(ctx, priceId, false);
    const { customer, pages } = await pagesOf(ctx, entity);
    const last = pages.find(({ mode }) => mode === "subscription");
    if (last?.status === "open") {
      if (last.metadata?.priceId === priceId && last.url) return last.url;
      await stripeApi()
        .checkout.sessions.expire(last.id)
        .catch((error: unknown) => {
          // It was paid, or closed by another tab, a moment ago: it is not open any more.
          if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
        });
    }
    const known = await stripeApi().subscriptions.list({ customer, limit: 100 });
    if (known.data.some(({ status }) => !status.startsWith("incomplete"))) {
      throw new ConvexError(`${entity.name} has a plan already. Change it under “Manage billing”.`);
    }
    const after = last?.id ?? "first";
    await ctx.runMutation(internal.shop.reserve, { entityId: entity.id, priceId, after });
    const { url } = await stripe.subscribe(
      ctx,
      {
        entityId: entity.id,
        priceId,
        mode: "subscription",
        metadata: { priceId },
        success_url: backTo(entity, "checkout"),
        cancel_url: backTo(entity),
      },
      { idempotencyKey: `subscribe ${entity.id} ${after}` },
    );
    return url;
  },
});

/** How long a plan is reserved: whoever reserved it and then failed is not waited for any longer. */
const RESERVED = 60_000;

/** Of all who saw the same pages, those who want the plan of the first may open one. */
export const reserve = internalMutation({
  args: { entityId: v.string(), priceId: v.string(), after: v.string() },
  returns: v.null(),
  handler: async (ctx, wanted) => {
    const held = await ctx.db
      .query("reservations")
      .withIndex("by_entity", (q) => q.eq("entityId", wanted.entityId).eq("after", wanted.after))
      .unique();
    if (held?.priceId === wanted.priceId) return null;
    if (held && held._creationTime > Date.now() - RESERVED) {
      throw new ConvexError("Another tab has just opened a checkout. Try again in a moment.");
    }
    if (held) await ctx.db.delete("reservations", held._id);
    await ctx.db.insert("reservations", wanted);
    return null;
  },
});

/** A page to pay on, once. The order is stored first; Stripe is given its id as the reference. */
export const pay = action({
  args: buying,
  returns: v.string(),
  handler: async (ctx, { priceId, ...asked }): Promise<string> => {
    const entity = await requireEntity(ctx, asked);
    const { name } = await offered(ctx, priceId, true);
    await settleOrders(ctx, entity);
    const order = { entityId: entity.id, priceId, name };
    const referenceId = await ctx.runMutation(internal.shop.placeOrder, order);
    const { url } = await stripe.pay(
      ctx,
      {
        entityId: entity.id,
        referenceId,
        mode: "payment",
        line_items: [{ price: priceId, quantity: 1 }],
        success_url: backTo(entity, "payment"),
        cancel_url: backTo(entity),
      },
      { idempotencyKey: referenceId },
    );
    return url;
  },
});

/** Two tabs that buy the same thing at once share an order, and so a checkout page. */
export const placeOrder = internalMutation({
  args: { entityId: v.string(), priceId: v.string(), name: v.string() },
  returns: v.id("orders"),
  handler: async (ctx, order) => {
    const open = await unpaidOf(ctx, order.entityId);
    const same = open.find(({ priceId }) => priceId === order.priceId);
    return same?._id ?? (await ctx.db.insert("orders", { ...order, paidAt: null }));
  },
});

/** Where plans and cards are changed, invoices are found, and plans are cancelled. */
export const portal = action({
  args: asking,
  returns: v.string(),
  handler: async (ctx, asked): Promise<string> => {
    const entity = await requireEntity(ctx, asked);
    const returnUrl = backTo(entity);
    return (await stripe.portal(ctx, { entityId: entity.id, returnUrl })).url;
  },
});

/** One-time payments are not mirrored: while an order is open, the page has Stripe asked about it. */
export const settle = action({
  args: asking,
  returns: v.null(),
  handler: async (ctx, asked): Promise<null> => {
    await settleOrders(ctx, await requireEntity(ctx, asked));
    return null;
  },
});

async function settleOrders(ctx: ActionCtx, entity: Entity): Promise<void> {
  const open = await ctx.runQuery(internal.shop.unpaid, { entityId: entity.id });
  if (open.length === 0) return;
  const { pages } = await pagesOf(ctx, entity);
  for (const orderId of open) {
    const page = pages.find(({ client_reference_id }) => client_reference_id === orderId);
    const isPaid = page?.payment_status === "paid";
    if (isPaid || page?.status === "expired") {
      await ctx.runMutation(internal.shop.closeOrder, { orderId, isPaid });
    }
  }
}

export const unpaid = internalQuery({
  args: { entityId: v.string() },
  returns: v.array(v.id("orders")),
  handler: async (ctx, { entityId }) => (await unpaidOf(ctx, entityId)).map(({ _id }) => _id),
});

const unpaidOf = (ctx: QueryCtx, entityId: string) =>
  ctx.db
    .query("orders")
    .withIndex("by_entity", (q) => q.eq("entityId", entityId).eq("paidAt", null))
    .take(100);

export const closeOrder = internalMutation({
  args: { orderId: v.id("orders"), isPaid: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { orderId, isPaid }) => {
    const order = await ctx.db.get("orders", orderId);
    if (order?.paidAt !== null) return null; // another tab was quicker
    if (isPaid) await ctx.db.patch("orders", orderId, { paidAt: Date.now() });
    else await ctx.db.delete("orders", orderId);
    return null;
  },
});

/** The entity's customer, and its checkout pages, the latest first. */
async function pagesOf(ctx: ActionCtx, { id }: Entity) {
  const { customerId: customer } = await ctx.runAction(internal.stripe.setup, { entityId: id });
  const { data: pages } = await stripeApi().checkout.sessions.list({ customer, limit: 100 });
  return { customer, pages };
}

/** People may buy what is for sale, not whatever price they know the id of. */
async function offered(ctx: ActionCtx, priceId: string, once: boolean): Promise<{ name: string }> {
  const products = await ctx.runQuery(api.plans.products, {});
  const found = products.find(({ prices }) =>
    prices.some(({ id, interval }) => id === priceId && (interval === null) === once),
  );
  if (!found) throw new ConvexError("This is not for sale.");
  return found;
}
