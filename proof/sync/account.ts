/** A large Stripe account at a double, and a database that is to become equal to it. */
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import Stripe from "stripe";
import type { ResourceChoice } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { migrate } from "../../packages/backend-billing/src/postgres/schema/migrations.js";
import {
  createStripeDouble,
  type StripeDouble,
} from "../../packages/backend-billing/src/testing/index.js";
import type { RateLimits } from "../../packages/stripe-double/src/http/limits.js";
import type { PostgresServer } from "../../support/postgres/server.js";
import type { WorkerOrder } from "../../support/sync/worker.js";

/** How many objects of each there are; the database must come to the same. */
export interface Counts {
  customers: number;
  prices: number;
  subscriptions: number;
}

export interface Account {
  readonly double: StripeDouble;
  readonly stripe: Stripe;
  readonly counts: Counts;
  /** Lifts the limits until this is done, so that it does not wait. */
  unlimited<T>(work: () => Promise<T>): Promise<T>;
}

const UNLIMITED = 1e9;
const YEAR = 365 * 86_400;

/** Of a hundred objects, 94 are customers, 3 prices and 3 subscriptions. */
export async function openAccount(objects: number, limits?: RateLimits): Promise<Account> {
  const none = { global: UNLIMITED, endpoint: UNLIMITED, search: UNLIMITED };
  // The double looks at this object with every request.
  const now: { -readonly [name in keyof RateLimits]: number } = { ...none };
  const double = await createStripeDouble({ rateLimits: now, delivery: "held" });
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const few = Math.floor(objects * 0.03);
  const counts = { customers: objects - 2 * few, prices: few, subscriptions: few };
  const like = await likeness();
  double.populate({ object: "customer", count: counts.customers });
  double.populate({
    object: "price",
    count: counts.prices,
    make: (_, seed) => ({ ...like.price, ...seed }),
  });
  const [customer] = (await stripe.customers.list({ limit: 1 })).data;
  const [price] = (await stripe.prices.list({ limit: 1 })).data;
  if (customer === undefined || price === undefined) throw new Error("Nothing was made");
  const { items } = like.subscription;
  const data = items.data.map((item) => ({ ...item, price: { ...like.price, id: price.id } }));
  double.populate({
    object: "subscription",
    count: counts.subscriptions,
    make: (_, seed) => ({
      ...like.subscription,
      ...seed,
      customer: customer.id,
      items: { ...items, data },
    }),
  });
  double.requests.clear();
  Object.assign(now, limits);
  return {
    double,
    stripe,
    counts,
    unlimited: (work) => {
      Object.assign(now, none);
      return work().finally(() => Object.assign(now, limits));
    },
  };
}

/** A price and a subscription as Stripe makes them, from an account of their own. */
async function likeness() {
  const double = await createStripeDouble();
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const product = await stripe.products.create({ name: "Seats" });
  const recurring = { interval: "month" } as const;
  const terms = { product: product.id, currency: "usd", unit_amount: 900, recurring };
  const { id } = await stripe.prices.create(terms);
  const { id: customer } = await stripe.customers.create({});
  const payment = { collection_method: "send_invoice", days_until_due: 30 } as const;
  await stripe.subscriptions.create({ customer, items: [{ price: id }], ...payment });
  const [[price], [subscription]] = [double.objects("price"), double.objects("subscription")];
  await double.close();
  if (price === undefined || subscription === undefined) throw new Error("Nothing was made");
  return { price, subscription };
}

/** Changes while a backfill is under way: customers all over the year, and new ones. */
export const change = (account: Account): Promise<void> =>
  account.unlimited(() => changed(account));

async function changed({ stripe, counts }: Account): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  for (let part = 1; part <= 10; part++) {
    const created = { lt: now - Math.floor((YEAR * part) / 11) };
    const [one, two] = (await stripe.customers.list({ limit: 2, created })).data;
    if (one === undefined || two === undefined) continue;
    await stripe.customers.update(one.id, { name: `Changed ${part}` });
    await stripe.customers.del(two.id);
    counts.customers--;
  }
  await stripe.customers.create({ name: "New" });
  counts.customers++;
}

/** A database of its own with the tables in it. */
export async function openDatabase(
  server: PostgresServer,
  name: string,
  options: { readonly resources?: ResourceChoice } = {},
): Promise<pg.Pool> {
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`).finally(() => admin.end());
  const url = new URL(server.url);
  url.pathname = name;
  const pool = new pg.Pool({ connectionString: url.href, max: 2 }).on("error", () => {});
  await migrate(pool, options);
  return pool;
}

export const orderFor = (
  { double }: Pick<Account, "double">,
  pool: pg.Pool,
  more: Partial<WorkerOrder> = {},
): WorkerOrder => ({
  url: pool.options.connectionString ?? "",
  schema: "billing",
  secretKey: double.secretKey,
  stripe: double.stripeConfig,
  pageLease: 30_000,
  ...more,
});

const COUNT = (table: string) =>
  `(SELECT count(*)::int FROM billing.backend_billing_${table} WHERE stripe IS NOT NULL) AS ${table}`;

export interface Look extends Counts {
  /** The first run's state; null before there is one. */
  readonly state: string | null;
}

/** The run's state and the rows that are there, in one snapshot of the database. */
export async function look(pool: pg.Pool): Promise<Look> {
  const { rows } = await pool.query(`
    SELECT ${COUNT("customers")}, ${COUNT("prices")}, ${COUNT("subscriptions")},
      (SELECT data->>'state' FROM billing.backend_billing_records
        WHERE kind = 'run' ORDER BY id DESC LIMIT 1) AS state`);
  return rows[0] as Look;
}

export const isComplete = (look: Look, { customers, prices, subscriptions }: Counts): boolean =>
  look.customers === customers && look.prices === prices && look.subscriptions === subscriptions;

/** How many objects at Stripe are not in the tables as they are there, or only in the tables. */
export const differences = (account: Account, pool: pg.Pool): Promise<number> =>
  account.unlimited(() => different(account, pool));

async function different({ stripe }: Account, pool: pg.Pool): Promise<number> {
  const found = await look(pool);
  let count = 0;
  const compare = async (
    table: keyof Counts,
    idColumn: string,
    page: (after: { starting_after?: string }) => Promise<Stripe.ApiList<{ id: string }>>,
  ) => {
    let total = 0;
    for (let after = {}; ; ) {
      const { data, has_more } = await page(after);
      const ids = data.map(({ id }) => id);
      const { rows } = await pool.query<{ id: string; stripe: unknown }>(
        `SELECT ${idColumn} AS id, stripe FROM billing.backend_billing_${table} WHERE ${idColumn} = ANY($1)`,
        [ids],
      );
      const ours = new Map(rows.map(({ id, stripe: object }) => [id, object]));
      // As JSON, because the SDK's own objects have another prototype.
      const theirs = JSON.parse(JSON.stringify(data)) as { id: string }[];
      count += theirs.filter((each) => !isDeepStrictEqual(ours.get(each.id), each)).length;
      total += data.length;
      const last = data.at(-1);
      if (!has_more || last === undefined) break;
      after = { starting_after: last.id };
    }
    count += Math.max(0, found[table] - total);
  };
  const limit = 100;
  await compare("customers", "customer_id", (after) => stripe.customers.list({ limit, ...after }));
  await compare("prices", "price_id", (after) => stripe.prices.list({ limit, ...after }));
  await compare("subscriptions", "subscription_id", (after) =>
    stripe.subscriptions.list({ limit, status: "all", ...after }),
  );
  return count;
}
