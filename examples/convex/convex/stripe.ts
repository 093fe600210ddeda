import { createStripe } from "backend-billing/convex";
import { internal } from "./_generated/api";
import { env } from "./_generated/server";
import { catalogue } from "./catalogue";

/** Where people come back to from Stripe's pages. */
export const site = env.SITE_URL ?? "http://localhost:5173";

export const { stripe, store, sync, setup } = createStripe({
  secret_key: env.STRIPE_SECRET_KEY,
  webhook_secret: env.STRIPE_WEBHOOK_SECRET,
  return_origins: [site],
  catalogue,
  seats: internal.team.seats,
  on: {
    "subscription.started": internal.reactions.started,
    "purchase.paid": internal.reactions.paid,
  },
});
