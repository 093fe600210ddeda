// Every resource that can be mirrored, also what no application mirrors by default: listed, told of
// by events, compared and repaired, each as Stripe has it.
import pg from "pg";
import { describe, expect, it } from "vitest";
import { stripePath } from "../../../../../support/stripe-path.js";
import { resourceNames } from "../../../src/core/catalogue/catalogue.js";
import { resources } from "../../../src/core/catalogue/resources.js";
import { createBilling } from "../../../src/postgres/index.js";
import {
  type App,
  billingError,
  expectEqual,
  fillShop,
  quietApplications,
  scheduled,
} from "./kit.js";

const open = quietApplications();
const all = { config: { resources: "all" } } as const;

/** Beside what a shop has, something of everything else. */
async function fillAll(app: App): Promise<{ customer: string; product: string }> {
  const { stripe, double } = app;
  const { product, price, customer } = await fillShop(app);
  const pay = (amount: number) =>
    stripe.paymentIntents.create({
      amount,
      currency: "usd",
      customer: customer.id,
      payment_method: "pm_card_visa",
      confirm: true,
      automatic_payment_methods: { enabled: true, allow_redirects: "never" },
    });
  const refunded = await pay(700);
  await stripe.refunds.create({ payment_intent: refunded.id });
  double.dashboard.dispute((await pay(800)).id);
  double.dashboard.warnOfFraud((await pay(900)).id);
  await stripe.setupIntents.create({ customer: customer.id });
  await stripe.customers.createTaxId(customer.id, { type: "eu_vat", value: "DE123456789" });
  await stripe.taxIds.create({ type: "eu_vat", value: "DE987654321" });
  await stripe.taxRates.create({ display_name: "VAT", percentage: 19, inclusive: true });
  await stripe.invoiceItems.create({ customer: customer.id, amount: 100, currency: "usd" });
  const [invoice] = (await stripe.invoices.list({ customer: customer.id, status: "paid" })).data;
  await stripe.creditNotes.create({ invoice: invoice?.id ?? "", amount: 100, refund_amount: 100 });
  const line_items = [{ price: price.id, quantity: 1 }];
  await stripe.quotes.create({ customer: customer.id, line_items });
  await stripe.paymentLinks.create({ line_items });
  await stripe.billingPortal.configurations.create({
    features: { invoice_history: { enabled: true } },
  });
  const steam = await stripe.entitlements.features.create({ name: "Steam", lookup_key: "steam" });
  await stripe.products.createFeature(product.id, { entitlement_feature: steam.id });
  const [running] = (await stripe.subscriptions.list({ customer: customer.id })).data;
  await stripe.subscriptions.update(running?.id ?? "", { metadata: { from: "now" } });
  const old = await stripe.entitlements.features.create({ name: "Coal", lookup_key: "coal" });
  await stripe.entitlements.features.update(old.id, { active: false });
  await stripe.billing.meters.create({
    display_name: "Turns",
    event_name: "turns",
    default_aggregation: { formula: "sum" },
  });
  await stripe.billing.creditGrants.create({
    customer: customer.id,
    name: "Welcome",
    category: "promotional",
    amount: { type: "monetary", monetary: { currency: "usd", value: 500 } },
    applicability_config: { scope: { price_type: "metered" } },
  });
  const { id: destination } = await stripe.accounts.create({ type: "express", country: "US" });
  await stripe.transfers.create({ amount: 100, currency: "usd", destination });
  // Payments and invoices raised numbers on the customer: Stripe tells of them with its next change.
  await stripe.customers.update(customer.id, { name: "Ada King" });
  return { customer: customer.id, product: product.id };
}

/** What the double has none of. */
const ABSENT: readonly string[] = ["reviews"];

describe("every resource", () => {
  it("is listed by a backfill as Stripe has it", async () => {
    const app = await open(all);
    await fillAll(app);
    await app.b.sync();
    await expectEqual(app, resourceNames);
    for (const name of resourceNames) {
      const rows = await app.b.store.rows(name, "", 1);
      expect(rows.length, name).toBe(ABSENT.includes(name) ? 0 : 1);
    }
    const report = await app.b.billing.verify();
    for (const name of resourceNames) {
      const drift = report.resources[name]?.drift;
      expect(drift, name).toMatchObject({ missing: 0, different: 0, ghost: 0 });
    }
  });

  it("is told of by events, but for what Stripe is silent about", async () => {
    const app = await open({ ...all, endpoint: true });
    await fillAll(app);
    await app.double.settle({ store: app.b.store, resources: "all" });
    // Edits alone are silent, and there is none; and what is made is silent of sessions, which ended.
    const edited = ["payment_intents", "setup_intents", "checkout_sessions"];
    const told = resourceNames.filter(
      (name) => edited.includes(name) || !("silent" in resources[name]),
    );
    expect(told.length).toBeGreaterThan(24);
    await expectEqual(app, told);
    await scheduled(app, "reconcile");
    await expectEqual(app, resourceNames);
  });

  it("is put right by a reconcile, and what is gone is removed", async () => {
    const app = await open(all);
    const { customer } = await fillAll(app);
    await app.b.sync();
    const broken = resourceNames.filter(
      (name) => !ABSENT.includes(name) && name !== "customers" && name !== "subscriptions",
    );
    for (const name of broken) {
      await app.sql(
        `UPDATE ${app.schema}.${resources[name].table} SET stripe = stripe || '{"broken": true}'`,
      );
    }
    const { resources: before } = await app.b.billing.verify();
    for (const name of broken) expect(before[name]?.drift?.different, name).toBeGreaterThan(0);
    await app.b.billing.reconcile();
    await expectEqual(app, resourceNames);
    const [taxId] = (await app.stripe.customers.listTaxIds(customer)).data;
    await app.stripe.customers.deleteTaxId(customer, taxId?.id ?? "");
    await app.b.billing.reconcile();
    await expectEqual(app, ["tax_ids"]);
  });

  it("that the key may not read fails with advice, and the others go on", async () => {
    const app = await open(all);
    await fillAll(app);
    const scopes = Object.fromEntries(
      [...resourceNames.map(stripePath), "events"]
        .filter((path) => path !== "payment_methods")
        .map((path) => [path, "read" as const]),
    );
    const secret_key = app.double.restrictedKey(scopes);
    const error = await billingError(createBilling({ ...app.config, secret_key }).sync());
    expect(error.message).toContain("Let the restricted key read payment_methods, or leave");
    await expectEqual(
      app,
      resourceNames.filter((name) => name !== "payment_methods"),
    );
  });
});

describe("what Stripe lists for one customer at a time", () => {
  it("takes one request for each of a thousand customers, and no more", async () => {
    const app = await open({ config: { resources: ["customers", "payment_methods", "tax_ids"] } });
    app.double.populate({ object: "customer", count: 1_000 });
    const customers = app.double.objects("customer").map(({ id }) => id);
    for (const [index, customer] of customers.entries()) {
      if (index % 50 !== 0) continue;
      await app.stripe.paymentMethods.attach("pm_card_visa", { customer });
      await app.stripe.customers.createTaxId(customer, { type: "eu_vat", value: "DE123456789" });
    }
    app.double.requests.clear();
    await app.b.sync();
    expect(app.double.requests.count("GET /v1/customers/:customer/payment_methods")).toBe(1_000);
    expect(app.double.requests.count("GET /v1/customers/:customer/tax_ids")).toBe(1_000);
    expect(app.double.requests.count("GET /v1/tax_ids")).toBe(1);
    await expectEqual(app, ["payment_methods", "tax_ids"]);
  });

  it("is read to its end where it is long, and of a customer that is gone there is nothing", async () => {
    const app = await open({ config: { resources: ["customers", "payment_methods"] } });
    const { id: customer } = await app.stripe.customers.create({ name: "Ada" });
    for (let card = 0; card < 120; card++) {
      await app.stripe.paymentMethods.attach("pm_card_visa", { customer });
    }
    const { id: gone } = await app.stripe.customers.create({ name: "Charles" });
    await app.b.sync();
    expect(await app.b.store.rows("payment_methods", "", 500)).toHaveLength(120);
    await app.stripe.customers.del(gone); // the mirror has it still when it asks for its cards
    const report = await app.b.billing.verify();
    expect(report).toMatchObject({ state: "done", resources: { payment_methods: { rows: 120 } } });
  });

  it("is left out of the nightly comparison", async () => {
    const app = await open({ config: { resources: ["customers", "payment_methods"] } });
    app.double.populate({ object: "customer", count: 20 });
    await app.b.sync();
    const lists = "GET /v1/customers/:customer/payment_methods";
    app.double.requests.clear();
    const night = await scheduled(app, "reconcile");
    expect(night).toMatchObject({ kind: "reconcile", state: "done" });
    expect(night?.resources).not.toHaveProperty("payment_methods");
    expect(app.double.requests.count(lists)).toBe(0);
    await app.b.billing.reconcile();
    expect(app.double.requests.count(lists)).toBe(20);
  });

  it("cannot be mirrored without the customers", () => {
    const config = { webhook_secret: "whsec_none", secret_key: "sk_test_none", db: new pg.Pool() };
    const resources = ["payment_methods"] as const;
    expect(() => createBilling({ ...config, base_url: "https://app.example", resources })).toThrow(
      "name customers, too",
    );
  });
});
