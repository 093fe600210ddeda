/** Stands for the application's own file, so that the templates compile here. Not published. */
import { createBilling } from "backend-billing/convex";
import { catalogue } from "../catalogue.js";

export const site = process.env.SITE_URL ?? "http://localhost:5173";

export const { billing, store, sync, portal, checkout, setup } = createBilling({
  secret_key: process.env.STRIPE_SECRET_KEY,
  webhook_secret: process.env.STRIPE_WEBHOOK_SECRET,
  return_origins: [site],
  catalogue,
});
