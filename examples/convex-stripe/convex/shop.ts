import { v } from "convex/values";
import { action } from "./_generated/server";
import { requireEntity } from "./auth";
import { site, stripe } from "./stripe";

/** A link to a checkout page for a subscription. Stripe's own parameters pass through. */
export const subscribe = action({
  args: { priceId: v.string() },
  returns: v.string(),
  handler: async (ctx, { priceId }) => {
    const entityId = await requireEntity(ctx);
    const { url } = await stripe.subscribe(ctx, {
      entityId,
      priceId,
      mode: "subscription",
      allow_promotion_codes: true,
      success_url: `${site}/welcome`,
      cancel_url: `${site}/`,
    });
    return url;
  },
});

/** A link to a checkout page for a single payment, which carries your order's id. */
export const pay = action({
  args: { priceId: v.string(), orderId: v.string() },
  returns: v.string(),
  handler: async (ctx, { priceId, orderId }) => {
    const entityId = await requireEntity(ctx);
    const { url } = await stripe.pay(
      ctx,
      {
        entityId,
        referenceId: orderId,
        mode: "payment",
        line_items: [{ price: priceId, quantity: 1 }],
        success_url: `${site}/thanks`,
        cancel_url: `${site}/`,
      },
      { idempotencyKey: `order-${orderId}` },
    );
    return url;
  },
});

/** A link to Stripe's portal, where people change, cancel and pay. */
export const manage = action({
  args: {},
  returns: v.string(),
  handler: async (ctx) => {
    const entityId = await requireEntity(ctx);
    const { url } = await stripe.portal(ctx, { entityId, returnUrl: `${site}/` });
    return url;
  },
});
