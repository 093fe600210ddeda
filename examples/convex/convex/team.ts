/** Who writes along. A plan per seat costs what the members are: its quantity follows them. */
import { ConvexError, v } from "convex/values";
import { internalQuery, mutation } from "./_generated/server";
import { asking, requireEntity } from "./auth";
import { limit, seatsChanged } from "./local";
import { membersOf } from "./plans";

/** The owner, and who was invited. It is what a plan per seat is sold times. */
export const seats = internalQuery({
  args: { entityId: v.string() },
  returns: v.number(),
  handler: async (ctx, { entityId }): Promise<number> =>
    1 + (await membersOf(ctx, entityId)).length,
});

/**
 * No race passes the plan's room: of two mutations at once, Convex runs one again.
 * However many are invited, Stripe is told once, and only if this commits.
 */
export const invite = mutation({
  args: { ...asking, emails: v.string() },
  returns: v.null(),
  handler: async (ctx, { emails, ...asked }) => {
    const { id: entityId } = await requireEntity(ctx, asked);
    const found = emails.toLowerCase().match(/[^\s,;]+@[^\s,;]+/g);
    if (!found) throw new ConvexError("Give the email of whom you invite.");
    const known = new Set((await membersOf(ctx, entityId)).map(({ email }) => email));
    const fresh = [...new Set(found)].filter((email) => !known.has(email));
    const room = await limit(ctx, entityId, "members");
    if (known.size + fresh.length > room) {
      throw new ConvexError(`Your plan has no room for more than ${room} members.`);
    }
    for (const email of fresh) await ctx.db.insert("members", { entityId, email });
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
