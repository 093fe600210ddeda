/**
 * A random but repeatable life of people who buy things, full of personal data, at an application
 * where everything fails now and then. For the test that none of it is told.
 */
import pg from "pg";
import { expect } from "vitest";
import { stream } from "../../../stripe-double/src/world/random.js";
import { createBilling, type PoolLike, type PostgresConfig } from "../../src/postgres/index.js";
import type { Fault } from "../../src/testing/index.js";
import type { App } from "./service/kit.js";
import { post } from "./service/webhook-kit.js";
import { callEach, calls, type Person, type Scene } from "./telemetry-calls.js";

/** Applications have been seen that take the email, or the name, for an id. */
function personOf(number: number): Person {
  const email = `ada.lovelace.${number}@private.example`;
  const name = `Ada Lovelace the ${number}th`;
  return {
    entityId: [email, name, `user_of_${email}`][number % 3] ?? email,
    email,
    name,
    phone: `+4915112340${1000 + number}`,
    street: `${number} Dorset Street`,
    note: `plays the harp ${number}`,
    wrong: `ada.lovelace.${number}(at)private.example`,
  };
}

const FAULTS: readonly Fault[] = [
  { fault: "rate_limited", rate: 0.03, reason: "endpoint-rate" },
  { fault: "lock_timeout", rate: 0.02 },
  { fault: "error_before", rate: 0.03 },
  { fault: "error_after", rate: 0.03 },
  { fault: "cut_after", rate: 0.02 },
  { fault: "doubled", rate: 0.2 },
  { fault: "lost", rate: 0.05 },
  { fault: "thin", rate: 0.2 },
  { fault: "shuffled", rate: 0.2, within: 4 },
  { fault: "old_version", rate: 0.1, version: "2024-06-20" },
];

const WRONG_KEY = "sk_test_wrongwrongwrongwrong1234";
const WRONG_DATABASE = "postgres://ada:hunter2hunter2@127.0.0.1:1/private_ledger";

/** How a violated constraint and a trigger's exception are logged. */
export const CHECKED = "SQLSTATE 23514";
export const RAISED = "error P0001";

export interface Life {
  /** Everything that must not be told. */
  readonly secrets: ReadonlySet<string>;
  /** What callers were told instead, and what the database said: it quotes. */
  readonly said: readonly string[];
}

/** @param heard All that was logged so far. */
export async function live(
  app: App,
  seed: string,
  steps: number,
  heard: () => readonly string[],
): Promise<Life> {
  const { double, stripe, b } = app;
  const next = stream(seed, "life");
  const below = (count: number) => Math.floor(next() * count);
  const people = Array.from({ length: 40 }, (_, number) => personOf(number));
  const someone = () => people[below(people.length)] ?? personOf(0);
  const said: string[] = [];
  const tried = async (work: () => unknown) => {
    try {
      await work();
    } catch (error) {
      const { message, cause, detail } = error as Error & { detail?: string };
      said.push(message, String(cause), String(detail));
    }
  };
  const customers = () => double.objects("customer");
  const one = <T>(all: readonly T[]): T | undefined => all[below(all.length)];
  const product = { name: "Engine" };
  const amount = { currency: "usd", unit_amount: 2_000, product_data: product };
  const recurring = await stripe.prices.create({ ...amount, recurring: { interval: "month" } });
  const single = await stripe.prices.create(amount);
  const urls = { success_url: `${app.url}/welcome`, cancel_url: `${app.url}/pricing` };
  const links = { successUrl: urls.success_url, cancelUrl: urls.cancel_url };
  double.dashboard.savePortalSettings();
  const scene: Scene = { app, someone, below, one, tried, heard };
  const subscribers = await callEach(scene);
  for (const fault of FAULTS) double.faults.add(fault);

  const acts: readonly (() => unknown)[] = [
    () => {
      const { entityId, email, note } = someone();
      return b.setup({ entityId, email, metadata: { note, [`${email} likes`]: note } });
    },
    () => b.setup({ entityId: `nobody ${someone().email}`, email: someone().wrong }),
    () => {
      const { name, phone, street, note } = someone();
      const address = { line1: street, city: "London", postal_code: "W1U 6HJ", country: "GB" };
      const shipping = { name, phone, address };
      const changes = { name, phone, address, shipping, description: note };
      return stripe.customers.update(one(customers())?.id ?? "cus_none", changes);
    },
    () => stripe.paymentMethods.attach("pm_card_visa", { customer: one(customers())?.id ?? "" }),
    () => (below(5) ? undefined : stripe.customers.del(one(customers())?.id ?? "")),
    () => b.checkout({ entityId: someone().entityId, priceId: recurring.id, ...links }),
    () => b.checkout({ entityId: someone().entityId, priceId: someone().name, ...links }),
    () =>
      b.checkout({
        entityId: someone().entityId,
        priceId: "x",
        ...links,
        successUrl: "https://stranger.example/?email=ada",
      }),
    () => b.portal({ entityId: someone().entityId, returnUrl: `${app.url}/account` }),
    () => b.portal({ entityId: `nobody ${someone().email}`, returnUrl: `${app.url}/account` }),
    () => {
      const { entityId, email, note } = someone();
      const line_items = [{ price: single.id, quantity: 1 }];
      const order = { referenceId: `order of ${email}`, metadata: { note }, line_items, ...urls };
      return app.a.stripe.pay({}, { entityId, mode: "payment", ...order });
    },
    () => {
      const open = double.objects("checkout.session").filter(({ status }) => status === "open");
      const session = one(open);
      if (session) double.dashboard.payCheckout(session.id, { email: someone().email });
    },
    () => {
      const { success_url } = one(double.objects("checkout.session")) ?? {};
      return success_url && fetch(success_url, { redirect: "manual" });
    },
    () => fetch(`${app.url}/stripe/return/checkout?data=${someone().email}&signature=x`),
    () => double.clock.advance({ hours: below(60) }),
    () => double.settle(),
    ...calls(scene, subscribers),
  ];
  for (let step = 0; step < steps; step++) await tried(one(acts) ?? (() => {}));

  // Everything at once that fails for other reasons than Stripe's.
  await breakThings(app, someone, tried, heard);
  await tried(() => b.sync());
  await tried(() => b.billing.reconcile());
  await tried(() => b.billing.verify());
  double.faults.clear();
  await double.clock.advance({ days: 1 });
  // The background reads what was asked about.
  await expect
    .poll(() => heard().some((line) => line.includes("An object was read from Stripe")))
    .toBe(true);
  return { secrets: secretsOf(app, people), said };
}

async function breakThings(
  app: App,
  someone: () => Person,
  tried: (work: () => unknown) => Promise<void>,
  heard: () => readonly string[],
): Promise<void> {
  const { schema, config, b, stripe, double } = app;
  const table = `${schema}.backend_billing_customers`;
  const welcome = async (number: string) => {
    const { entityId, email, note } = someone();
    const metadata = { note, entityId: `${entityId} ${number}` };
    await tried(() => b.setup({ entityId: metadata.entityId, email, metadata: { note } }));
    await tried(() => stripe.customers.create({ email, metadata }));
    await double.settle();
    // The same as a caller would hear it, to know that it quotes.
    const row = JSON.stringify({ id: "cus_0", email, metadata });
    const columns = "customer_id, entity_id, stripe, last_synced_at";
    await tried(() =>
      app.pool.query(`INSERT INTO ${table} (${columns}) VALUES ('c', 'e', $1, 0)`, [row]),
    );
  };
  /**
   * People are welcomed until the refusal was logged: an event may be lost, or only cause a question
   * whose answer comes later. A page that fails is tried again, so it must succeed after a while.
   */
  const refused = async (number: string, refusal: string, lift: string) => {
    const wasLogged = () => heard().some((line) => line.includes(refusal));
    const syncing = tried(() => b.sync());
    await expect
      .poll(() => welcome(number).then(wasLogged), { interval: 200, message: refusal })
      .toBe(true);
    await app.sql(lift);
    await syncing;
  };
  await app.sql(`ALTER TABLE ${table} ADD CONSTRAINT nobody CHECK (stripe IS NULL) NOT VALID`);
  await refused("checked", CHECKED, `ALTER TABLE ${table} DROP CONSTRAINT nobody`);
  await app.sql(`CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'not %', NEW.stripe->>'email'; END $$`);
  await app.sql(`CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON ${table}
    FOR EACH ROW EXECUTE FUNCTION ${schema}.refuse()`);
  await refused("triggered", RAISED, `DROP TRIGGER refuse ON ${table}`);

  const { email, entityId } = someone();
  const body = {
    id: "evt_1",
    object: "event",
    type: "customer.created",
    created: 1,
    livemode: true,
  };
  const data = { object: { id: "cus_1", object: "customer", email, metadata: { entityId } } };
  await tried(() => post(app, JSON.stringify({ ...body, data }), { secret: "whsec_stranger" }));
  await tried(() => post(app, JSON.stringify({ ...body, data })));
  await tried(() => post(app, JSON.stringify({ ...body, data, account: "acct_1" })));
  await tried(() => post(app, `${email} is not JSON`));

  const pool = new pg.Pool({ connectionString: WRONG_DATABASE });
  const rude: PoolLike = {
    query: () => Promise.reject(new Error(`cannot reach ${WRONG_DATABASE} for ${email}`)),
    connect: () => Promise.reject(new SyntaxError(`Unexpected token in ${email}`)),
  };
  const others: readonly Partial<PostgresConfig>[] = [
    { secret_key: WRONG_KEY },
    { secret_key: undefined },
    { webhook_secret: undefined },
    { db: pool },
    { db: rude },
  ];
  for (const other of others) {
    const broken = createBilling({ ...config, ...other, concurrency: 1 });
    await tried(() => broken.setup({ entityId: `new ${email}`, email }));
    await tried(() => broken.portal({ entityId, returnUrl: `${app.url}/account` }));
    if (other.db === undefined) await tried(() => broken.sync());
    double.answer(app.url, broken.billing.fetch);
    await tried(() => stripe.customers.create({ email, metadata: { entityId } }));
    await double.settle();
    await tried(async () => {
      const { success_url } = double.objects("checkout.session")[0] ?? {};
      await broken.billing.fetch(new Request(success_url ?? `${app.url}/stripe/return/x`));
    });
    double.answer(app.url, b.billing.fetch);
  }
  await pool.end();
}

/** Keys whose values are somebody's own, or open a door. */
const PRIVATE =
  /^(name|email|phone|line1|city|postal_code|description|note|entityId|client_secret|secret|digest|url|\w*_url|invoice_pdf|customer_(email|name|phone)|receipt_email|fingerprint|client_reference_id|referenceId)$/;

function secretsOf(app: App, people: readonly Person[]): ReadonlySet<string> {
  const secrets = new Set<string>([app.secret, app.double.secretKey, WRONG_KEY, WRONG_DATABASE]);
  const { connectionString = "" } = app.pool.options as { connectionString?: string };
  for (const word of [connectionString, "hunter2hunter2", "private_ledger"]) secrets.add(word);
  for (const person of people) for (const value of Object.values(person)) secrets.add(value);
  const walk = (value: unknown, key: string): void => {
    if (typeof value === "string") {
      if (PRIVATE.test(key) && value.length > 5) secrets.add(value);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) walk(inner, name);
    }
  };
  walk(JSON.parse(app.double.dump()), "");
  // A link holds another; its signature must not be told either.
  for (const value of [...secrets]) {
    const signature = /signature=([\w-]+)/.exec(value)?.[1];
    if (signature !== undefined) secrets.add(signature);
  }
  secrets.delete("");
  return secrets;
}
