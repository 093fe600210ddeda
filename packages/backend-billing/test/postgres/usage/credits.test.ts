// An application that sells packs of credits: whichever way a payment, a refund or a dispute is learnt of,
// the balance is what is paid for.
import { describe, expect, it } from "vitest";
import { batch, event } from "../../../../../support/conformance/fixtures.js";
import { PATIENCE } from "../../../../../support/patience.js";
import { defineCatalogue, usd } from "../../../src/catalogue/index.js";
import { commit } from "../../../src/core/runtime/commit/commit.js";
import { records } from "../../../src/core/runtime/records/records.js";
import { followCredits } from "../../../src/core/usage/credits/follow.js";
import { createBilling, type PostgresConfig } from "../../../src/postgres/index.js";
import {
  type App,
  type AppOptions,
  applications,
  billingError,
  eventually,
  NOW,
} from "../service/kit.js";
import { openUsage } from "./kit.js";

const features = { credits: "credits", calls: { meter: "api_calls" } } as const;
const catalogueOf = (credits: number) =>
  defineCatalogue({
    app: "acme",
    features,
    packs: {
      small: { name: "Small", price: usd("5"), credits: { credits } },
      large: { name: "Large", price: usd("50"), credits: { credits: 1_500, calls: 30 } },
      poster: { name: "Poster", price: usd("9") },
    },
  });
const catalogue = catalogueOf(100);
const open = applications();

/** An application with what a push of the catalogue would make. */
async function shop(options: AppOptions = {}) {
  const app = await open({
    stripe: { now: NOW },
    ...options,
    config: { catalogue, timing: { returnPatience: PATIENCE }, ...options.config },
  });
  const ids: { [pack: string]: string } = {};
  for (const [pack, { name, price }] of Object.entries(catalogue.packs)) {
    const { id: product } = await app.stripe.products.create({ id: `acme_pack_${pack}`, name });
    const { amount: unit_amount, currency } = price;
    const lookup_key = `acme:${pack}`;
    const made = await app.stripe.prices.create({ product, unit_amount, currency, lookup_key });
    ids[pack] = made.id;
  }
  return { app, ids };
}
const deaf = () => shop({ endpoint: false });

const places = (app: App) => ({
  successUrl: `${app.url}/thanks`,
  cancelUrl: `${app.url}/cart`,
});
const buy = async (app: App, quantity = 1, params = {}) => {
  const order = { entityId: "org_1", lookupKey: "small", quantity, params, ...places(app) };
  return (await app.b.billing.pay(order)).sessionId ?? "";
};
const pay = (app: App, page: string, card?: string) =>
  app.double.dashboard.payCheckout(page, {
    email: "ada@example.com",
    ...(card === undefined ? {} : { card }),
  });
async function comeBack(app: App, page: string): Promise<void> {
  const { success_url: back } = await app.stripe.checkout.sessions.retrieve(page);
  const address = String(back).replace("{CHECKOUT_SESSION_ID}", page);
  expect((await fetch(address, { redirect: "manual" })).status).toBe(303);
}
const granted = async ({ b }: App, feature: "credits" | "calls" = "credits") =>
  (await b.store.usageOf("org_1"))[feature]?.granted;
const becomes = (app: App, credits: number) =>
  eventually(
    () => granted(app),
    (found) => found === credits,
  );
/** Until nothing is left to do. */
const isQuiet = (app: App) =>
  eventually(
    () =>
      app.sql(
        `SELECT id FROM ${app.schema}.backend_billing_records WHERE kind = 'credits' AND due IS NOT NULL`,
      ),
    (due) => due.length === 0,
  );
const intentOf = async (app: App, page: string) =>
  String((await app.stripe.checkout.sessions.retrieve(page)).payment_intent);

describe("credits that are bought", () => {
  it("are there when the buyer comes back, though no webhook came, and once", async () => {
    const { app } = await deaf();
    const page = await buy(app, 2);
    expect(await granted(app)).toBe(0);
    pay(app, page);
    await comeBack(app, page);
    expect(await granted(app)).toBe(200);
    await Promise.all([comeBack(app, page), comeBack(app, page), app.b.sync()]);
    await isQuiet(app);
    expect(await granted(app)).toBe(200);
    const grants = `SELECT key, source, original::int, amount::int FROM ${app.schema}.backend_billing_usage_grants`;
    expect(await app.sql(grants)).toEqual([
      { key: `pack ${page}`, source: "pack", original: 200, amount: 200 },
    ]);
  });

  it("come by a webhook, also one that comes twice, and by a sync", async () => {
    const { app } = await shop();
    app.double.faults.add({ fault: "doubled" });
    pay(app, await buy(app));
    await app.double.settle();
    await becomes(app, 100);
    await isQuiet(app);
    expect(await granted(app)).toBe(100);
    const { app: other } = await deaf();
    pay(other, await buy(other));
    await other.b.sync();
    await becomes(other, 100);
  });

  it("wait for a bank that takes its time", async () => {
    const { app } = await shop();
    const methods = { allowed_payment_method_types: ["card", "us_bank_account"] };
    const page = await buy(app, 1, methods);
    pay(app, page, "pm_usBankAccount_success");
    await app.double.settle();
    await eventually(
      () => app.b.store.purchaseBy({ sessionId: page }),
      (bought) => bought?.state === "processing",
    );
    await isQuiet(app);
    expect(await granted(app)).toBe(0);
    await app.double.clock.advance({ days: 5 });
    await app.double.settle();
    await becomes(app, 100);
    pay(app, await buy(app, 1, methods), "pm_usBankAccount_insufficientFunds");
    await app.double.clock.advance({ days: 5 });
    await app.double.settle();
    await isQuiet(app);
    expect(await granted(app)).toBe(100);
  });

  it("are what was sold, whatever the catalogue says when it is paid", async () => {
    const { app } = await deaf();
    const page = await buy(app);
    pay(app, page);
    const config = { ...app.config, catalogue: catalogueOf(7) } as PostgresConfig;
    const later = createBilling(config);
    await later.sync();
    await becomes(app, 100);
    await later.billing.close();
  });

  it("of a feature that one process does not know are given by another one", async () => {
    const { app } = await deaf();
    const order = { entityId: "org_1", lookupKey: "large", ...places(app) };
    pay(app, (await app.b.billing.pay(order)).sessionId ?? "");
    const old = defineCatalogue({ app: "acme", features: { credits: "credits" } });
    const older = createBilling({ ...app.config, catalogue: old } as PostgresConfig);
    await older.sync();
    await becomes(app, 1_500);
    await older.billing.close();
    const records = `${app.schema}.backend_billing_records`;
    const due = `SELECT data FROM ${records} WHERE kind = 'credits' AND due > ${Date.now()}`;
    expect(await app.sql(due)).toEqual([{ data: { tries: 1 } }]);
    expect(await granted(app, "calls")).toBe(0);
    await app.sql(`UPDATE ${records} SET due = 0 WHERE kind = 'credits'`);
    await app.b.billing.tick();
    expect([await granted(app), await granted(app, "calls")]).toEqual([1_500, 30]);
  });

  it("are given for nothing where a code pays for all", async () => {
    const { app } = await deaf();
    const { id: coupon } = await app.stripe.coupons.create({ percent_off: 100, duration: "once" });
    const page = await buy(app, 1, { discounts: [{ coupon }] });
    app.double.dashboard.payCheckout(page, { email: "ada@example.com" });
    await comeBack(app, page);
    expect(await granted(app)).toBe(100);
  });

  it("are asked for at Stripe where it is not known what was bought", async () => {
    const { app } = await deaf();
    const page = await buy(app, 3);
    await app.sql(`DELETE FROM ${app.schema}.backend_billing_records WHERE kind = 'purchase'`);
    pay(app, page);
    await app.b.sync();
    await becomes(app, 300);
  });

  it("are those of all lines of a page, by their prices", async () => {
    const { app, ids } = await deaf();
    const { sessionId } = await app.a.stripe.pay(
      {},
      {
        entityId: "org_1",
        mode: "payment",
        referenceId: "order_1",
        line_items: [
          { price: String(ids.small), quantity: 2 },
          { price: String(ids.large), quantity: 1 },
          { price: String(ids.poster), quantity: 5 },
        ],
        metadata: { mine: "yes" },
        success_url: `${app.url}/thanks`,
        cancel_url: `${app.url}/cart`,
      },
    );
    pay(app, sessionId ?? "");
    await comeBack(app, sessionId ?? "");
    expect([await granted(app), await granted(app, "calls")]).toEqual([1_700, 30]);
    const { metadata } = await app.stripe.checkout.sessions.retrieve(sessionId ?? "");
    expect(metadata).toMatchObject({ mine: "yes", referenceId: "order_1" });
  });

  it("are not on pages of others, nor on those that sell none", async () => {
    const { app } = await deaf();
    const { sessionId } = await app.b.billing.pay({
      entityId: "org_1",
      lookupKey: "poster",
      ...places(app),
    });
    const { metadata } = await app.stripe.checkout.sessions.retrieve(sessionId ?? "");
    expect(metadata).toEqual({});
    const page = await buy(app);
    pay(app, page);
    const other = defineCatalogue({ app: "other", features });
    const beside = await open({ beside: app, endpoint: false, config: { catalogue: other } });
    await beside.b.sync();
    await isQuiet(beside);
    expect(await granted(beside)).toBe(0);
  });

  it("cannot be written on a page by its metadata, and need what they follow", async () => {
    const { app } = await deaf();
    for (const key of ["billing_credits", "billing_entity"]) {
      const error = await billingError(buy(app, 1, { metadata: { [key]: "x" } }));
      expect([error.code, error.message]).toEqual([
        "invalid_argument",
        expect.stringContaining(`metadata.${key}`),
      ]);
    }
    const config = { ...app.config, resources: ["customers", "prices", "products", "charges"] };
    const bare = createBilling(config as PostgresConfig);
    const order = { entityId: "org_1", lookupKey: "small", ...places(app) };
    const error = await billingError(bare.billing.pay(order));
    expect([error.code, error.message]).toEqual([
      "invalid_config",
      expect.stringContaining("checkout_sessions, disputes"),
    ]);
    await bare.billing.close();
  });
});

describe("what goes back", () => {
  it("is taken by refunds, of what is left, and given again where one fails", async () => {
    const { app } = await shop();
    const page = await buy(app);
    pay(app, page);
    await app.double.settle();
    await becomes(app, 100);
    const payment_intent = await intentOf(app, page);
    await app.stripe.refunds.create({ payment_intent, amount: 101 });
    await app.double.settle();
    await becomes(app, 79);
    const use = { entityId: "org_1", feature: "credits", key: "a", amount: 60 };
    expect(await app.b.store.consume(use)).toMatchObject({ allowed: true, balance: 19 });
    const { id } = await app.stripe.refunds.create({ payment_intent });
    await app.double.settle();
    await becomes(app, 60);
    expect(await app.b.store.consume({ ...use, key: "b", amount: 1 })).toMatchObject({
      allowed: false,
    });
    app.double.dashboard.failRefund(id);
    await app.double.settle();
    await app.b.sync();
    await becomes(app, 79);
  });

  it("is taken by a refund of which no webhook came", async () => {
    const { app } = await deaf();
    const page = await buy(app);
    pay(app, page);
    await comeBack(app, page);
    await app.stripe.refunds.create({ payment_intent: await intentOf(app, page) });
    await app.b.sync();
    await becomes(app, 0);
  });

  it("is taken by a dispute that is lost, not by one that is won", async () => {
    const { app } = await shop();
    const [won, lost] = [await buy(app), await buy(app, 4)];
    for (const page of [won, lost]) pay(app, page);
    await app.double.settle();
    await becomes(app, 500);
    const disputes = [won, lost].map(async (page) =>
      app.double.dashboard.dispute(await intentOf(app, page)),
    );
    const [first, second] = await Promise.all(disputes);
    await app.double.settle();
    await isQuiet(app);
    expect(await granted(app)).toBe(500);
    app.double.dashboard.decideDispute(first?.id ?? "", "won");
    app.double.dashboard.decideDispute(second?.id ?? "", "lost");
    await app.double.settle();
    await becomes(app, 100);
    await isQuiet(app);
    expect(await granted(app)).toBe(100);
  });

  it("is taken from the entity that bought, though its customer is gone", async () => {
    const { app } = await shop();
    const page = await buy(app);
    pay(app, page);
    await app.double.settle();
    await becomes(app, 100);
    const { customer } = await app.stripe.checkout.sessions.retrieve(page);
    await app.stripe.customers.del(String(customer));
    await app.stripe.refunds.create({ payment_intent: await intentOf(app, page), amount: 250 });
    await app.double.settle();
    await becomes(app, 50);
  });
});

describe("the job", () => {
  const requested = async (app: App, ref: string) => {
    const requests = [{ kind: "credits", id: "pi_1", ref, due: 0, data: {} }] as const;
    await commit(app.core, { source: "call", units: [{ requests }] });
  };
  const record = (app: App) => app.core.store.record("credits", "pi_1");

  it("asks Stripe what was bought, once, where that is not known", async () => {
    const { app } = await deaf();
    const page = await buy(app);
    await app.sql(`DELETE FROM ${app.schema}.backend_billing_records WHERE kind = 'purchase'`);
    await requested(app, page);
    app.double.requests.clear();
    const settle = async (id: string) => {
      expect(id).toBe(page);
      return (await records.purchase(id).read(app.core)).data === undefined ? "lines" : "done";
    };
    expect(await followCredits({ ...app.core, credits: { settle } })).toBe(1);
    expect(app.double.requests.count("GET /v1/checkout/sessions/:session")).toBe(1);
    expect(await record(app)).toMatchObject({ ref: page, due: null });
    expect(await followCredits({ ...app.core, credits: { settle } })).toBe(0);
  });

  it("gives up a page that Stripe has dropped, and tries again what failed", async () => {
    const { app } = await deaf();
    await requested(app, "cs_test_gone");
    const failing = async () => Promise.reject(new Error("no database"));
    await followCredits({ ...app.core, credits: { settle: failing } });
    expect((await record(app))?.due).toBe(app.core.now() + 30_000);
    await app.double.clock.advance({ seconds: 31 });
    await followCredits({ ...app.core, credits: { settle: async () => "lines" } });
    expect((await record(app))?.due).toBeNull();
    expect(app.log).toContain("Stripe has dropped a page; its credits are not given: cs_test_gone");
  });

  it("waits more and more seldom for a feature that the catalogue lacks", async () => {
    const { app } = await deaf();
    await requested(app, "cs_1");
    const unknown = { ...app.core, credits: { settle: async () => "feature" as const } };
    for (let turn = 0; turn < 8; turn++) {
      expect(await followCredits(unknown)).toBe(1);
      expect(await followCredits(unknown)).toBe(0); // it is not due at once, however long it waits
      await app.double.clock.advance({ minutes: 31 });
    }
  });

  it("leaves a record to the next turn if a change comes meanwhile", async () => {
    const { app } = await deaf();
    await requested(app, "cs_1");
    const settle = async () => {
      await requested(app, "cs_1");
      return "done" as const;
    };
    await followCredits({ ...app.core, credits: { settle } });
    expect((await record(app))?.due).toBe(0);
  });
});

it("goes by what is stored once the balance is its own, not by what it read before", async () => {
  const kit = await openUsage();
  const shown = (
    resource: "checkout_sessions" | "charges",
    id: string,
    at: number,
    fields: object,
  ) => kit.store.commit(batch(event(resource, id, at, { payment_intent: "pi_1", ...fields })));
  const metadata = {
    billing_credits: '["acme",{"price_1":{"credits":100}}]',
    billing_entity: "org_1",
  };
  const page = { mode: "payment", status: "complete", payment_status: "paid", metadata };
  const charge = { status: "succeeded", amount: 500, currency: "usd", metadata };
  await shown("checkout_sessions", "cs_1", 1_000, page);
  await shown("charges", "ch_1", 1_000, { ...charge, amount_refunded: 0 });
  const lines = [{ priceId: "price_1", lookupKey: null, quantity: 1 }];
  const next = { ref: null, due: null, data: { lines, final: true } };
  const records = [{ kind: "purchase", id: "cs_1", expect: 0, next } as const];
  await kit.store.commit({ source: "record", now: 0, units: [], records });
  await kit.settle("cs_1");
  const other = await kit.pool.connect();
  await other.query("BEGIN");
  await other.query("SELECT 1 FROM billing.backend_billing_usage_balances FOR UPDATE");
  const settled = kit.settle("cs_1");
  await eventually(
    async () => (await kit.pool.query(WAITING)).rows.length,
    (waiting) => waiting > 0,
  );
  await shown("charges", "ch_1", 2_000, { ...charge, amount_refunded: 500 });
  await other.query("COMMIT");
  other.release();
  expect(await settled).toBe("done");
  expect((await kit.usage.usageOf("org_1")).credits?.granted).toBe(10);
  await kit.close();
});

/** Transactions of this database that wait for a lock. */
const WAITING = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
