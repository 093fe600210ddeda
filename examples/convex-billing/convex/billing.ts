import { createBilling } from "backend-billing/convex";
import { env } from "./_generated/server";

/** Where people come back to from Stripe's pages. */
export const site = env.SITE_URL ?? "http://localhost:5173";

export const { billing, store, sync, portal, checkout, setup } = createBilling({
  secret_key: env.STRIPE_SECRET_KEY,
  webhook_secret: env.STRIPE_WEBHOOK_SECRET,
  return_origins: [site],
});
