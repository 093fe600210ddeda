/** The library, over the app's own database. */
import { createBilling } from "backend-billing/postgres";
import pg from "pg";
import { catalogue } from "@/catalogue";

export const baseUrl = process.env.BASE_URL ?? "http://localhost:3000";

// Pages and routes are bundled apart, and `next dev` loads this file anew with each edit. They
// share one pool.
const shared = globalThis as { pool?: pg.Pool };
shared.pool ??= new pg.Pool({ connectionString: process.env.DATABASE_URL });

export const { billing, store, checkout, portal } = createBilling({
  secret_key: process.env.STRIPE_SECRET_KEY,
  webhook_secret: process.env.STRIPE_WEBHOOK_SECRET,
  catalogue,
  db: shared.pool,
  base_url: baseUrl,
  site_url: baseUrl, // so that addresses to come back to can be paths
  path: "/api/stripe",
  cron_secret: process.env.CRON_SECRET, // opens GET /api/stripe/tick to the scheduler
  stripe_host: process.env.STRIPE_HOST, // the emulator; without it, Stripe itself
});
