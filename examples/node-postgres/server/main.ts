/** Brings the tables up to date, starts the scheduled jobs, and serves. */
import { serve } from "@hono/node-server";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { PgBoss } from "pg-boss";
import { app } from "./app.ts";
import { baseUrl, db, port, stripe } from "./billing.ts";
import { sendMails } from "./mail.ts";

await migrate(db, { migrationsFolder: "drizzle" });

const boss = new PgBoss(process.env.DATABASE_URL ?? "");
boss.on("error", ({ message }) => console.error("A scheduled job failed:", message));
await boss.start();
await stripe.addCronJobs(boss); // the first time it copies what exists at Stripe
setInterval(() => sendMails().catch((error) => console.error("No mail:", error.message)), 1_000);

serve({ fetch: app.fetch, port, hostname: process.env.HOST ?? "localhost" }, () =>
  console.log(`Paperboat is at ${baseUrl}`),
);
