/** The library, over the app's own database. */
import { createBilling } from "backend-billing/postgres";
import pg from "pg";
import { env } from "$env/dynamic/private";
import { catalogue } from "$lib/catalogue";

const baseUrl = env.ORIGIN ?? "http://localhost:5173"; // adapter-node needs ORIGIN, too

// `vite dev` loads this file anew with each edit, and the pool stays.
const shared = globalThis as { pool?: pg.Pool };
shared.pool ??= new pg.Pool({ connectionString: env.DATABASE_URL });
export const pool = shared.pool;

export const { billing, store, checkout, portal } = createBilling({
  secret_key: env.STRIPE_SECRET_KEY,
  webhook_secret: env.STRIPE_WEBHOOK_SECRET,
  catalogue,
  db: pool,
  base_url: baseUrl,
  site_url: baseUrl, // so that addresses to come back to can be paths
  path: "/api/stripe",
  cron_secret: env.CRON_SECRET, // opens GET /api/stripe/tick to the scheduler
  stripe_host: env.STRIPE_HOST, // the emulator; without it, Stripe itself
});
