/** A database, a double of Stripe whose time stands still, and the application that lives and dies in it. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import Stripe from "stripe";
import { defineCatalogue, usd } from "../../packages/backend-billing/src/catalogue/index.js";
import { createBilling } from "../../packages/backend-billing/src/postgres/index.js";
import { push } from "../../packages/backend-billing/src/push/push.js";
import { createStripeDouble, type StripeDouble } from "../../packages/stripe-double/src/index.js";
import { type Break, createMortal, type Mortal } from "./mortal.js";

export const ORIGIN = "https://app.example";
export const back = { successUrl: `${ORIGIN}/done`, cancelUrl: `${ORIGIN}/plans` };

export const catalogue = defineCatalogue({
  app: "acme",
  features: { credits: "credits", calls: { meter: "calls" } },
  plans: {
    free: { name: "Free", default: true, features: { credits: { included: 10 } } },
    pro: {
      name: "Pro",
      prices: { monthly: usd("20").monthly(), yearly: usd("200").yearly() },
      features: { credits: { included: 500 }, calls: { included: 5, overage: usd("0.01") } },
    },
    team: { name: "Team", prices: { monthly: usd("5").perSeat().monthly() } },
  },
  packs: { poster: { name: "Poster", price: usd("15") } },
});

export type App = ReturnType<typeof createApp>;

export interface World {
  readonly double: StripeDouble;
  readonly stripe: Stripe;
  /** Connections that do not die, for looking. */
  readonly pool: pg.Pool;
  /** An application whose process dies at a step; it gets Stripe's webhooks until the next is made. */
  open(stopAt?: number): Living;
  /** So many minutes go by, for everything. */
  pass(minutes: number): Promise<void>;
  close(): Promise<void>;
}

export interface Living {
  readonly app: App;
  readonly mortal: Mortal;
  /** Ends it in order, and its connections. */
  close(): Promise<void>;
}

/** Waits for what another part does by itself; who waits for the dead never goes on. */
export async function until(isSo: () => Promise<boolean>, of?: Mortal): Promise<void> {
  while (!(await isSo())) {
    if (of?.cause() !== undefined) await of.forEver;
    await sleep(5);
  }
}

/** How many seats an entity has. */
export const seats = new Map<string, number>();

function createApp(double: StripeDouble, mortal: Mortal, secret: string) {
  return createBilling({
    secret_key: double.secretKey,
    webhook_secret: secret,
    db: mortal.pool,
    base_url: ORIGIN,
    stripe_options: {
      ...double.stripeConfig,
      httpClient: mortal.httpClient,
      maxNetworkRetries: 0,
    },
    rate: false,
    catalogue,
    seats: async (entityId) => seats.get(entityId) ?? 1,
    on: {
      "subscription.started": ({ entityId, key }, { tx }) =>
        tx.query("INSERT INTO told (key, entity, name) VALUES ($1, $2, 'started')", [
          key,
          entityId,
        ]),
      "purchase.paid": ({ entityId, key }, { tx }) =>
        tx.query("INSERT INTO told (key, entity, name) VALUES ($1, $2, 'paid')", [key, entityId]),
    },
  });
}

/** The library's clock in this process is the double's. */
export async function createWorld(server: string, name: string, broken?: Break): Promise<World> {
  const double = await createStripeDouble({
    seed: name,
    now: Date.UTC(2026, 0, 10, 12),
    signatureClock: "double",
  });
  const wall = Date.now;
  Date.now = () => double.clock.now();
  const admin = new pg.Pool({ connectionString: server, max: 1 });
  await admin.query(`DROP DATABASE IF EXISTS "${name}"`);
  await admin.query(`CREATE DATABASE "${name}"`);
  await admin.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 2 }).on("error", () => {});
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  await push(stripe, catalogue);
  await pool.query("CREATE TABLE told (key text, entity text, name text)");

  let secret = "";
  let current: Living | undefined;
  double.answer(ORIGIN, async (request) => {
    const gone = new Response("Nobody is there", { status: 503 });
    if (current === undefined) return gone;
    const { app, mortal } = current;
    return Promise.race([app.billing.fetch(request), mortal.death.then(() => gone)]);
  });
  const open = (stopAt?: number): Living => {
    const mortal = createMortal(url.href, stopAt, broken);
    const app = createApp(double, mortal, secret);
    const living = {
      app,
      mortal,
      async close() {
        if (current === living) current = undefined;
        if (mortal.cause() === undefined) await app.billing.close();
        mortal.bury();
        await until(async () => {
          const backends = "SELECT FROM pg_stat_activity WHERE application_name = $1";
          return (await pool.query(backends, [mortal.name])).rows.length === 0;
        });
      },
    };
    current = living;
    return living;
  };

  const first = open();
  await first.app.store.migrate();
  const { webhook } = await first.app.sync({ webhook: true, portal: true });
  secret = webhook?.secret ?? "";
  await first.close();
  return {
    double,
    stripe,
    pool,
    open,
    async pass(minutes) {
      await double.clock.advance({ minutes });
      // What is told goes by the database's clock, which cannot be turned: so its times are.
      const earlier =
        "UPDATE billing.backend_billing_records SET due = due - $1 WHERE kind = 'change'";
      await pool.query(earlier, [minutes * 60_000]);
    },
    async close() {
      Date.now = wall;
      await pool.end();
      await double.close();
    },
  };
}
