// What events did not tell: found by `verify`, which changes nothing, and repaired by `reconcile`.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { stripePath } from "../../../../../support/stripe-path.js";
import { defaultResources } from "../../../src/core/catalogue/catalogue.js";
import { createBilling } from "../../../src/postgres/index.js";
import { type App, billingError, expectEqual, fillShop, quietApplications } from "./kit.js";

const open = quietApplications();

/** Everything the mirror holds, as one sum. */
async function mirrorOf(app: App): Promise<string> {
  const tables = [
    "products",
    "prices",
    "customers",
    "subscriptions",
    "coupons",
    "promotion_codes",
    "payouts",
    "refunds",
    "checkout_sessions",
    "invoices",
    "subscription_schedules",
    "versions",
  ];
  const dumps = await Promise.all(
    tables.map((table) =>
      app.sql<{ rows: string }>(
        `SELECT coalesce(json_agg(t ORDER BY t::text), '[]')::text AS rows FROM ${app.schema}.backend_billing_${table} t`,
      ),
    ),
  );
  return createHash("sha256").update(JSON.stringify(dumps)).digest("hex");
}

/** Drifts apart without anybody noticing: events of 40 days ago are gone. */
async function driftApart(app: App) {
  app.double.populate({ object: "customer", count: 300 });
  const shop = await fillShop(app);
  await app.b.sync();
  const [ghost = "", changed = ""] = app.double.objects("customer").map(({ id }) => id);
  const [coupon = ""] = app.double.objects("coupon").map(({ id }) => id);
  await app.stripe.customers.del(ghost);
  await app.stripe.customers.update(changed, { name: "Somebody else" });
  await app.stripe.coupons.del(coupon);
  const added = await app.stripe.products.create({ name: "Unheard of" });
  await app.double.clock.advance({ days: 40 });
  return { ...shop, ghost, changed, coupon, added: added.id };
}

it("ghosts, gaps and differences are found by verify, and repaired by reconcile", async () => {
  const app = await open();
  const { ghost, changed, coupon, added } = await driftApart(app);
  const before = await mirrorOf(app);
  const found = await app.b.billing.verify();
  expect(found).toMatchObject({ kind: "verify", state: "done" });
  expect(found.resources.customers?.drift).toMatchObject({
    ghost: 1,
    missing: 0,
    examples: expect.arrayContaining([
      { id: ghost, kind: "ghost" },
      { id: changed, kind: "different", fields: ["name"] },
    ]),
  });
  expect(found.resources.coupons?.drift?.examples).toEqual([{ id: coupon, kind: "ghost" }]);
  expect(found.resources.products?.drift?.examples).toEqual([{ id: added, kind: "missing" }]);
  expect(await mirrorOf(app)).toBe(before);

  const repaired = await app.b.billing.reconcile();
  expect(repaired).toMatchObject({ kind: "reconcile", state: "done" });
  expect(repaired.resources.customers?.drift).toMatchObject({ ghost: 1 });
  expect(repaired.resources.customers?.drift?.examples).toContainEqual({
    id: changed,
    kind: "different",
  });
  expect(repaired.resources.products?.drift).toMatchObject({ missing: 1 });
  await expectEqual(app);

  const after = await app.b.billing.verify();
  for (const { drift } of Object.values(after.resources)) {
    expect(drift).toEqual({ missing: 0, different: 0, ghost: 0, examples: [] });
  }
});

it("what is equal is not written again", async () => {
  const app = await open();
  app.double.populate({ object: "customer", count: 150 });
  await fillShop(app);
  await app.b.sync();
  await app.double.clock.advance({ minutes: 20 });
  const synced = `SELECT string_agg(customer_id || last_synced_at::text, ',' ORDER BY customer_id) AS all FROM ${app.schema}.backend_billing_customers`;
  const before = await app.sql(synced);
  const { resources } = await app.b.billing.reconcile();
  expect(resources.customers?.drift).toMatchObject({ missing: 0, different: 0, ghost: 0 });
  expect(await app.sql(synced)).toEqual(before);
});

it("a row that is merely missing from a list is not removed", async () => {
  const app = await open();
  await app.b.sync();
  await app.double.clock.advance({ minutes: 30 });
  await fillShop(app);
  await app.b.sync();
  await expectEqual(app);
  // The lists of half an hour ago show nothing of it.
  await app.double.clock.advance({ minutes: 20 });
  const lag = app.double.faults.add({ fault: "list_lag", milliseconds: 25 * 60_000 });
  const report = await app.b.billing.reconcile();
  expect(report.resources.customers?.drift).toMatchObject({ ghost: 0 });
  expect(report.state).toBe("done");
  lag();
  await expectEqual(app);
});

it("prices that are in no list are compared by id, and neither lost nor reported", async () => {
  const app = await open();
  const { product, customer } = await fillShop(app);
  const price_data = {
    product: product.id,
    currency: "usd",
    unit_amount: 5,
    recurring: { interval: "month" },
  } as const;
  await app.stripe.subscriptions.create({ customer: customer.id, items: [{ price_data }] });
  await app.stripe.customers.update(customer.id, { name: "Ada King" });
  await app.b.sync();
  await app.double.clock.advance({ minutes: 5 });
  expect((await app.b.billing.verify()).resources.prices?.drift).toMatchObject({
    ghost: 0,
    missing: 0,
    different: 0,
  });
  expect((await app.b.billing.reconcile()).resources.prices?.drift).toMatchObject({
    ghost: 0,
    missing: 0,
  });
  await expectEqual(app);
});

describe("a key of another account, which cannot be told", () => {
  /** The right tables, and a key that sees another account's data, or none. */
  async function wrongKey(app: App) {
    const other = await open();
    await other.double.clock.advance({ hours: 1 });
    // A restricted key need not be allowed to say whose it is.
    const names = [...defaultResources.map(stripePath), "events"];
    const secret_key = other.double.restrictedKey(
      Object.fromEntries(names.map((name) => [name, "read"])),
    );
    return createBilling({ ...app.config, secret_key, stripe_options: other.double.stripeConfig });
  }

  it("stops when Stripe knows too little, and removes hardly anything", async () => {
    const app = await open();
    app.double.populate({
      object: "product",
      count: 200,
      make: (index, seed) => product(index, seed),
    });
    await app.b.sync();
    const wrong = await wrongKey(app);
    const error = await billingError(wrong.billing.reconcile());
    expect(error).toMatchObject({ code: "run_failed", report: { state: "failed" } });
    expect(error.message).toMatch(
      /Stripe does not know \d+ of the products .* 20 were expected .* STRIPE_SECRET_KEY/,
    );
    const rows = await app.b.store.rows("products", "", 500);
    expect(rows.length).toBeGreaterThanOrEqual(180);
    // With the right key everything is back.
    await app.double.clock.advance({ hours: 2 });
    expect((await app.b.billing.reconcile()).state).toBe("done");
    await expectEqual(app, ["products"]);
  });
});

it("many objects that were really deleted are removed when the caller says how many", async () => {
  const app = await open();
  app.double.populate({
    object: "product",
    count: 60,
    make: (index, seed) => product(index, seed),
  });
  await app.b.sync();
  for (const { id } of app.double.objects("product").slice(0, 40))
    await app.stripe.products.del(id);
  await app.double.clock.advance({ days: 40 });
  expect((await billingError(app.b.billing.reconcile())).message).toContain("maxMissing");
  expect(await app.b.billing.reconcile({ maxMissing: 50 })).toMatchObject({ state: "done" });
  await expectEqual(app, ["products"]);
});

describe("a sample", () => {
  it("says how sure it is", async () => {
    const app = await open();
    app.double.populate({ object: "customer", count: 600 });
    await app.b.sync();
    const { resources, state } = await app.b.billing.verify({ sample: 100 });
    expect(state).toBe("done");
    expect(resources.customers?.confidence).toMatchObject({
      sampled: 100,
      of: 600,
      differing: 0,
      statement: "no drift in 100 rows sampled of 600: with 95% confidence fewer than 2.96% differ",
    });
    expect(resources.products?.confidence?.statement).toBe("no drift in all 0 rows");
  });

  it("counts once what both the lot and a page show", async () => {
    const app = await open();
    app.double.populate({ object: "customer", count: 20 });
    await app.b.sync();
    await app.sql(
      `UPDATE ${app.schema}.backend_billing_customers SET stripe = stripe || '{"name": "Wrong"}'
       WHERE customer_id = (SELECT min(customer_id) FROM ${app.schema}.backend_billing_customers)`,
    );
    const { resources } = await app.b.billing.verify({ sample: 100 });
    expect(resources.customers?.drift?.different).toBe(1);
  });

  it("finds what is everywhere, ghosts and gaps", async () => {
    const app = await open();
    app.double.populate({ object: "customer", count: 500 });
    await app.b.sync();
    const ids = app.double.objects("customer").map(({ id }) => id);
    for (const id of ids.slice(0, 150)) await app.stripe.customers.del(id);
    await app.sql(
      `DELETE FROM ${app.schema}.backend_billing_customers WHERE customer_id IN (${ids
        .slice(300)
        .map((id) => `'${id}'`)
        .join()})`,
    );
    await app.sql(
      `DELETE FROM ${app.schema}.backend_billing_versions WHERE id IN (${ids
        .slice(300)
        .map((id) => `'${id}'`)
        .join()})`,
    );
    const before = await mirrorOf(app);
    const { resources } = await app.b.billing.verify({ sample: 60 });
    expect(resources.customers?.drift?.ghost).toBeGreaterThan(10);
    expect(resources.customers?.drift?.missing).toBeGreaterThan(10);
    expect(resources.customers?.confidence?.atMost).toBeGreaterThan(0.3);
    expect(await mirrorOf(app)).toBe(before);
  });

  it.each([0, -1, 1.5, 1e9])("of %d is refused", async (sample) => {
    const app = await open();
    expect((await billingError(app.b.billing.verify({ sample }))).code).toBe("invalid_argument");
  });
});

it("what is on its way is not called drift", { tags: ["slow"] }, async () => {
  const app = await open({
    endpoint: true,
    stripe: { delivery: "held" },
    config: { timing: { pageLease: 5_000, verifyDelay: 8_000 } },
  });
  const { product: sold } = await fillShop(app);
  await app.b.sync();
  await app.double.clock.advance({ minutes: 5 });
  await app.stripe.products.update(sold.id, { name: "Just renamed" });
  const looks = app.double.requests.count("GET /v1/products");
  const checking = app.b.billing.verify();
  await expect.poll(() => app.double.requests.count("GET /v1/products")).toBeGreaterThan(looks);
  await app.double.deliveries.release(app.double.deliveries.held().map(({ id }) => id));
  expect((await checking).resources.products?.drift).toMatchObject({
    different: 0,
    missing: 0,
    ghost: 0,
  });
});

function product(
  index: number,
  { id, created, livemode }: { id: string; created: number; livemode: boolean },
) {
  return {
    id,
    object: "product" as const,
    active: true,
    created,
    default_price: null,
    description: null,
    images: [],
    livemode,
    marketing_features: [],
    metadata: {},
    name: `Part ${index}`,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: "service" as const,
    unit_label: null,
    updated: created,
    url: null,
  };
}
