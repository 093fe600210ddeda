import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc } from "./_generated/dataModel";
import { internalQuery, mutation, type QueryCtx } from "./_generated/server";

/** The user who is asking, if they are signed in and known. */
export async function currentUser(ctx: QueryCtx): Promise<Doc<"users"> | null> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) return null;
  return ctx.db
    .query("users")
    .withIndex("by_token", (q) => q.eq("tokenIdentifier", identity.tokenIdentifier))
    .unique();
}

/** Call this after signing in. The first time it creates the user, and their Stripe customer. */
export const signIn = mutation({
  args: {},
  returns: v.id("users"),
  handler: async (ctx) => {
    const known = await currentUser(ctx);
    if (known !== null) return known._id;
    const identity = await ctx.auth.getUserIdentity();
    if (identity === null) throw new ConvexError("Sign in first");
    const { tokenIdentifier, email } = identity;
    const userId = await ctx.db.insert("users", { tokenIdentifier, email });
    await ctx.scheduler.runAfter(0, internal.billing.setup, { entityId: userId, email });
    return userId;
  },
});

/** For actions, which have no database. */
export const currentUserId = internalQuery({
  args: {},
  returns: v.union(v.id("users"), v.null()),
  handler: async (ctx) => (await currentUser(ctx))?._id ?? null,
});
