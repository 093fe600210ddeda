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
 * Where to subscribe. Two tabs get the same page, another plan closes the page of the first, and who
 * has a plan already is sent to where it is changed, or to the invoice that is to be paid.
 */
export const subscribe = action({
  args: buying,
  returns: v.string(),
  handler: async (ctx, { priceId, ...asked }): Promise<string> => {
    const entity = await requireEntity(ctx, asked);
    await offered(ctx, priceId, false);
    const { url } = await stripe.subscribe(ctx, {
      entityId: entity.id,
      priceId,
      mode: "subscription",
      success_url: backTo(entity, "checkout"),
      cancel_url: backTo(entity),
    });
    return url;
  },
});

/** What another plan would cost: now, and with the next invoice. */
export const preview = action({
  args: buying,
  returns: v.object({
    currency: v.string(),
    dueNow: v.number(),
    next: v.union(v.object({ at: v.number(), amount: v.number() }), v.null()),
    lines: v.array(v.object({ description: v.string(), amount: v.number() })),
    quote: v.string(),
  }),
  handler: async (ctx, { priceId, ...asked }) => {
    const { id: entityId } = await requireEntity(ctx, asked);
    const { lines, ...shown } = await stripe.preview(ctx, { entityId, priceId });
    return { ...shown, lines: lines.map(({ description, amount }) => ({ description, amount })) };
  },
});

/** Changes the plan for what the preview said. Answers a page if the bank wants to hear the person. */
export const change = action({
  args: { ...buying, quote: v.string() },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, { priceId, quote, ...asked }): Promise<string | null> => {
    const { id: entityId } = await requireEntity(ctx, asked);
    const changed = await stripe.change(ctx, { entityId, priceId, quote });
    return changed.state === "payment_required" ? changed.url : null;
  },
});

/** Ends the plan with its period. */
export const cancel = action({
  args: asking,
  returns: v.null(),
  handler: async (ctx, asked): Promise<null> => {
    await stripe.cancel(ctx, { entityId: (await requireEntity(ctx, asked)).id });
    return null;
  },
});

/** Takes that back. */
export const resume = action({
  args: asking,
  returns: v.null(),
  handler: async (ctx, asked): Promise<null> => {
    await stripe.resume(ctx, { entityId: (await requireEntity(ctx, asked)).id });
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
  const pages = await pagesOf(ctx, entity);
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

/** The entity's checkout pages, the latest first. */
async function pagesOf(ctx: ActionCtx, { id }: Entity) {
  const { customerId: customer } = await ctx.runAction(internal.stripe.setup, { entityId: id });
  return (await stripeApi().checkout.sessions.list({ customer, limit: 100 })).data;
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
