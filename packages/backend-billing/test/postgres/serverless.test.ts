// A serverless host freezes a process as soon as it has answered, and may never wake it again. Nothing may be
// lost by that: only the route of the schedule does what is left, and no event is read from Stripe's list.
// `npm run test:serverless` plays a longer history; SERVERLESS_SEED another one.
// @module-tag slow
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { expectMirrored } from "../../../../support/everything/equality.js";
import { contentsOf } from "../../../../support/everything/on-store.js";
import { PATIENCE } from "../../../../support/patience.js";
import { createPatientDouble } from "../../../../support/patient-double.js";
import {
  createDatabase,
  createPool,
  directly,
  type TestDatabase,
} from "../../../../support/postgres/database.js";
import { stream } from "../../../stripe-double/src/world/random.js";
import type { ResourceName } from "../../src/core/catalogue/catalogue.js";
import { createBilling } from "../../src/postgres/index.js";
import { createHistory } from "./serverless/history.js";
import { startHost } from "./serverless/host.js";
import { CRON_SECRET, catalogue, ORIGIN } from "./serverless/shop.js";

const STEPS = Number(process.env.SERVERLESS_STEPS ?? 15);
const SEED = process.env.SERVERLESS_SEED ?? "1";
const DAY = 24 * 60 * 60_000;
/** Milliseconds for a history: of its steps one in ten starts a process. */
const LONGEST = PATIENCE + STEPS * 10_000;
/** Nothing is read from Stripe's list of events, nor compared: what a webhook loses stays lost. */
const timing = { catchUpEvery: 1_000 * DAY, reconcileEvery: 1_000 * DAY, refreshDelay: 200 };
const compared = [
  ...(["products", "prices", "customers", "subscriptions"] as const),
  ...(["invoices", "checkout_sessions", "payment_intents", "payment_methods"] as const),
];

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

async function open(options: { seed: string; isFaulty?: boolean; kills: number }) {
  const { seed, isFaulty = false, kills } = options;
  const next = stream("serverless", seed);
  const url = directly(database.url, "processes whose own connections are ended");
  const schema = `app_${seed.replace(/\W/g, "_")}`;
  const pool = createPool(url, { options: "-c idle_session_timeout=0" });
  await pool.query("CREATE TABLE IF NOT EXISTS told (n serial, name text, key text)");
  await pool.query("TRUNCATE told");
  // What is frozen loses its connections also by itself.
  const name = new URL(database.url).pathname.slice(1);
  await pool.query(`ALTER DATABASE ${name} SET idle_session_timeout = '2s'`);
  const double = await createPatientDouble({ seed, delivery: "held", catalogue });
  const config = {
    secret_key: double.secretKey,
    base_url: ORIGIN,
    schema,
    timing,
    cron_secret: CRON_SECRET,
    stripe_options: double.stripeConfig,
  };
  // The parent's own: it prepares, and looks at the end.
  const own = createBilling({
    ...config,
    webhook_secret: "whsec_none",
    db: pool,
    background: false,
    catalogue,
  });
  await own.store.migrate();
  const { webhook } = await own.sync({ data: true, webhook: true });
  const secret = { webhook_secret: webhook?.secret };
  const host = startHost(
    { database: url, config: { ...config, ...secret }, isFaulty },
    2,
    () => next() < kills,
  );
  double.answer(ORIGIN, host.fetch);
  onTestFinished(async () => {
    await host.close();
    await own.billing.close();
    await pool.end();
    await double.close();
  });
  const isKnown = async (id: string) =>
    (await own.store.row("subscriptions", id))?.stripe?.status === "active";
  const history = createHistory({ double, host, pool, next, isKnown });
  const count = async (sql: string) =>
    Number((await pool.query(`SELECT count(*) AS n ${sql}`)).rows[0].n);
  const due = async () =>
    (await count(`FROM ${schema}.backend_billing_versions WHERE ask_at IS NOT NULL`)) +
    (await count(`FROM ${schema}.backend_billing_usage_records WHERE billed AND batch IS NULL`)) +
    (await count(`FROM ${schema}.backend_billing_records WHERE due IS NOT NULL
      AND kind IN ('change', 'refresh', 'claim', 'batch', 'credits', 'seats')`));
  /** Until every event is delivered and nothing is left to do. */
  const settle = async () => {
    let [least, since] = [Number.POSITIVE_INFINITY, Date.now()];
    while (Date.now() < since + PATIENCE) {
      await history.deliver(50);
      const { more } = await history.tick();
      const left = double.deliveries.held().length + (await due());
      if (more === false && left === 0) return;
      if (left < least) [least, since] = [left, Date.now()];
    }
    const { rows } = await pool.query(`SELECT kind, id, due, left(data::text, 200) AS data
      FROM ${schema}.backend_billing_records WHERE due IS NOT NULL AND kind NOT IN ('lapse', 'setting')
      UNION ALL SELECT 'ask', resource || ' ' || id, ask_at, NULL FROM ${schema}.backend_billing_versions
      WHERE ask_at IS NOT NULL`);
    const held = double.deliveries.held().length;
    throw new Error(
      `${await due()} are left to do at ${Date.now()}, ${held} to deliver: ${JSON.stringify(rows)}`,
    );
  };
  /** Stripe tells by no event that a customer's next invoice has another number. */
  const contents = async (resource: ResourceName) => {
    const ours = await contentsOf(own.store, resource);
    for (const { id, next_invoice_sequence } of double.objects("customer")) {
      const row = ours.get(id);
      if (row !== undefined) ours.set(id, { ...row, next_invoice_sequence });
    }
    return ours;
  };
  const expectEqual = () => expectMirrored(double, compared, contents);
  return { ...history, double, host, pool, own, settle, expectEqual };
}

describe("processes that are frozen once they have answered", () => {
  it("lose nothing, and tell everything once", { timeout: LONGEST }, async () => {
    const app = await open({ seed: SEED, kills: 0.1 });
    await app.begin();
    for (let n = 0; n < STEPS; n++) await app.step();
    await app.settle();
    expect(app.host.crashes).toEqual([]);
    await app.expectEqual();

    const told = await app.pool.query<{ name: string; key: string }>("SELECT name, key FROM told");
    expect(new Set(told.rows.map(({ name, key }) => `${name} ${key}`)).size).toBe(told.rows.length);
    const times = (name: string) => told.rows.filter((each) => each.name === name).length;
    const subscriptions = app.double.objects("subscription");
    expect(app.used.get("org_0")).toBeGreaterThan(0);
    const ended = subscriptions.filter(({ status }) => status === "canceled");
    expect({
      linked: times("customer.linked"),
      started: times("subscription.started"),
      ended: times("subscription.ended"),
    }).toEqual({
      linked: app.double.objects("customer").length,
      started: subscriptions.length,
      ended: ended.length,
    });

    const [meter] = (await app.stripe.billing.meters.list()).data;
    const today = Math.floor(Date.now() / DAY) * (DAY / 1000);
    const span = { start_time: today - DAY / 1000, end_time: today + (2 * DAY) / 1000 };
    for (const [entityId, amount] of app.used) {
      const { customerId: customer = "" } = (await app.own.store.customerOf(entityId)) ?? {};
      const counted = async () => {
        const { data } = await app.stripe.billing.meters.listEventSummaries(meter?.id ?? "", {
          customer,
          ...span,
        });
        return data.reduce((sum, { aggregated_value }) => sum + aggregated_value, 0);
      };
      // Stripe counts a while after it has taken something.
      await expect.poll(counted, { message: entityId }).toBe(amount);
    }
    const { answers, kills } = app.host.counts;
    const taken = [...app.used.values()].reduce((all, each) => all + each, 0);
    console.log(
      `${STEPS} steps: ${answers} answers, each followed by a freeze or one of ${kills} kills; ${subscriptions.length} subscriptions, ${told.rows.length} told, ${taken} calls taken`,
    );
  });

  it("would be found to lose events if they answered before they store", async () => {
    const app = await open({ seed: "faulty", isFaulty: true, kills: 0.5 });
    for (let n = 0; n < 8; n++) {
      await app.stripe.customers.create({ name: `n${n}` });
      await app.deliver(5);
    }
    await app.settle();
    await expect(app.expectEqual()).rejects.toThrow("customers");
  });
});
