/** What there is to buy, and what an entity has: queries on the mirror, without a request to Stripe. */
import { customerOf, plans } from "backend-billing/convex/local";
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
  prices: v.array(price),
});
const subscription = v.object({
  status: v.string(),
  name: v.string(),
  price,
  renewsAt: nullable,
  endsAt: nullable,
});
const order = v.object({ id: v.string(), name: v.string(), paidAt: nullable });

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
      prices: prices.map(priceOf),
    })),
});

type StripePrice = Awaited<ReturnType<typeof plans>>[number]["prices"][number];

function priceOf({ id, unit_amount, currency, recurring }: StripePrice): Infer<typeof price> {
  return { id, amount: unit_amount ?? 0, currency, interval: recurring?.interval ?? null };
}

export const account = query({
  args: asking,
  returns: v.object({ subscription: v.union(subscription, v.null()), orders: v.array(order) }),
  handler: async (ctx, asked) => {
    const entity = await requireEntity(ctx, asked);
    const orders = await ctx.db
      .query("orders")
      .withIndex("by_entity", (q) => q.eq("entityId", entity.id))
      .order("desc")
      .take(100);
    return {
      subscription: await subscriptionOf(ctx, entity.id),
      orders: orders.map(({ _id, name, paidAt }) => ({ id: _id, name, paidAt })),
    };
  },
});

/** The tables are yours to query: here, whatever a customer ever subscribed to. */
const subscriptionsWith = (ctx: QueryCtx, customerId: string) =>
  ctx.db
    .query("backend_billing_subscriptions")
    .withIndex("byCustomerId", (q) => q.eq("customerId", customerId))
    .take(100);

/** The entity's latest subscription. */
async function subscriptionOf(
  ctx: QueryCtx,
  entityId: string,
): Promise<Infer<typeof subscription> | null> {
  const customer = await customerOf(ctx, entityId);
  if (!customer) return null;
  const rows = await subscriptionsWith(ctx, customer.customerId);
  const [latest] = rows
    .flatMap(({ stripe }) => stripe ?? [])
    .filter(({ status }) => !status.startsWith("incomplete"))
    .sort((a, b) => b.created - a.created);
  const item = latest?.items.data[0];
  if (!latest || !item) return null;
  const product = await ctx.db
    .query("backend_billing_products")
    .withIndex("byProductId", (q) => q.eq("productId", item.price.product))
    .unique();
  const periodEnd = item.current_period_end;
  const ends = latest.ended_at ?? latest.cancel_at ?? (latest.cancel_at_period_end && periodEnd);
  return {
    status: latest.status,
    name: product?.stripe.name ?? "Your plan",
    price: priceOf(item.price),
    renewsAt: ends ? null : periodEnd * 1000,
    endsAt: ends ? ends * 1000 : null,
  };
}
