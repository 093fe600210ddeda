import { activeSubscriptionsOf } from "backend-billing/convex";
import { v } from "convex/values";
import { query } from "./_generated/server";
import { requireEntity } from "./auth";

/** The tables are yours to query. */
export const products = query({
  args: {},
  returns: v.array(v.object({ productId: v.string(), name: v.string() })),
  handler: async (ctx) => {
    const rows = await ctx.db
      .query("backend_billing_products")
      .withIndex("byActive", (q) => q.eq("stripe.active", true))
      .take(100);
    return rows.map(({ productId, stripe }) => ({ productId, name: stripe.name }));
  },
});

/** Whether whoever is asking has an active subscription. */
export const isSubscribed = query({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const entityId = await requireEntity(ctx);
    return (await activeSubscriptionsOf(ctx, entityId)).length > 0;
  },
});
