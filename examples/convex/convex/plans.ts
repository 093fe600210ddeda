/** What there is to buy, and what an entity has: queries on the mirror, without a request to Stripe. */
import { plans, subscriptionOf } from "backend-billing/convex/local";
import { type Infer, v } from "convex/values";
import { type QueryCtx, query } from "./_generated/server";
import { asking, requireEntity } from "./auth";

const nullable = v.union(v.number(), v.null());
const price = v.object({
  id: v.string(),
  amount: v.number(),
  currency: v.string(),
  interval: v.union(v.string(), v.null()),
});
const product = v.object({
  id: v.string(),
  name: v.string(),
  description: v.union(v.string(), v.null()),
  features: v.array(v.string()),
  perSeat: v.boolean(),
  prices: v.array(price),
});
const subscription = v.object({
  status: v.string(),
  name: v.string(),
  price,
  quantity: v.number(),
  renewsAt: nullable,
  endsAt: nullable,
});
const order = v.object({ id: v.string(), name: v.string(), paidAt: nullable });
const member = v.object({ id: v.id("members"), email: v.string() });

/** Everything that is for sale. A page that shows it is renewed when you change a price at Stripe. */
export const products = query({
  args: {},
  returns: v.array(product),
  handler: async (ctx) =>
    (await plans(ctx)).map(({ product, prices }) => ({
      id: product.id,
      name: product.name,
      description: product.description,
      features: product.marketing_features.flatMap(({ name }) => name ?? []),
      perSeat: product.metadata.billing_per_seat === "true",
      prices: prices.map(priceOf),
    })),
});

type StripePrice = Awaited<ReturnType<typeof plans>>[number]["prices"][number];

function priceOf({ id, unit_amount, currency, recurring }: StripePrice): Infer<typeof price> {
  return { id, amount: unit_amount ?? 0, currency, interval: recurring?.interval ?? null };
}

export const account = query({
  args: asking,
  returns: v.object({
    subscription: v.union(subscription, v.null()),
    orders: v.array(order),
    members: v.array(member),
  }),
  handler: async (ctx, asked) => {
    const entity = await requireEntity(ctx, asked);
    const orders = await ctx.db
      .query("orders")
      .withIndex("by_entity", (q) => q.eq("entityId", entity.id))
      .order("desc")
      .take(100);
    const members = await membersOf(ctx, entity.id);
    return {
      subscription: await planOf(ctx, entity.id),
      orders: orders.map(({ _id, name, paidAt }) => ({ id: _id, name, paidAt })),
      members: members.map(({ _id, email }) => ({ id: _id, email })),
    };
  },
});

/** Who was invited by the entity. */
export const membersOf = (ctx: QueryCtx, entityId: string) =>
  ctx.db
    .query("members")
    .withIndex("by_entity", (q) => q.eq("entityId", entityId))
    .take(1000);

/** The tables are yours to query: here, what a plan is called and what it costs. */
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
  const { status, quantity, renewsAt, endsAt } = found;
  const product = await productBy(ctx, found.productId);
  const price = await priceBy(ctx, found.priceId);
  if (!price) return null;
  const name = product?.stripe.name ?? "Your plan";
  return { status, name, price: priceOf(price.stripe), quantity, renewsAt, endsAt };
}
