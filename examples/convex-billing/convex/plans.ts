import { plans, subscriptionOf } from "backend-billing/convex/local";
import { v } from "convex/values";
import { query } from "./_generated/server";
import { currentUser } from "./users";

/** What can be bought. A page that shows it is renewed when you change a price at Stripe. */
export const list = query({
  args: {},
  returns: v.array(
    v.object({
      priceId: v.string(),
      name: v.string(),
      amount: v.union(v.number(), v.null()),
      currency: v.string(),
      interval: v.string(),
    }),
  ),
  handler: async (ctx) =>
    (await plans(ctx)).flatMap(({ product, prices }) =>
      prices.flatMap(({ id, unit_amount, currency, recurring }) =>
        recurring === null
          ? []
          : {
              priceId: id,
              name: product.name,
              amount: unit_amount,
              currency,
              interval: recurring.interval,
            },
      ),
    ),
});

/** What the user who is asking has subscribed to; null without access to anything. */
export const mine = query({
  args: {},
  returns: v.union(
    v.object({ status: v.string(), priceIds: v.array(v.string()), ending: v.boolean() }),
    v.null(),
  ),
  handler: async (ctx) => {
    const user = await currentUser(ctx);
    if (user === null) return null;
    const { access, status, items, endsAt } = await subscriptionOf(ctx, user._id);
    if (!access) return null;
    return { status, priceIds: items.map(({ priceId }) => priceId), ending: endsAt !== null };
  },
});
