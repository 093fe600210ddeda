/**
 * What a link costs, with everything mirrored that is by default and nothing under way: the requests
 * at Stripe, as the double counts them, and the round trips to the database. Statements that are
 * under way at the same time are one round trip.
 */
import pg from "pg";
import Stripe from "stripe";
import { createStripe } from "../../packages/backend-billing/src/postgres/billing.js";
import { createStripeDouble } from "../../packages/stripe-double/src/index.js";

export interface LinkCost {
  readonly requests: readonly string[];
  readonly statements: readonly string[];
  readonly trips: number;
}

export interface LinkCosts {
  /** Of an entity that has no customer yet. */
  readonly first: LinkCost;
  /** Of an entity whose customer is known, but that was never sold anything. */
  readonly known: LinkCost;
}

const ADDRESSES = { success_url: "http://localhost/a", cancel_url: "http://localhost/b" };

export async function linkCosts(
  serverUrl: string,
  admin: pg.Client,
  create: typeof createStripe = createStripe,
): Promise<LinkCosts> {
  await admin.query("CREATE DATABASE bench_links");
  const url = new URL(serverUrl);
  url.pathname = "bench_links";
  const { pool, counted } = countingPool(url.href);
  const double = await createStripeDouble();
  try {
    const merchant = new Stripe(double.secretKey, double.stripeConfig);
    const { id: product } = await merchant.products.create({ name: "Pro" });
    const recurring = { interval: "month" } as const;
    const price = { product, currency: "usd", unit_amount: 2_000, recurring };
    const { id: priceId } = await merchant.prices.create(price);
    const { store, stripe, setup, sync } = create({
      secret_key: double.secretKey,
      webhook_secret: "whsec_links",
      db: pool,
      base_url: "http://localhost",
      rate: false,
      stripe_options: double.stripeConfig,
    });
    await store.migrate();
    await sync();
    const cost = async (entityId: string): Promise<LinkCost> => {
      double.requests.clear();
      const counts = counted();
      await stripe.subscribe({}, { entityId, priceId, mode: "subscription", ...ADDRESSES });
      const requests = double.requests.recent().map((each) => `${each.method} ${each.url}`);
      return { requests, ...counts() };
    };
    await cost("entity_0"); // what a process does once
    await setup({ entityId: "entity_2" });
    return {
      first: await cost("entity_1"),
      known: await cost("entity_2"),
    };
  } finally {
    await pool.end();
    await double.close();
    await admin.query("DROP DATABASE bench_links WITH (FORCE)");
  }
}

type Counts = Pick<LinkCost, "statements" | "trips">;

/** A pool that counts; what `counted` answers is called at the end of a stretch. */
function countingPool(connectionString: string): { pool: pg.Pool; counted(): () => Counts } {
  const pool = new pg.Pool({ connectionString });
  const statements: string[] = [];
  let [trips, underWay] = [0, 0];
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    Object.assign(client, {
      query: (asked: string | { text: string }, ...rest: unknown[]) => {
        statements.push(typeof asked === "string" ? asked : asked.text);
        if (underWay++ === 0) trips++;
        const answer = query(asked, ...rest);
        void Promise.resolve(answer).then(
          () => underWay--,
          () => underWay--,
        );
        return answer;
      },
    });
  });
  return {
    pool,
    counted() {
      const [tripsBefore, statementsBefore] = [trips, statements.length];
      return () => ({
        trips: trips - tripsBefore,
        statements: statements.slice(statementsBefore),
      });
    },
  };
}
