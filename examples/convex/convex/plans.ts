/** What an entity has, and may use: a query on the mirror, without a request to Stripe. */
import { type Infer, v } from "convex/values";
import { type QueryCtx, query } from "./_generated/server";
import { asking, requireEntity } from "./auth";
import { can, limit, subscriptionOf, usageOf } from "./local";

const nullable = v.union(v.number(), v.null());
const price = v.object({
  amount: v.number(),
  currency: v.string(),
  interval: v.union(v.string(), v.null()),
});
const subscription = v.object({
  status: v.string(),
  name: v.string(),
  price,
  key: v.union(v.string(), v.null()),
  quantity: v.number(),
  renewsAt: nullable,
  endsAt: nullable,
});
const order = v.object({ id: v.string(), name: v.string(), paidAt: nullable });
const member = v.object({ id: v.id("members"), email: v.string() });

export const account = query({
  args: asking,
  returns: v.object({
    subscription: v.union(subscription, v.null()),
    orders: v.array(order),
    members: v.array(member),
    room: v.number(),
    support: v.boolean(),
    sends: v.object({ remaining: v.number(), resetsAt: nullable }),
  }),
  handler: async (ctx, asked) => {
    const entity = await requireEntity(ctx, asked);
    const orders = await ctx.db
      .query("orders")
      .withIndex("by_entity", (q) => q.eq("entityId", entity.id))
      .order("desc")
      .take(100);
    const members = await membersOf(ctx, entity.id);
    const { remaining, resetsAt } = (await usageOf(ctx, entity.id)).sends;
    return {
      subscription: await planOf(ctx, entity.id),
      orders: orders.map(({ _id, name, paidAt }) => ({ id: _id, name, paidAt })),
      members: members.map(({ _id, email }) => ({ id: _id, email })),
      room: await limit(ctx, entity.id, "members"),
      support: await can(ctx, entity.id, "support"),
      sends: { remaining, resetsAt },
    };
  },
});

/** Who was invited by the entity. */
export const membersOf = (ctx: QueryCtx, entityId: string) =>
  ctx.db
    .query("members")
    .withIndex("by_entity", (q) => q.eq("entityId", entityId))
    .take(1000);

/** The tables are yours to query: here, what they pay, also if it costs others more by now. */
const productBy = (ctx: QueryCtx, productId: string) =>
  ctx.db
    .query("backend_billing_products")
    .withIndex("byProductId", (q) => q.eq("productId", productId))
    .unique();
const priceBy = (ctx: QueryCtx, priceId: string) =>
  ctx.db
    .query("backend_billing_prices")
    .withIndex("byPriceId", (q) => q.eq("priceId", priceId))
    .unique();

/** What the entity has. */
async function planOf(ctx: QueryCtx, entityId: string): Promise<Infer<typeof subscription> | null> {
  const found = await subscriptionOf(ctx, entityId);
  if (found.status === "none" || found.status.startsWith("incomplete")) return null;
  const { status, lookupKey: key, quantity, renewsAt, endsAt } = found;
  const product = await productBy(ctx, found.productId);
  const price = await priceBy(ctx, found.priceId);
  if (!price) return null;
  const { unit_amount, currency, recurring } = price.stripe;
  return {
    status,
    name: product?.stripe.name ?? "Your plan",
    price: { amount: unit_amount ?? 0, currency, interval: recurring?.interval ?? null },
    key,
    quantity,
    renewsAt,
    endsAt,
  };
}
