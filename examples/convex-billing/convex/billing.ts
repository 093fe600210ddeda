import { createBilling } from "backend-billing/convex";
import { env } from "./_generated/server";
import { catalogue } from "./catalogue";

/** Where people come back to from Stripe's pages. */
export const site = env.SITE_URL ?? "http://localhost:5173";

export const { billing, store, sync, portal, checkout, setup } = createBilling({
  secret_key: env.STRIPE_SECRET_KEY,
  webhook_secret: env.STRIPE_WEBHOOK_SECRET,
  catalogue,
  return_origins: [site],
});
