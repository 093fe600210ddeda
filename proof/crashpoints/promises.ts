/** What must be so when everything has come to rest, whatever was stopped where. Answers what is not. */
import { isDeepStrictEqual } from "node:util";
import { contentsIn } from "./contents.js";
import { customersOf, type Expected, made } from "./operations.js";
import type { App, World } from "./world.js";

const count = async (world: World, text: string, values: readonly unknown[] = []) =>
  Number((await world.pool.query(text, [...values])).rows[0]?.count ?? 0);

export async function brokenFor(
  world: World,
  app: App,
  entityId: string,
  expected: Expected,
): Promise<readonly string[]> {
  const broken: string[] = [];
  const same = (what: string, is: unknown, should: unknown) => {
    if (!isDeepStrictEqual(is, should)) {
      broken.push(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(should)}`);
    }
  };
  const customers = customersOf(world, entityId);
  const link = await app.store.customerOf(entityId);
  if (customers.length > 1) broken.push(`${customers.length} customers`);
  same("the link", link?.customerId, customers[0]?.id);
  const customerId = customers[0]?.id ?? made.get(entityId) ?? "";
  const own = world.double
    .objects("subscription")
    .filter(({ customer, status }) => customer === customerId && status !== "canceled");
  same("subscriptions", own.length, expected.subscriptions ?? 0);
  if (expected.isErased) {
    same("customers", customers.length, 0);
    same("rows with its id", await rowsWith(world, entityId), []);
  }
  const told = (name: string) =>
    count(world, "SELECT count(*) FROM told WHERE entity = $1 AND name = $2", [entityId, name]);
  same("starts told", await told("started"), expected.started ?? 0);
  same("payments told", await told("paid"), expected.paid ?? 0);
  if (expected.plan !== undefined)
    same("the plan", await app.store.planOf(entityId), expected.plan);
  if (expected.credits !== undefined) {
    const { credits } = await app.store.usageOf(entityId);
    same("credits", credits.remaining, expected.credits);
  }
  if (expected.metered !== undefined) {
    const sum = await metered(world, customerId);
    same("units at Stripe", sum, expected.metered);
  }
  const [subscription] = own;
  if (subscription !== undefined) {
    const { items, cancel_at_period_end, cancel_at } = subscription;
    if (expected.quantity !== undefined) {
      same("the quantity", items.data[0]?.quantity, expected.quantity);
    }
    same("ending", cancel_at_period_end || cancel_at !== null, expected.isEnding ?? false);
  }
  return broken;
}

/** Rows of the library in which a text is. */
async function rowsWith({ pool }: World, text: string): Promise<readonly string[]> {
  const tables = await pool.query(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'billing'",
  );
  const found: string[] = [];
  for (const { name } of tables.rows) {
    const rows = `SELECT left(t::text, 120) AS row FROM billing."${name}" AS t WHERE position($1 IN t::text) > 0`;
    for (const { row } of (await pool.query(rows, [text])).rows) found.push(`${name} ${row}`);
  }
  return found;
}

/** Units of a customer that Stripe's meter has counted. */
async function metered({ stripe, double }: World, customer: string): Promise<number> {
  const [meter] = (await stripe.billing.meters.list()).data;
  const minute = (seconds: number) => Math.ceil(seconds / 60) * 60;
  const now = double.clock.seconds();
  const { data } = await stripe.billing.meters.listEventSummaries(meter?.id ?? "", {
    customer,
    start_time: minute(now - 40 * 86_400),
    end_time: minute(now),
  });
  return data.reduce((sum, { aggregated_value }) => sum + aggregated_value, 0);
}

/** Of the whole account. */
export async function brokenAtAll(world: World, app: App): Promise<readonly string[]> {
  const broken = await contentsIn(world, app);
  const parked = await world.pool.query(
    `SELECT kind, id, data FROM billing.backend_billing_records
     WHERE kind NOT IN ('setting', 'run') AND data ? 'problem'`,
  );
  return [...broken, ...parked.rows.map(({ kind, id }) => `${kind} ${id} is parked`)];
}
