// The end of an instance: after `close` nothing of it uses the pool.
import pg from "pg";
import { PgBoss } from "pg-boss";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLife } from "../../../src/node/life.js";
import { createBilling, createStripe } from "../../../src/postgres/index.js";
import { type App, applications, billingError, eventually, NOW } from "./kit.js";
import { event } from "./webhook-kit.js";

const open = applications();

/** An instance on a pool of its own that tells of every query. */
async function instance(options: Parameters<typeof open>[0] = {}) {
  const app = await open({ stripe: { now: NOW }, ...options });
  const pool = new pg.Pool(app.pool.options);
  const queries: string[] = [];
  const spied = new Proxy(pool, {
    get(target, name) {
      if (name === "query" || name === "connect") queries.push(String(name));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const lines: string[] = [];
  const note = (_: object, message: string) => void lines.push(message);
  const logger = { info: () => {}, warn: note, error: note };
  const config = { ...app.config, db: spied, logger };
  return { app, pool, queries, lines, config, ...createBilling(config) };
}

/** An event that leaves a question to be asked in the background. */
async function leaveAnAsk({ app, billing }: { app: App; billing: { fetch: typeof fetch } }) {
  const payload = JSON.stringify(event({ api_version: "2011-01-01" }));
  const secret = app.secret;
  const header = await app.stripe.webhooks.generateTestHeaderStringAsync({ payload, secret });
  const answer = await billing.fetch(
    new Request("https://app.example/stripe/webhook", {
      method: "POST",
      headers: { "Stripe-Signature": header },
      body: payload,
    }),
  );
  expect(answer.status).toBe(200);
}

describe("close", () => {
  it("ends what would have been done in the background, so that the pool can be ended", async () => {
    const { app, pool, queries, lines, billing } = await instance();
    await leaveAnAsk({ app, billing: billing as never });
    await billing.close();
    await pool.end();
    const before = queries.length;
    // Longer than the background waits before it looks.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(queries.length).toBe(before);
    expect(lines).toEqual([]);
  });

  it("may be called twice, and by both variants", async () => {
    const { pool, billing, config } = await instance();
    const { stripe } = createStripe(config);
    await Promise.all([billing.close(), billing.close(), stripe.close()]);
    await billing.close();
    await pool.end();
  });

  it("waits for a call that is under way", async () => {
    const { app, pool, billing, setup, lines } = await instance();
    app.double.faults.add({ fault: "latency", milliseconds: 300, on: "POST /v1/customers" });
    const made = setup({ entityId: "user_1" });
    await eventually(
      () => app.claim("user_1"),
      (claim) => claim !== undefined,
    );
    await billing.close();
    expect(await made).toEqual({ customerId: expect.stringMatching(/^cus_/) });
    await pool.end();
    expect(lines).toEqual([]);
  });

  it("ends a run that a caller waits for after the pages under way, and says who goes on", async () => {
    const { app, billing, pool, sync } = await instance();
    app.double.populate({ object: "customer", count: 2_000 });
    const began = Date.now();
    const run = billingError(sync());
    await eventually(
      () => app.customers(),
      (rows) => rows.length > 0,
    );
    await billing.close();
    expect((await run).message).toContain("close()");
    expect(Date.now() - began).toBeLessThan(8_000); // not the ten seconds of `close`
    await pool.end();
    expect((await app.b.sync()).state).toBe("done");
  });

  it("refuses every later call, and answers later requests with 500", async () => {
    const { app, billing, queries, ...rest } = await instance();
    await billing.close();
    const before = queries.length;
    const entityId = "user_1";
    const url = `${app.url}/`;
    for (const call of [
      () => rest.setup({ entityId }),
      () => rest.sync(),
      () => rest.checkout({ entityId, priceId: "price_1", successUrl: url, cancelUrl: url }),
      () => rest.portal({ entityId, returnUrl: url }),
      () => billing.reconcile(),
      () => billing.verify(),
      () => billing.runs(),
      () => rest.store.plans(),
      () => rest.store.migrate(),
    ]) {
      const { code, message } = await billingError(call());
      expect(code).toBe("store_error");
      expect(message).toContain("close()");
    }
    const payload = JSON.stringify(event());
    const header = await app.stripe.webhooks.generateTestHeaderStringAsync({
      payload,
      secret: app.secret,
    });
    const headers = { "Stripe-Signature": header };
    const init = { method: "POST", headers, body: payload };
    const answer = await billing.fetch(new Request("https://app.example/stripe/webhook", init));
    expect(answer.status).toBe(500); // Stripe sends it again, to an instance that lives
    expect(queries.length).toBe(before);
    await rest.pool.end();
  });

  it("ends the scheduled jobs of this instance", async () => {
    const { app, pool, billing } = await instance({ endpoint: false });
    const boss = new PgBoss({
      connectionString: app.pool.options.connectionString ?? "",
      schema: `${app.schema}_jobs`,
    });
    onTestFinished(() => boss.stop({ graceful: false }));
    await boss.start();
    const ended: string[] = [];
    const off = boss.offWork.bind(boss);
    boss.offWork = (name, options) => {
      ended.push(name);
      return off(name, options);
    };
    const jobs = await billing.addCronJobs(boss, { pollingIntervalSeconds: 0.5 });
    await billing.close();
    expect(ended).toHaveLength(4);
    await jobs.stop(); // by the application as well
    await pool.end();
  });
});

it("what is to be ended is ended at once where that is said while it closes", async () => {
  const life = createLife();
  let isEnded = false;
  const begun = life.run(async () => {
    await Promise.resolve();
    life.atClose(async () => {
      isEnded = true;
    });
  });
  await Promise.all([life.close(), begun]);
  expect(isEnded).toBe(true);
});

it("close does not wait for ever, and whatever still runs is kept from the store", async () => {
  const life = createLife(20);
  let plansAsked = 0;
  const store = life.guard({ plans: async () => void plansAsked++ } as never) as {
    plans(): Promise<unknown>;
  };
  let goOn = () => {};
  const stuck = life.run(async () => {
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    return store.plans();
  });
  await life.close();
  goOn();
  expect((await billingError(stuck)).message).toContain("close()");
  expect(plansAsked).toBe(0);
});
