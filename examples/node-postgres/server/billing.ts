/** The database, and the library over it. */
import { createStripe } from "backend-billing/postgres";
import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { catalogue } from "../catalogue.ts";
import { on } from "./reactions.ts";
import { members } from "./schema.ts";

const { DATABASE_URL, STRIPE_SECRET_KEY = "", STRIPE_WEBHOOK_SECRET, STRIPE_HOST } = process.env;
export const port = Number(process.env.PORT ?? 3000);
export const baseUrl = process.env.BASE_URL ?? `http://localhost:${port}`;

const pool = new pg.Pool({ connectionString: DATABASE_URL });
pool.on("error", (error) => console.error("A database connection was lost:", error.message));
export const db = drizzle(pool);

export const { stripe, store, sync, setup } = createStripe({
  secret_key: STRIPE_SECRET_KEY,
  webhook_secret: STRIPE_WEBHOOK_SECRET,
  db,
  base_url: baseUrl,
  catalogue,
  // The owner, and who was invited. It is what a plan per seat is sold times.
  seats: async (entityId) => 1 + (await db.$count(members, eq(members.entityId, entityId))),
  on,
  stripe_host: STRIPE_HOST, // another Stripe than Stripe's own; offline.ts sets it
});
