import { createLocal } from "backend-billing/convex/local";
import { v } from "convex/values";
import { query } from "./_generated/server";
import { catalogue } from "./catalogue";
import { currentUser } from "./users";

/** Reads of your own tables, for queries and mutations: they never ask Stripe. */
export const { subscriptionOf, limit } = createLocal({ catalogue });

/** What the user who is asking has, and may use; null for one who is not signed in. */
export const mine = query({
  args: {},
  returns: v.union(
    v.object({ plan: v.string(), projects: v.number(), endsAt: v.union(v.number(), v.null()) }),
    v.null(),
  ),
  handler: async (ctx) => {
    const user = await currentUser(ctx);
    if (user === null) return null;
    const { plan, access, endsAt } = await subscriptionOf(ctx, user._id);
    const projects = await limit(ctx, user._id, "projects"); // 1, or 100 with access to Pro
    return { plan, projects, endsAt: access ? endsAt : null };
  },
});
