/** Stands for the application's own file, so that the templates compile here. Not published. */
import { createBilling } from "backend-billing/postgres";
import pg from "pg";
import { catalogue } from "../catalogue.js";

export const { billing, store } = createBilling({
  secret_key: process.env.STRIPE_SECRET_KEY,
  webhook_secret: process.env.STRIPE_WEBHOOK_SECRET,
  catalogue,
  db: new pg.Pool({ connectionString: process.env.DATABASE_URL }),
  base_url: process.env.BASE_URL ?? "http://localhost:3000",
});
