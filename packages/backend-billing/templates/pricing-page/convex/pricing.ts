/** What is behind the pricing page: what an entity has, and what a person may do for it. */
import { invoicesOf, subscriptionOf } from "backend-billing/convex/local";
import { ConvexError, v } from "convex/values";
import { catalogue } from "../app/catalogue.js";
import { internal } from "../app/convex/_generated/api.js";
import { type ActionCtx, action, internalQuery, query } from "../app/convex/_generated/server.js";
import { billing, site } from "../app/convex/billing.js";
import { entityFor } from "./entity-for.js";

/** Where the page is: people come back to it from Stripe. */
const page = new URL("/pricing", site).href;

const refusal = (code: string, message: string) => new ConvexError({ code, message });
const time = v.union(v.number(), v.null());
const text = v.union(v.string(), v.null());

/** What the entity has; null if no one is signed in. */
export const state = query({
  args: {},
  returns: v.union(
    v.null(),
    v.object({
      status: v.string(),
      productId: text,
      lookupKey: text,
      trialEndsAt: time,
      renewsAt: time,
      endsAt: time,
      next: v.union(v.null(), v.object({ at: v.number(), lookupKey: text })),
      payUrl: text,
    }),
  ),
  handler: async (ctx) => {
    const entityId = await entityFor(ctx);
    if (entityId === null) return null;
    const found = await subscriptionOf(ctx, entityId);
    const { status, productId, lookupKey, trialEndsAt, renewsAt, endsAt, next } = found;
    const owes = status === "past_due" || status === "unpaid";
    const invoices = owes ? await invoicesOf(ctx, entityId) : [];
    const open = invoices.filter(({ stripe }) => stripe?.status === "open");
    return {
      ...{ status, productId, lookupKey, trialEndsAt, renewsAt, endsAt },
      next: next && { at: next.at, lookupKey: next.lookupKey },
      payUrl: open.at(-1)?.stripe?.hosted_invoice_url ?? null, // of the oldest
    };
  },
});

/** For the actions, which have no database: who is asking, and how their subscription stands. */
export const asking = internalQuery({
  args: {},
  returns: v.union(v.null(), v.object({ entityId: v.string(), status: v.string() })),
  handler: async (ctx) => {
    const entityId = await entityFor(ctx);
    if (entityId === null) return null;
    return { entityId, status: (await subscriptionOf(ctx, entityId)).status as string };
  },
});

async function whoAsks(ctx: ActionCtx): Promise<{ entityId: string; status: string }> {
  const found: { entityId: string; status: string } | null = await ctx.runQuery(
    internal.pricing.asking,
    {},
  );
  if (found === null) throw refusal("sign_in", "Sign in first.");
  return found;
}

/** A page to subscribe on; or what the change would cost; or, with the quote of that, the change. */
export const choose = action({
  args: { key: v.string(), quote: v.optional(v.string()) },
  returns: v.union(
    v.object({ url: v.string() }),
    v.object({
      offer: v.object({
        currency: v.string(),
        dueNow: v.number(),
        next: v.union(v.null(), v.object({ at: v.number(), amount: v.number() })),
        lines: v.array(v.object({ description: v.string(), amount: v.number() })),
        quote: v.string(),
      }),
    }),
    v.object({ done: v.literal(true) }),
  ),
  handler: async (ctx, { key, quote }) => {
    const { entityId, status } = await whoAsks(ctx);
    if (!catalogue.isKey(key)) throw refusal("invalid_argument", "This is not for sale.");
    if (status !== "active" && status !== "trialing") {
      return { url: await checkoutUrl(ctx, entityId, key) };
    }
    if (quote === undefined) {
      const { lines, ...offer } = await billing.preview(ctx, { entityId, lookupKey: key });
      const shown = lines.map(({ description, amount }) => ({ description, amount }));
      return { offer: { ...offer, lines: shown } };
    }
    const changed = await billing.change(ctx, { entityId, lookupKey: key, quote });
    // The bank asks for the person: the change is made when they have paid there.
    if (changed.state === "payment_required") return { url: changed.url };
    return { done: true as const };
  },
});

async function checkoutUrl(ctx: ActionCtx, entityId: string, lookupKey: string): Promise<string> {
  const { url } = await billing.checkout(ctx, {
    entityId,
    lookupKey,
    successUrl: page,
    cancelUrl: page,
  });
  return url;
}

/** The address of Stripe's portal. */
export const portal = action({
  args: {},
  returns: v.string(),
  handler: async (ctx) => {
    const { entityId } = await whoAsks(ctx);
    return (await billing.portal(ctx, { entityId, returnUrl: page })).url;
  },
});

/** Ends the plan with its period. */
export const cancel = action({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const { entityId } = await whoAsks(ctx);
    await billing.cancel(ctx, { entityId });
    return null;
  },
});

/** Takes back an end or a change that waits for the end of the period. */
export const resume = action({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const { entityId } = await whoAsks(ctx);
    await billing.resume(ctx, { entityId });
    return null;
  },
});
