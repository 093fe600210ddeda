/** Who writes along. A plan per seat costs what the members are: its quantity follows them. */
import { defineCatalogue } from "backend-billing/catalogue";
import { createLocal } from "backend-billing/convex/local";
import { ConvexError, v } from "convex/values";
import { internalQuery, mutation } from "./_generated/server";
import { asking, requireEntity } from "./auth";
import { membersOf } from "./plans";

const { seatsChanged } = createLocal({ catalogue: defineCatalogue({}), module: "stripe" });

/** The owner, and who was invited. It is what a plan per seat is sold times. */
export const seats = internalQuery({
  args: { entityId: v.string() },
  returns: v.number(),
  handler: async (ctx, { entityId }): Promise<number> =>
    1 + (await membersOf(ctx, entityId)).length,
});

/** However many are invited, Stripe is told once, and only if this commits. */
export const invite = mutation({
  args: { ...asking, emails: v.string() },
  returns: v.null(),
  handler: async (ctx, { emails, ...asked }) => {
    const { id: entityId } = await requireEntity(ctx, asked);
    const found = emails.toLowerCase().match(/[^\s,;]+@[^\s,;]+/g);
    if (!found) throw new ConvexError("Give the email of whom you invite.");
    const known = new Set((await membersOf(ctx, entityId)).map(({ email }) => email));
    for (const email of new Set(found)) {
      if (!known.has(email)) await ctx.db.insert("members", { entityId, email });
    }
    await seatsChanged(ctx, { entityId });
    return null;
  },
});

export const remove = mutation({
  args: { ...asking, memberId: v.id("members") },
  returns: v.null(),
  handler: async (ctx, { memberId, ...asked }) => {
    const { id: entityId } = await requireEntity(ctx, asked);
    const member = await ctx.db.get("members", memberId);
    if (member?.entityId !== entityId) return null;
    await ctx.db.delete("members", memberId);
    await seatsChanged(ctx, { entityId });
    return null;
  },
});
