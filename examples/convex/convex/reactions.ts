/**
 * What the app does when something has happened. What these mutations write happens exactly once: it
 * commits with the mark that the app was told.
 */
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { onEvent } from "./local";
import { storeMail } from "./mail";

export const started = internalMutation({
  args: onEvent("subscription.started"),
  returns: v.null(),
  handler: async (ctx, { event: { key, entityId } }): Promise<null> => {
    await storeMail(ctx, { key, entityId, subject: "Your plan has begun" });
    return null;
  },
});

/** What was bought is theirs. `referenceId` is the order's id, which `pay` was given. */
export const paid = internalMutation({
  args: onEvent("purchase.paid"),
  returns: v.null(),
  handler: async (ctx, { event: { key, entityId, at, after } }): Promise<null> => {
    const orderId = ctx.db.normalizeId("orders", after.referenceId ?? "");
    const order = orderId && (await ctx.db.get("orders", orderId));
    if (!order) return null; // it was sold elsewhere, such as by a payment link
    await ctx.db.patch("orders", order._id, { paidAt: at });
    await storeMail(ctx, { key, entityId, subject: `${order.name}: thank you` });
    return null;
  },
});
