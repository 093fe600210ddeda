/** What is wrong in the end: the mirror beside Stripe, and the tables beside what callers were answered. */
import { isDeepStrictEqual } from "node:util";
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { StripeDouble } from "../../packages/backend-billing/src/testing/index.js";
import { idsAtStripe, stripePath } from "../../support/stripe-path.js";
import { verify as verifyUsage } from "../usage/verify.js";
import type { Load } from "./load.js";
import type { Shop } from "./shop.js";

const COMPARED: readonly ResourceName[] = [
  ...(["products", "prices", "customers", "subscriptions", "invoices"] as const),
  ...(["checkout_sessions", "payment_intents", "charges"] as const),
];

/** Objects that the mirror lacks, has otherwise, or has though Stripe does not. */
export async function differences({ double, first }: Shop): Promise<string[]> {
  const wrong: string[] = [];
  for (const resource of COMPARED) {
    const { rows } = await first.pool.query<{ stripe: Content }>(
      `SELECT stripe FROM billing.backend_billing_${resource} WHERE stripe IS NOT NULL`,
    );
    const ours = new Map(rows.map(({ stripe }) => [stripe.id, stripe]));
    for (const id of idsAtStripe(double, resource)) {
      const own = ours.get(id);
      ours.delete(id);
      if (own === undefined) wrong.push(`${resource} ${id} is missing`);
      else if (!isDeepStrictEqual(told(own), told(await atStripe(double, resource, id)))) {
        wrong.push(`${resource} ${id} is another`);
      }
    }
    for (const id of ours.keys()) wrong.push(`${resource} ${id} is not at Stripe`);
  }
  return wrong;
}

interface Content {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** No event tells the number of a customer's next invoice. */
const told = ({ next_invoice_sequence: _, ...rest }: Content) => rest;

async function atStripe(
  { url, secretKey, apiVersion }: StripeDouble,
  resource: ResourceName,
  id: string,
): Promise<Content> {
  const headers = { Authorization: `Bearer ${secretKey}`, "Stripe-Version": apiVersion };
  return (await fetch(`${url}/v1/${stripePath(resource)}/${id}`, { headers })).json() as never;
}

/** Events that were answered by 2xx and are not in the database. */
export async function lostEvents({ acknowledged, first, double }: Shop): Promise<string[]> {
  const { rows } = await first.pool.query<{ id: string }>(
    "SELECT event_id AS id FROM billing.backend_billing_receipts",
  );
  const known = new Set(rows.map(({ id }) => id));
  const mirrored = new Set(COMPARED.flatMap((resource) => idsAtStripe(double, resource)));
  const about = new Map(
    (await listed(double)).map(({ id, data }) => [id, (data as { object: Content }).object.id]),
  );
  return [...acknowledged]
    .filter(([id, type]) => !known.has(id) && !isOther(type) && mirrored.has(about.get(id) ?? ""))
    .map(([id, type]) => `${id} ${type}`);
}

/** Plans are what prices were called, and nothing is mirrored from their events. */
const isOther = (type: string) => type.startsWith("plan.");

/** Stripe's own list of events. */
async function listed({ url, secretKey }: StripeDouble): Promise<Content[]> {
  const all: Content[] = [];
  for (;;) {
    const after = all.length > 0 ? `&starting_after=${all.at(-1)?.id}` : "";
    const answer = await fetch(`${url}/v1/events?limit=100${after}`, {
      headers: { Authorization: `Bearer ${secretKey}` },
    });
    const { data, has_more } = (await answer.json()) as { data: Content[]; has_more: boolean };
    all.push(...data);
    if (!has_more) return all;
  }
}

/** Uses that were answered with `allowed` and are not counted. */
export async function lostUses({ first }: Shop, { used }: Load): Promise<Load["used"]> {
  const { rows } = await first.pool.query<{ key: string; amount: string }>(
    "SELECT key, amount FROM billing.backend_billing_usage_records",
  );
  const counted = new Map(rows.map(({ key, amount }) => [key, Number(amount)]));
  return used.filter(({ key, amount }) => counted.get(key) !== amount);
}

/** Entities whose customer is not the one that they were told of, or that have two of something. */
export async function wrongEntities({ double, first }: Shop, load: Load): Promise<string[]> {
  const wrong: string[] = [];
  const made = counted(double.objects("customer").map(({ metadata }) => metadata.entityId ?? ""));
  const running = double.objects("subscription").filter(({ status }) => status === "active");
  const bought = counted(running.map(({ customer }) => String(customer)));
  for (const [entityId, customerId] of load.customers) {
    const own = made.get(entityId) ?? 0;
    if (own !== 1) wrong.push(`${entityId} has ${own} customers at Stripe`);
    const linked = (await first.store.customerOf(entityId))?.customerId;
    if (linked !== customerId) wrong.push(`${entityId} was told ${customerId}, has ${linked}`);
    const subscribed = bought.get(customerId) ?? 0;
    const wanted = load.buyers.has(entityId) ? 1 : 0;
    if (subscribed !== wanted) wrong.push(`${entityId} has ${subscribed} subscriptions`);
  }
  return wrong;
}

function counted(all: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}

/** Ledger and balances, and what the handlers wrote in the transactions of their tellings. */
export async function wrongBooks({ first, double }: Shop): Promise<string[]> {
  const wrong = await verifyUsage(first.pool);
  const { rows } = await first.pool.query<{ name: string; about: string; n: number }>(
    "SELECT name, about, count(*)::int AS n FROM told GROUP BY name, about",
  );
  for (const { name, about, n } of rows) {
    if (n !== 1) wrong.push(`${name} of ${about} is written ${n} times`);
  }
  const has = new Set(rows.map(({ name, about }) => `${name} ${about}`));
  for (const { id } of double.objects("subscription")) {
    if (!has.has(`subscription.started ${id}`)) wrong.push(`nothing told of ${id}`);
  }
  return wrong;
}

/** What Stripe's meter has counted of calls. To be asked at the end, for it moves Stripe's clock. */
export async function metered({ stripe, double }: Shop): Promise<number> {
  await double.clock.advance({ minutes: 2 }); // Stripe counts a while after it has taken something
  const [meter] = (await stripe.billing.meters.list()).data;
  const day = 86_400;
  const today = Math.floor(Date.now() / 1000 / day) * day;
  let sum = 0;
  for (const { id: customer } of double.objects("customer")) {
    const { data } = await stripe.billing.meters.listEventSummaries(meter?.id ?? "", {
      customer,
      start_time: today - day,
      end_time: today + 2 * day,
    });
    for (const { aggregated_value } of data) sum += aggregated_value;
  }
  return sum;
}
