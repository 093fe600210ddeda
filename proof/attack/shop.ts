/** An application under attack: real tables, a Stripe of its own, and both variants over them. */

import { createHash, createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import Stripe from "stripe";
import { defineCatalogue, usd } from "../../packages/backend-billing/src/catalogue/index.js";
import { namesOf } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { createBilling, createStripe } from "../../packages/backend-billing/src/postgres/index.js";
import { resourceTable } from "../../packages/backend-billing/src/postgres/schema/tables.js";
import { createStripeDouble } from "../../packages/backend-billing/src/testing/index.js";
import { administer, databaseAt, newName } from "../../support/postgres/admin.js";

export const BASE = "https://app.example";
export const SITE = "https://shop.example";
export const CRON_SECRET = "a long random text of the schedule";
export const ENTITIES = ["user_1", "user_2", "org_3"] as const;
const SECOND_SECRET = "whsec_second";

const catalogue = defineCatalogue({
  app: "attacked",
  features: { sso: "boolean", projects: "limit", credits: "credits", calls: { meter: "calls" } },
  plans: {
    free: { name: "Free", default: true, features: { projects: 1, credits: { included: 10 } } },
    pro: {
      name: "Pro",
      prices: { monthly: usd("20").monthly(), yearly: usd("200").yearly() },
      features: { sso: true, projects: 10, credits: { included: 100 }, calls: { included: 50 } },
    },
  },
  packs: { more: { name: "More credits", price: usd("5"), credits: { credits: 50 } } },
});

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** A shop in a database of its own: three subscribers and one purchase. */
export async function openShop(server: string) {
  const name = newName("attack");
  await administer(server, `CREATE DATABASE ${name}`);
  const pool = new pg.Pool({ connectionString: databaseAt(server, name), max: 12 });
  pool.on("error", () => {});
  const double = await createStripeDouble({ seed: "attack", catalogue });
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const secrets = [SECOND_SECRET];
  const lines: string[] = [];
  const write = (details: object, message: string) => {
    if (lines.length < 1_000) lines.push(`${message} ${JSON.stringify(details)}`);
  };
  const config = {
    app: "attacked",
    secret_key: double.secretKey,
    webhook_secret: secrets,
    db: pool,
    base_url: BASE,
    site_url: SITE,
    return_origins: [SITE],
    cron_secret: CRON_SECRET,
    background: false,
    rate: false,
    seats: async () => 1,
    catalogue,
    stripe_options: { ...double.stripeConfig, maxNetworkRetries: 0 },
    timing: { refreshDelay: 0, returnPatience: 5_000 },
    logger: { info: () => {}, warn: () => {}, error: write },
  } as const;
  const b = createBilling(config);
  const a = createStripe(config);
  await b.store.migrate();
  double.answer(BASE, b.billing.fetch);
  const { webhook } = await b.sync({ data: true, webhook: true, portal: true });
  secrets.push(webhook?.secret ?? "");
  await fill();
  await double.settle();
  await settle();

  async function fill(): Promise<void> {
    for (const [n, entityId] of ENTITIES.entries()) {
      const { customerId: customer } = await b.setup({ entityId, email: `${entityId}@a.example` });
      const card = await stripe.paymentMethods.attach("pm_card_visa", { customer });
      const { id } = (await b.store.priceBy({ lookupKey: "attacked:pro:monthly" }))?.stripe ?? {};
      if (id === undefined) throw new Error("The catalogue was not mirrored");
      const items = [{ price: id, quantity: 1 }];
      const paid = { customer, default_payment_method: card.id };
      if (n < 2) await stripe.subscriptions.create({ ...paid, items });
      await b.billing.refresh({ entityId });
    }
    const page = await b.billing.pay({
      entityId: "user_1",
      lookupKey: "more",
      referenceId: "order_1",
      successUrl: "/thanks",
      cancelUrl: "/",
    });
    await double.payCheckout(page.url ?? "");
    const customer = await stripe.customers.list({ limit: 1 });
    await stripe.customers.update(customer.data[0]?.id ?? "", { name: "Ada" });
  }

  /** Does what is due until nothing is, and then reads everything again. */
  async function settle(): Promise<void> {
    // A charge comes to have its transaction a moment after it was made.
    const isWaiting = () =>
      double.objects("charge").some((charge) => charge.paid && charge.balance_transaction === null);
    for (let looks = 0; looks < 200 && isWaiting(); looks++) await sleep(50);
    while ((await b.billing.tick()).more);
    await b.billing.reconcile({ maxMissing: 10_000 });
  }

  const resources = namesOf(undefined);
  const mirrored = `SELECT ${resources.map(sumOf).join(", ")}`;
  return {
    url: databaseAt(server, name),
    pool,
    double,
    stripe,
    config,
    a,
    b,
    secret: SECOND_SECRET,
    /** Errors that were logged, the first thousand. */
    lines,
    settle,
    /** The mirrored tables, each as a sum of what is in it. */
    mirrored: async (): Promise<{ [table: string]: string }> =>
      (await pool.query(mirrored)).rows[0] as { [table: string]: string },
    /** Everything that the library keeps, as one sum. */
    everything: async (): Promise<string> => {
      const { rows } = await pool.query(TABLES);
      const all = rows.map(({ relname }) => `SELECT md5(t::text) AS m FROM billing.${relname} t`);
      const sums = await pool.query(`${all.join(" UNION ALL ")} ORDER BY m`);
      const hash = createHash("sha256");
      for (const { m } of sums.rows) hash.update(m);
      return hash.digest("hex");
    },
    close: async () => {
      await Promise.all([a.stripe.close(), b.billing.close()]);
      await double.close();
      await pool.end();
      await administer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

const TABLES =
  "SELECT relname FROM pg_class WHERE relnamespace = 'billing'::regnamespace AND relkind = 'r' ORDER BY 1";

/** What a table says of Stripe, without when it was written. */
function sumOf(resource: Parameters<typeof resourceTable>[0]): string {
  const { name, columns } = resourceTable(resource);
  const kept = columns.filter(({ field }) => field !== "_id" && field !== "last_synced_at");
  const row = `concat_ws('|', ${kept.map((column) => `t.${column.name}::text`).join(", ")})`;
  return `(SELECT count(*) || ' ' || md5(coalesce(string_agg(${row}, ',' ORDER BY ${row}), '')) FROM billing.${name} t) AS ${resource}`;
}

/** Where two sums of the mirrored tables differ. */
export const differing = (
  before: { [table: string]: string },
  after: { [table: string]: string },
): string[] =>
  Object.keys(before).flatMap((table) =>
    before[table] === after[table] ? [] : `${table}: ${before[table]} became ${after[table]}`,
  );

/** A signature as Stripe makes it. */
export function sign(body: Uint8Array | string, secret: string, at: number | string): string {
  const mac = createHmac("sha256", secret).update(`${at}.`).update(body).digest("hex");
  return `t=${at},v1=${mac}`;
}

export const seconds = (): number => Math.floor(Date.now() / 1000);
