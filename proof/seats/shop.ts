/** Teams that pay per seat: at a double, in the application's table of members, and in the library's. */
import type pg from "pg";
import Stripe from "stripe";
import { createBilling } from "../../packages/backend-billing/src/postgres/index.js";
import type { StripeDouble } from "../../packages/backend-billing/src/testing/index.js";

const BASE = "https://app.example";
/** Members of each team at first. */
const MEMBERS = 5;

export type Shop = Awaited<ReturnType<typeof openShop>>;

export async function openShop(
  double: StripeDouble,
  pool: pg.Pool,
  entities: readonly string[],
  timing: { readonly seatsDelay?: number },
) {
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const secrets: string[] = [];
  const config = {
    secret_key: double.secretKey,
    webhook_secret: "whsec_unused",
    base_url: BASE,
    timing,
    stripe_options: double.stripeConfig,
  };
  // It takes the webhooks, and counts no seats: that is left to the processes that are killed.
  const app = createBilling({ ...config, webhook_secret: secrets, db: pool });
  await app.store.migrate();
  await pool.query("CREATE TABLE changes (id int PRIMARY KEY)");
  await pool.query("CREATE TABLE members (id bigserial PRIMARY KEY, team text NOT NULL)");
  await pool.query("CREATE INDEX ON members (team)");
  double.answer(BASE, app.billing.fetch);
  const report = await app.sync({ data: true, webhook: true });
  if (report.webhook?.secret) secrets.push(report.webhook.secret);

  const metadata = { billing_per_seat: "true" };
  const product = await stripe.products.create({ name: "Team", metadata });
  const price = await stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 1_000,
    recurring: { interval: "month" },
  });
  const subscriptions = new Map<string, string>();
  for (const entityId of entities) {
    const { customerId: customer } = await app.setup({ entityId });
    const card = await stripe.paymentMethods.attach("pm_card_visa", { customer });
    const items = [{ price: price.id, quantity: MEMBERS }];
    const made = await stripe.subscriptions.create({
      customer,
      default_payment_method: card.id,
      items,
    });
    subscriptions.set(entityId, made.id);
    await app.billing.refresh({ entityId });
    await pool.query("INSERT INTO members (team) SELECT $1 FROM generate_series(1, $2)", [
      entityId,
      MEMBERS,
    ]);
  }
  await double.settle();

  return {
    config,
    stripe,
    subscriptions,
    /** How many have their seats still to be counted. */
    outstanding: async () => (await app.store.records("seats", "", 1_000)).length,
    changes: async () => Number((await pool.query("SELECT count(*) FROM changes")).rows[0].count),
    /** Where Stripe has not as many seats as there are members, and the tables not as many as Stripe. */
    async differences(): Promise<{ readonly atStripe: string[]; readonly inTables: string[] }> {
      const counted = await pool.query("SELECT team, count(*) FROM members GROUP BY team");
      const seats = new Map(counted.rows.map(({ team, count }) => [team, Number(count)]));
      const [atStripe, inTables]: [string[], string[]] = [[], []];
      for (const [entityId, id] of subscriptions) {
        const members = seats.get(entityId) ?? 0;
        const wanted = Math.max(1, members);
        const { quantity } = (await stripe.subscriptions.retrieve(id)).items.data[0] ?? {};
        const known = (await app.store.subscriptionOf(entityId))?.quantity;
        if (quantity !== wanted) {
          atStripe.push(`${entityId} has ${members} members, and ${quantity} seats at Stripe`);
        }
        if (known !== quantity) {
          inTables.push(`${entityId} has ${quantity} seats at Stripe, and ${known} in the tables`);
        }
      }
      return { atStripe, inTables };
    },
    close: () => app.billing.close(),
  };
}
