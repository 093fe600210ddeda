import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { type ActionCtx, action } from "./_generated/server";
import { billing, site } from "./billing";
import { catalogue } from "./catalogue";

/** The entity is always the user who is asking: nobody can buy or cancel for somebody else. */
async function requireUser(ctx: ActionCtx): Promise<Id<"users">> {
  const userId = await ctx.runQuery(internal.users.currentUserId, {});
  if (userId === null) throw new ConvexError("Sign in first");
  return userId;
}

/** A link to Stripe's checkout page, for a key of the catalogue such as `pro:monthly`. */
export const buy = action({
  args: { key: v.string() },
  returns: v.string(),
  handler: async (ctx, { key }) => {
    const entityId = await requireUser(ctx);
    if (!catalogue.isKey(key)) throw new ConvexError("That is not for sale");
    const { url } = await billing.checkout(ctx, {
      entityId,
      lookupKey: key,
      successUrl: `${site}/welcome`,
      cancelUrl: `${site}/`,
    });
    return url;
  },
});

/** A link to Stripe's portal, where people change, cancel and pay. */
export const manage = action({
  args: {},
  returns: v.string(),
  handler: async (ctx) => {
    const entityId = await requireUser(ctx);
    const { url } = await billing.portal(ctx, { entityId, returnUrl: `${site}/` });
    return url;
  },
});
