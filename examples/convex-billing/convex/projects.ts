import { ConvexError, v } from "convex/values";
import { mutation } from "./_generated/server";
import { limit } from "./plans";
import { currentUser } from "./users";

/** As many as the plan says. No race passes it: of two mutations at once, one is run again. */
export const create = mutation({
  args: { name: v.string() },
  returns: v.id("projects"),
  handler: async (ctx, { name }) => {
    const user = await currentUser(ctx);
    if (user === null) throw new ConvexError("Sign in first");
    const most = await limit(ctx, user._id, "projects");
    const owned = await ctx.db
      .query("projects")
      .withIndex("by_owner", (q) => q.eq("ownerId", user._id))
      .take(most);
    if (owned.length >= most) throw new ConvexError(`Your plan has ${most}: choose a larger one`);
    return ctx.db.insert("projects", { ownerId: user._id, name });
  },
});
