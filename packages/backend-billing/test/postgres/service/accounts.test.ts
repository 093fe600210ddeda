// A key or an event of another account or mode than the tables are of.
import { describe, expect, it } from "vitest";
import { createPatientDouble } from "../../../../../support/patient-double.js";
import { createDatabase, createPool } from "../../../../../support/postgres/database.js";
import { answerAsks, settleAsks } from "../../../src/core/events/refetch.js";
import { refreshDue } from "../../../src/core/events/refresh.js";
import { createRuntime, type Runtime } from "../../../src/core/runtime/runtime.js";
import { reconcile } from "../../../src/core/sync/sync.js";
import { workPage } from "../../../src/core/sync/work/work.js";
import {
  createBilling,
  createStripe,
  migrate,
  type PostgresConfig,
} from "../../../src/postgres/index.js";
import type { StripeDouble } from "../../../src/testing/index.js";
import { type App, applications, billingError, listen, NOW } from "./kit.js";
import { price, subscribing } from "./links-kit.js";
import { post, receipts, send } from "./webhook-kit.js";

const open = applications();
const still = () => open({ stripe: { now: NOW }, config: { rate: false } });
const entityId = "user_1";
const ACCOUNT = "GET /v1/account";

/** Another deployment's settings over the same tables, served at an address of its own. */
async function over<T>(
  app: App,
  changes: Partial<PostgresConfig>,
  use: (other: ReturnType<typeof createBilling>, at: App) => Promise<T>,
): Promise<T> {
  const other = createBilling({ ...app.config, ...changes });
  const server = await listen(other.billing.nodeHandler);
  try {
    return await use(other, { ...app, url: server.url });
  } finally {
    await server.close();
  }
}

async function withStripe<T>(use: (double: StripeDouble) => Promise<T>): Promise<T> {
  const double = await createPatientDouble({ seed: "another account", now: NOW });
  try {
    return await use(double);
  } finally {
    await double.close();
  }
}

describe("a key of another account", () => {
  it("is refused by the workers, whatever is due, and nothing is taken from them", async () => {
    const app = await still();
    const product = await app.stripe.products.create({ name: "Pro" });
    await app.b.sync();
    // A question that a process asked which is gone now, a reading, and a run under way.
    await app.sql(
      `UPDATE ${app.schema}.backend_billing_versions SET ask_at = 1 WHERE id = '${product.id}'`,
    );
    await reconcile(app.core, {}, { wait: false });
    await app.sql(`INSERT INTO ${app.schema}.backend_billing_records (kind, id, revision, due, data)
      VALUES ('refresh', 'cus_1', 1, 1, '{}')`);
    const due = () =>
      app.sql(`SELECT kind, id, revision, due FROM ${app.schema}.backend_billing_records
        WHERE due IS NOT NULL ORDER BY kind, id`);
    const before = await due();
    await withStripe(async (double) => {
      const config = { secret_key: double.secretKey, stripe_options: double.stripeConfig };
      const { store } = app.core;
      const made = createRuntime({ ...app.core.config, ...config }, app.core as never);
      const other: Runtime = { ...made, store };
      for (const work of [workPage, answerAsks, refreshDue, (at: Runtime) => settleAsks(at, 20)]) {
        const error = await billingError(work(other));
        expect(error.code).toBe("invalid_config");
      }
      expect(double.requests.count()).toBe(1); // for the account
    });
    expect(await due()).toEqual(before);
    expect(await app.b.store.row("products", product.id)).toBeDefined();
    expect(await answerAsks(app.core)).toBe(1);
  });

  it("is refused by everything that writes, and nothing is written anywhere", async () => {
    const app = await still();
    await app.b.setup({ entityId });
    await app.double.settle();
    const before = await app.customers();
    const stored = await receipts(app);
    await withStripe((double) =>
      over(
        app,
        { secret_key: double.secretKey, stripe_options: double.stripeConfig },
        async (other, at) => {
          const back = { successUrl: app.url, cancelUrl: app.url };
          const calls = [
            () => other.setup({ entityId: "user_2" }),
            () => other.setup({ entityId }),
            () => other.checkout({ entityId, priceId: "price_1", ...back }),
            () => other.portal({ entityId, returnUrl: app.url }),
            () => other.sync(),
            () => other.sync({ data: false, webhook: true, portal: true }),
            () => other.billing.reconcile(),
          ];
          for (const call of calls) {
            const error = await billingError(call());
            expect(error.code).toBe("invalid_config");
            expect(error.message).toContain("belongs to the Stripe account");
          }
          const answer = await send(at, { data: { object: { id: "cus_2", object: "customer" } } });
          expect(answer).toMatchObject({
            status: 500,
            body: { error: { code: "invalid_config" } },
          });
          // Asked once, however many calls there were.
          expect(double.requests.count(ACCOUNT)).toBe(1);
          expect(double.requests.count()).toBe(1);
          expect(double.objects("customer")).toEqual([]);
        },
      ),
    );
    expect(await app.customers()).toEqual(before);
    expect(await receipts(app)).toEqual(stored);
  });

  it("is refused where only webhooks have told of the tables' account", async () => {
    const app = await open({ stripe: { now: NOW }, endpoint: false, checked: false });
    expect(await send(app)).toMatchObject({ status: 200 });
    await withStripe((double) =>
      over(
        app,
        { secret_key: double.secretKey, stripe_options: double.stripeConfig },
        async (_, at) => {
          expect(await send(at, { id: "evt_2" })).toMatchObject({ status: 500 });
        },
      ),
    );
    expect(await receipts(app)).toHaveLength(1);
  });
});

describe("another database that a call brings along", () => {
  it("is of an account, too, and the key is refused there", async () => {
    const app = await still();
    const database = await createDatabase();
    const db = createPool(database.url);
    try {
      const { schema } = app;
      await migrate(db, { schema });
      const table = `${schema}.backend_billing_records`;
      await db.query(`INSERT INTO ${table} (kind, id, revision, data)
        VALUES ('setting', 'account', 1, '{"id": "acct_other"}')`);
      const { stripe } = createStripe(app.config);
      const back = { returnUrl: `${app.url}/account` };
      await app.b.setup({ entityId });
      const own = () => stripe.portal({}, { entityId, ...back });
      await app.b.sync({ data: false, portal: true });
      await own();
      const error = await billingError(
        stripe.subscribe({ db }, subscribing(app, await price(app))),
      );
      expect(error.message).toContain("hold the data of acct_other");
      const { rows } = await db.query(`SELECT id FROM ${table} WHERE kind = 'claim'`);
      expect(rows).toEqual([]);
      await own();
      expect(app.double.requests.count(ACCOUNT)).toBe(1);
    } finally {
      await db.end();
      await database.drop();
    }
  });
});

describe("a key whose account Stripe does not tell", () => {
  it("works, and Stripe is not asked again and again", async () => {
    const app = await open({ stripe: { now: NOW }, endpoint: false, checked: false });
    const secret_key = app.double.restrictedKey({ customers: "write" });
    await over(app, { secret_key }, async (other, at) => {
      for (const id of ["evt_1", "evt_2", "evt_3"]) {
        expect(await send(at, { id })).toMatchObject({ status: 200 });
      }
      await other.setup({ entityId });
    });
    expect(app.double.requests.count(ACCOUNT)).toBe(1);
  });

  it("works while Stripe fails, and is looked at later", async () => {
    const app = await open({ stripe: { now: NOW }, endpoint: false, checked: false });
    app.double.faults.add({ fault: "error_before", status: 500, on: ACCOUNT });
    expect(await send(app)).toMatchObject({ status: 200 });
    expect(await app.core.store.record("setting", "account")).toBeUndefined();
    expect(await send(app, { id: "evt_2" })).toMatchObject({ status: 200 });
    expect(app.double.requests.count(ACCOUNT)).toBe(2); // the SDK tried twice, and then nobody
  });
});

describe("the account", () => {
  it("is asked for once in a process, not by every event", async () => {
    const app = await open({ stripe: { now: NOW }, endpoint: false, checked: false });
    await Promise.all(
      ["evt_1", "evt_2", "evt_3", "evt_4"].map(async (id) => {
        expect(await send(app, { id })).toMatchObject({ status: 200 });
      }),
    );
    await app.b.setup({ entityId });
    expect(app.double.requests.count(ACCOUNT)).toBe(1);
  });
});

describe("an event that names an account", () => {
  const object = { id: "cus_2", object: "customer", metadata: {} };
  it.each([
    ["a connected one", { account: "acct_other" }],
    ["one of an organisation", { context: "acct_other" }],
    ["one below ours", { context: "acct_ours/acct_other" }],
  ])("is ignored if it is %s", async (_, naming) => {
    const app = await still();
    expect(await send(app, { ...naming, data: { object } })).toMatchObject({
      status: 200,
      body: { received: "ignored" },
    });
    expect(await receipts(app)).toEqual([]);
    expect(await app.b.store.version("customers", "cus_2")).toBeUndefined();
  });

  it.each(["account", "context"])("is stored if its %s is ours", async (field) => {
    const app = await still();
    const { id } = await app.stripe.accounts.retrieveCurrent();
    expect(await send(app, { [field]: id, data: { object } })).toMatchObject({
      status: 200,
      text: "",
    });
    expect(await receipts(app)).toHaveLength(1);
  });
});

describe("a key of the other mode", () => {
  it("is refused with its own events too, before anything is stored", async () => {
    const app = await still();
    await app.b.setup({ entityId });
    const stored = await receipts(app);
    await over(app, { secret_key: app.double.liveSecretKey }, async (other, at) => {
      const live = { id: "evt_live", object: "event", type: "customer.created", livemode: true };
      const body = {
        ...live,
        created: 1,
        data: { object: { id: "cus_live", object: "customer" } },
      };
      expect(await post(at, JSON.stringify(body))).toMatchObject({
        status: 500,
        body: { error: { code: "livemode_mismatch" } },
      });
      const calls = [() => other.setup({ entityId: "user_2" }), () => other.sync({ data: false })];
      for (const call of calls) {
        expect((await billingError(call())).code).toBe("livemode_mismatch");
      }
    });
    expect(await app.b.store.version("customers", "cus_live")).toBeUndefined();
    expect((await receipts(app)).length).toBeGreaterThanOrEqual(stored.length);
  });
});
