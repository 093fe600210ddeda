/** The links with which an entity buys and manages. */
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { action, internalMutation, type QueryCtx } from "./_generated/server";
import { asking, type Entity, requireEntity } from "./auth";
import { catalogue } from "./catalogue";
import { purchaseBy } from "./local";
import { site, stripe } from "./stripe";

const buying = { ...asking, key: v.string() };

/** A browser can send any key. People may buy what the catalogue sells. */
function sold(key: string): string {
  if (catalogue.isKey(key)) return key;
  throw new ConvexError("This is not for sale.");
}

const backTo = (entity: Entity, from?: "checkout" | "payment") =>
  `${site}/for/${entity.id}${from ? `?from=${from}` : ""}`;

/**
 * Where to subscribe. Two tabs get the same page, another plan closes the page of the first, and who
 * has a plan already is sent to where it is changed, or to the invoice that is to be paid.
 */
export const subscribe = action({
  args: buying,
  returns: v.string(),
  handler: async (ctx, { key, ...asked }): Promise<string> => {
    const entity = await requireEntity(ctx, asked);
    const { url } = await stripe.subscribe(ctx, {
      entityId: entity.id,
      lookupKey: sold(key),
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
  handler: async (ctx, { key, ...asked }) => {
    const { id: entityId } = await requireEntity(ctx, asked);
    const { lines, ...shown } = await stripe.preview(ctx, { entityId, lookupKey: sold(key) });
    return { ...shown, lines: lines.map(({ description, amount }) => ({ description, amount })) };
  },
});

/** Changes the plan for what the preview said. Answers a page if the bank wants to hear the person. */
export const change = action({
  args: { ...buying, quote: v.string() },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, { key, quote, ...asked }): Promise<string | null> => {
    const { id: entityId } = await requireEntity(ctx, asked);
    const changed = await stripe.change(ctx, { entityId, lookupKey: sold(key), quote });
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
  handler: async (ctx, { key, ...asked }): Promise<string> => {
    const entity = await requireEntity(ctx, asked);
    const found = Object.entries(catalogue.packs).find(([pack]) => pack === key);
    if (!found) throw new ConvexError("This is not for sale.");
    const [pack, { name }] = found;
    const order = { entityId: entity.id, pack, name };
    const referenceId = await ctx.runMutation(internal.shop.placeOrder, order);
    const { url } = await stripe.pay(
      ctx,
      {
        entityId: entity.id,
        lookupKey: pack,
        referenceId,
        mode: "payment",
        success_url: backTo(entity, "payment"),
        cancel_url: backTo(entity),
      },
      { idempotencyKey: referenceId },
    );
    return url;
  },
});

/**
 * Two tabs that buy the same thing at once share an order, and so a checkout page. An order whose page
 * was not paid in time makes way for another one.
 */
export const placeOrder = internalMutation({
  args: { entityId: v.string(), pack: v.string(), name: v.string() },
  returns: v.id("orders"),
  handler: async (ctx, order) => {
    const open = await unpaidOf(ctx, order.entityId);
    const same = open.find(({ pack }) => pack === order.pack);
    const page = same && (await purchaseBy(ctx, { referenceId: same._id }));
    if (same && page?.state !== "expired") return same._id;
    if (same) await ctx.db.delete("orders", same._id);
    return ctx.db.insert("orders", { ...order, paidAt: null });
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

const unpaidOf = (ctx: QueryCtx, entityId: string) =>
  ctx.db
    .query("orders")
    .withIndex("by_entity", (q) => q.eq("entityId", entityId).eq("paidAt", null))
    .take(100);
