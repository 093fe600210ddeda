/** What the tests of reactions share: handlers that write down what they are told, and lives to tell of. */
import type { PostgresConfig, Queryable, Reactions } from "../../../src/postgres/index.js";
import { type App, type AppOptions, eventually } from "../service/kit.js";

/** Handlers that write down what they are told, in a table of the application's own. */
export const writing = (...names: readonly string[]): Reactions<Queryable> =>
  Object.fromEntries(names.map((name) => [name, writer(name)]));

export const writer =
  (name: string) =>
  async (event: { entityId?: string | null; key: string }, { tx }: { tx: Queryable }) => {
    await tx.query("INSERT INTO told (name, entity, key) VALUES ($1, $2, $3)", [
      name,
      event.entityId,
      event.key,
    ]);
  };

type Open = (options?: AppOptions) => Promise<App>;

/** An application with these handlers, and the table that they write to. */
export async function opened(
  openApp: Open,
  config: Partial<PostgresConfig>,
  options: AppOptions = {},
): Promise<App> {
  const app = await openApp({ ...options, config });
  await app.pool.query(
    "DROP TABLE IF EXISTS told; CREATE TABLE told (n serial, name text, entity text, key text)",
  );
  return app;
}

export const toldIn = (app: App) =>
  app.sql<{ name: string; entity: string | null; key: string }>(
    "SELECT name, entity, key FROM told ORDER BY n",
  );

export const namesIn = async (app: App) => (await toldIn(app)).map(({ name }) => name);

export const changesLeft = (app: App) =>
  app.sql<{ ref: string; due: string | null }>(
    `SELECT ref, due FROM ${app.schema}.backend_billing_records WHERE kind = 'change' ORDER BY id`,
  );

/** Until everything is delivered, every question answered, and every change told. */
export async function settled(app: App): Promise<void> {
  await app.double.settle();
  await eventually(
    () =>
      app.sql(`SELECT 1 FROM ${app.schema}.backend_billing_versions WHERE ask_at IS NOT NULL
        UNION ALL SELECT 1 FROM ${app.schema}.backend_billing_records WHERE kind IN ('change', 'refresh')`),
    (left) => left.length === 0,
  );
}

export async function priceOf(app: App): Promise<string> {
  const product = await app.stripe.products.create({ name: "Pro" });
  const price = await app.stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 1000,
    recurring: { interval: "month" },
  });
  return price.id;
}

/** A customer at Stripe that pays with a card; with an entity's id, if it is to be found. */
export async function payingCustomer(app: App, entityId?: string): Promise<string> {
  const { id } = await app.stripe.customers.create(
    entityId === undefined ? {} : { metadata: { entityId } },
  );
  await withCard(app, id);
  return id;
}

async function withCard(app: App, customer: string): Promise<void> {
  const { id } = await app.stripe.paymentMethods.attach("pm_card_visa", { customer });
  await app.stripe.customers.update(customer, {
    invoice_settings: { default_payment_method: id },
  });
}

/** A subscription of an entity that pays with a card. */
export async function subscribe(app: App, entityId: string) {
  const { customerId } = await app.b.setup({ entityId });
  await withCard(app, customerId);
  return app.stripe.subscriptions.create({
    customer: customerId,
    items: [{ price: await priceOf(app) }],
  });
}
