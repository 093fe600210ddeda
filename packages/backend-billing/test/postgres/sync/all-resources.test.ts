// Every resource that can be mirrored, also what no application mirrors by default: listed, told of
// by events, compared and repaired, each as Stripe has it; and what is listed for each customer.
import pg from "pg";
import { describe, expect, it } from "vitest";
import { fillAll } from "../../../../../support/everything/account.js";
import { describeEverything } from "../../../../../support/everything/describe.js";
import { openPostgres } from "../../../../../support/everything/postgres.js";
import { stripePath } from "../../../../../support/stripe-path.js";
import { resourceNames } from "../../../src/core/catalogue/catalogue.js";
import { createBilling } from "../../../src/postgres/index.js";
import { billingError, expectEqual, quietApplications, scheduled } from "./kit.js";

const open = quietApplications();
const all = { config: { resources: "all" } } as const;

describeEverything("PostgreSQL", openPostgres, { slow: 1, long: 10 });

describe("every resource", () => {
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
