/**
 * backend-billing on Node and PostgreSQL, variant B, with its defaults. Of its scheduled jobs only
 * the one that finishes work left behind is on: the others would repair what a scenario breaks.
 */
import pg from "pg";
import { PgBoss } from "pg-boss";
import { BillingError } from "../../../packages/backend-billing/src/core/runtime/errors.js";
import type {
  BillingExports,
  Queryable,
} from "../../../packages/backend-billing/src/postgres/index.js";
import { allFactsOf, type Json, type Kind } from "../harness/facts.js";
import { hearing, type News } from "../harness/hooks.js";
import { sleep } from "../harness/patience.js";
import type { Instance, Subject, Surroundings } from "../harness/subject.js";
import {
  answered,
  callsOf,
  caughtUp,
  checkoutArgs,
  installedBy,
  newsIn,
  OURS,
  PATIENCE,
  payArgs,
  type Reacted,
  subscribeArgs,
  unitsOf,
  usageCatalogue,
} from "./ours.js";

const RESOURCES = {
  customer: "customers",
  product: "products",
  price: "prices",
  subscription: "subscriptions",
  coupon: "coupons",
  promotion_code: "promotion_codes",
  payout: "payouts",
  refund: "refunds",
} as const satisfies { readonly [K in Kind]: string };

/** The job that its schedule would send. */
const CATCH_UP = "backend-billing-billing-catch-up";
const silent = { info() {}, warn() {}, error() {} };

/** Loaded when it is used, so that the other subjects do not depend on it. */
const library = () => import("../../../packages/backend-billing/src/postgres/index.js");

/** The application's own table, and what it writes there before it does anything else. */
const APPLICATION = "CREATE TABLE told (id serial PRIMARY KEY, news jsonb NOT NULL)";

function reactions(inbox: string | undefined) {
  const hear = hearing(inbox);
  if (hear === undefined) return {};
  const on =
    (name: News["name"]) =>
    async (event: Reacted, { tx }: { readonly tx: Queryable }) => {
      const news = newsIn(name, event);
      await tx.query("INSERT INTO told (news) VALUES ($1)", [JSON.stringify(news)]);
      await hear(news);
    };
  return {
    on: {
      "subscription.started": on("started"),
      "subscription.changed": on("changed"),
      "subscription.ended": on("ended"),
    },
  };
}

async function open(
  { url, stripe, secretKey, database, app, inbox, shop }: Surroundings,
  secrets: readonly string[],
) {
  const pool = new pg.Pool({ connectionString: database, max: 10 });
  pool.on("error", () => {}); // connections that the harness cuts off
  const { createBilling, createStripe } = await library();
  const config = {
    secret_key: secretKey,
    webhook_secret: secrets,
    db: pool,
    base_url: url,
    ...(app === undefined ? {} : { app }),
    stripe_options: stripe,
    logger: silent,
    ...reactions(inbox),
    ...(shop === undefined ? {} : { catalogue: await usageCatalogue() }),
  };
  return { pool, exports: createBilling(config), variantA: () => createStripe(config).stripe };
}

async function openBoss(database: string): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: database, max: 3 });
  boss.on("error", () => {});
  return boss.start();
}

/** Until nothing is left to ask, to refresh, to tell or to bill. */
async function settled(pool: pg.Pool): Promise<void> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const { rows } = await pool.query<{ left: boolean }>(
      `SELECT EXISTS (SELECT FROM billing.backend_billing_versions WHERE ask_at IS NOT NULL)
           OR EXISTS (SELECT FROM billing.backend_billing_records
                      WHERE kind = 'refresh' OR kind IN ('change', 'batch', 'credits') AND due IS NOT NULL)
           OR EXISTS (SELECT FROM billing.backend_billing_usage_records
                      WHERE billed AND batch IS NULL) AS left`,
    );
    if (rows[0]?.left === false) return;
    if (Date.now() > end) throw new Error(`It is still busy after ${PATIENCE / 1000} s`);
    await sleep(50);
  }
}

async function rowsOf({ store }: BillingExports, kind: Kind) {
  const objects: Json[] = [];
  for (let after = ""; ; ) {
    const page = await store.rows(RESOURCES[kind], after, 500);
    for (const { stripe } of page) if (stripe !== null) objects.push(stripe as unknown as Json);
    const last = page.at(-1);
    if (last === undefined) return objects.map((object) => allFactsOf(kind, object));
    after = last._id;
  }
}

export const oursPostgres: Subject = {
  name: "ours-postgres",
  title: "backend-billing, PostgreSQL",
  how: "variant B with its defaults and its background job on pg-boss",
  version: () => "this repository",
  ours: true,
  mirrors: Object.keys(RESOURCES) as Kind[],
  abilities: [
    ...OURS,
    "hooks",
    "hooks by name",
    "hooks in a transaction",
    "hooks that wait",
    "kill",
    "database outage",
  ],
  prepare: async (database) => {
    const pool = new pg.Pool({ connectionString: database });
    await (await library()).migrate(pool);
    await pool.query(APPLICATION);
    await pool.end();
    await (await openBoss(database)).stop({ graceful: false });
  },
  install: async (around) => {
    const { pool, exports } = await open(around, []);
    const { webhook } = await exports.sync({ data: false, webhook: true });
    await pool.end();
    return installedBy(webhook);
  },
  start: async (around, { secrets }): Promise<Instance> => {
    const { pool, exports, variantA } = await open(around, secrets);
    const { billing, sync, setup, checkout } = exports;
    const boss = await openBoss(around.database);
    await billing.addCronJobs(boss, { catchUp: false, reconcile: false });
    return {
      fetch: billing.fetch,
      rows: (kind) => rowsOf(exports, kind),
      settle: () => settled(pool),
      written: async () => {
        const { rows } = await pool.query<{ news: News }>("SELECT news FROM told ORDER BY id");
        return rows.map(({ news }) => news);
      },
      setAside: async () =>
        (await exports.store.records("aside", "", 100)).map(({ data }) => String(data.id)),
      backfill: () =>
        sync().then(
          ({ state }) => state === "done",
          (error: unknown) => {
            if (error instanceof BillingError && error.code === "run_failed") return false;
            throw error;
          },
        ),
      repair: async () => (await billing.reconcile()).state === "done",
      catchUp: () =>
        caughtUp(
          () => billing.runs(20),
          () => boss.send(CATCH_UP),
        ),
      owners: async () => {
        const { rows } = await pool.query<{ customer: string; entity: string }>(
          `SELECT customer_id AS customer, entity_id AS entity
             FROM billing.backend_billing_customers WHERE entity_id IS NOT NULL`,
        );
        return Object.fromEntries(rows.map(({ customer, entity }) => [customer, entity]));
      },
      setup: async (entity) => (await setup(entity)).customerId,
      subscribe: (order) =>
        order.idempotencyKey === undefined
          ? checkout(checkoutArgs(order))
          : variantA().subscribe({}, ...subscribeArgs(order)),
      changePlan: async ({ entityId, price }) =>
        answered(await billing.change({ entityId, priceId: price.id })),
      cancel: async ({ entityId }) => {
        await billing.cancel({ entityId });
        return {};
      },
      setSeats: async ({ entityId }, quantity) =>
        answered(await billing.change({ entityId, quantity })),
      comeBack: async (link) => {
        await billing.fetch(new Request(link));
      },
      take: async (units) => (await exports.store.consume(unitsOf(units))).allowed,
      takeInVain: async (units) => {
        const client = await pool.connect();
        await client.query("BEGIN");
        await exports.store.in(client).consume(unitsOf(units));
        await client.query("ROLLBACK");
        client.release();
      },
      left: async (entityId) => (await exports.store.usageOf(entityId)).units?.remaining ?? 0,
      give: async (units, lasting) => {
        await exports.store.grant({ ...unitsOf(units), expiresAt: Date.now() + lasting });
      },
      buyPack: (order) => billing.pay(payArgs(order)),
      use: async (units) => {
        await exports.store.consume(callsOf(units));
      },
      endpoint: async () => {
        await sync({ data: false, webhook: true });
      },
      close: async () => {
        await boss.stop({ graceful: false });
        await pool.end();
      },
    };
  },
};
