// What an application writes under `on`: told from the rows, whatever brought them, each once.
import { expect, it } from "vitest";
import type { PostgresConfig, Queryable, Reactions } from "../../../src/postgres/index.js";
import { createBilling } from "../../../src/postgres/index.js";
import { type App, applications, billingError, eventually } from "../service/kit.js";

const openApp = applications();

type Line = { name: string; entity: string | null; key: string };

/** Handlers that write down what they are told, in a table of the application's own. */
const writing = (...names: readonly string[]): Reactions<Queryable> =>
  Object.fromEntries(
    names.map((name) => [
      name,
      async (event: { entityId: string; key: string }, { tx }: { tx: Queryable }) => {
        await tx.query("INSERT INTO told (name, entity, key) VALUES ($1, $2, $3)", [
          name,
          event.entityId,
          event.key,
        ]);
      },
    ]),
  );

const OF_SUBSCRIPTIONS = [
  "access.granted",
  "access.lost",
  "subscription.started",
  "subscription.ended",
  "subscription.canceling",
  "subscription.kept",
  "customer.linked",
  "invoice.paid",
] as const;

async function open(on: Reactions<Queryable>, config: Partial<PostgresConfig> = {}): Promise<App> {
  const app = await openApp({ config: { on, ...config } });
  await app.pool.query(
    "DROP TABLE IF EXISTS told; CREATE TABLE told (n serial, name text, entity text, key text)",
  );
  return app;
}

const toldIn = (app: App) => app.sql<Line>("SELECT name, entity, key FROM told ORDER BY n");
const namesIn = async (app: App) => (await toldIn(app)).map(({ name }) => name);

async function price(app: App) {
  const product = await app.stripe.products.create({ name: "Pro" });
  return app.stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 1000,
    recurring: { interval: "month" },
  });
}

async function subscribe(app: App, entityId: string) {
  const { customerId } = await app.b.setup({ entityId });
  const { id } = await app.stripe.paymentMethods.attach("pm_card_visa", { customer: customerId });
  await app.stripe.customers.update(customerId, {
    invoice_settings: { default_payment_method: id },
  });
  const { id: priceId } = await price(app);
  return app.stripe.subscriptions.create({ customer: customerId, items: [{ price: priceId }] });
}

/** Until everything is delivered, every question answered, and every change told. */
async function settled(app: App): Promise<void> {
  await app.double.settle();
  await eventually(
    () =>
      app.sql(`SELECT 1 FROM ${app.schema}.backend_billing_versions WHERE ask_at IS NOT NULL
        UNION ALL SELECT 1 FROM ${app.schema}.backend_billing_records WHERE kind IN ('change', 'refresh')`),
    (left) => left.length === 0,
  );
}

it("a subscription's life is told once, in order, with its entity", async () => {
  const app = await open(writing(...OF_SUBSCRIPTIONS));
  const { id } = await subscribe(app, "user_1");
  await settled(app);
  const begun = await toldIn(app);
  expect(begun.map(({ name }) => name).sort()).toEqual([
    "access.granted",
    "customer.linked",
    "invoice.paid",
    "subscription.started",
  ]);
  expect(new Set(begun.map(({ entity }) => entity))).toEqual(new Set(["user_1"]));
  expect(new Set(begun.map(({ key }) => key)).size).toBe(begun.length);
  await app.b.billing.cancel({ entityId: "user_1" });
  await app.b.billing.resume({ entityId: "user_1" });
  await settled(app);
  await app.stripe.subscriptions.cancel(id);
  await settled(app);
  expect((await namesIn(app)).slice(begun.length)).toEqual([
    "subscription.canceling",
    "subscription.kept",
    "subscription.ended",
    "access.lost",
  ]);
  await app.b.sync();
  await app.b.billing.reconcile();
  await settled(app);
  expect(await namesIn(app)).toHaveLength(begun.length + 4);
});

it("what a first listing finds is silent, and told with `initial_events`", async () => {
  for (const initial of [false, true]) {
    const app = await openApp({ endpoint: false });
    const customer = await app.stripe.customers.create({ metadata: { entityId: "team_1" } });
    const { id } = await app.stripe.paymentMethods.attach("pm_card_visa", {
      customer: customer.id,
    });
    await app.stripe.subscriptions.create({
      customer: customer.id,
      default_payment_method: id,
      items: [{ price: (await price(app)).id }],
    });
    const on = writing(...OF_SUBSCRIPTIONS);
    await app.pool.query(
      "DROP TABLE IF EXISTS told; CREATE TABLE told (n serial, name text, entity text, key text)",
    );
    const b = createBilling({ ...app.config, on, initial_events: initial });
    await b.sync();
    await b.billing.tick();
    await settled(app);
    expect((await namesIn(app)).sort()).toEqual(
      initial ? ["access.granted", "customer.linked", "invoice.paid", "subscription.started"] : [],
    );
    await b.billing.close();
  }
});

it("names that could never be told are refused", async () => {
  const app = await openApp({ endpoint: false });
  const wrong = (on: object, config: Partial<PostgresConfig> = {}) =>
    billingError((async () => createBilling({ ...app.config, ...config, on } as PostgresConfig))());
  const handler = async () => {};
  expect(await wrong({ "subscription.begun": handler })).toMatchObject({ code: "invalid_config" });
  expect((await wrong({ change: { radar: handler } })).message).toContain("not in the catalogue");
  expect(
    (await wrong({ "refund.created": handler }, { resources: ["customers"] })).message,
  ).toContain("refunds and charges");
  expect((await wrong({ stripe: { "invoice.paid": handler } })).message).toContain("on.change");
});
