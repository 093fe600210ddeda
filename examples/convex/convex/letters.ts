/** Letters. Each takes a send for every reader, of those that the plan includes or that were bought. */
import { ConvexError, v } from "convex/values";
import { mutation } from "./_generated/server";
import { asking, requireEntity } from "./auth";
import { consume } from "./local";

/**
 * The letter and the sends that it takes are stored together, or neither is. A letter that comes again,
 * by a double click or because the answer was lost, is there already, and its key counts once.
 */
export const send = mutation({
  args: { ...asking, id: v.string(), readers: v.number() },
  returns: v.null(),
  handler: async (ctx, { id, readers, ...asked }) => {
    const { id: entityId } = await requireEntity(ctx, asked);
    if (!Number.isSafeInteger(readers) || readers < 1) {
      throw new ConvexError("Give a whole number of readers.");
    }
    const use = { entityId, feature: "sends", key: id, amount: readers } as const;
    const { allowed, balance } = await consume(ctx, use);
    if (!allowed) {
      throw new ConvexError(`This takes ${readers} sends, and you have ${balance} left.`);
    }
    const stored = await ctx.db
      .query("letters")
      .withIndex("by_entity", (q) => q.eq("entityId", entityId).eq("id", id))
      .unique();
    if (!stored) await ctx.db.insert("letters", { entityId, id, readers });
    return null;
  },
});
