// What Stripe lists only for one owner at a time: when it is compared, and what is left out.
import { describe, expect, it } from "vitest";
import { expectEqual, quietApplications, scheduled } from "./kit.js";

const open = quietApplications();

describe("tax ids", () => {
  const config = { resources: ["customers", "tax_ids"] } as const;
  const lists = "GET /v1/customers/:customer/tax_ids";
  const vat = { type: "eu_vat", value: "DE123456789" } as const;

  it("of the account itself are compared every night, and those of customers are not", async () => {
    const app = await open({ config });
    const { id: customer } = await app.stripe.customers.create({ name: "Ada" });
    await app.stripe.customers.createTaxId(customer, vat);
    const gone = await app.stripe.taxIds.create({ ...vat, value: "DE111111111" });
    await app.b.sync();
    await expectEqual(app, ["tax_ids"]);

    await app.double.clock.advance({ days: 1 });
    // Stripe has no event of these two.
    await app.stripe.taxIds.del(gone.id);
    const { id: added } = await app.stripe.taxIds.create({ ...vat, value: "DE222222222" });
    app.double.requests.clear();
    const night = await scheduled(app, "reconcile");
    expect(app.double.requests.count(lists)).toBe(0);
    // The one that is gone is asked for by its id. The customer's was in no list, and is not.
    expect(app.double.requests.count("GET /v1/tax_ids/:id")).toBe(1);
    await expectEqual(app, ["tax_ids"]);
    expect(night?.resources.tax_ids).toMatchObject({
      state: "done",
      drift: {
        ghost: 1,
        examples: [
          { id: added, kind: "missing" },
          { id: gone.id, kind: "ghost" },
        ],
      },
    });
  });

  it("of customers are listed by night where they were never listed to their end", async () => {
    const app = await open({ config });
    const { id: customer } = await app.stripe.customers.create({ name: "Ada" });
    await app.stripe.customers.createTaxId(customer, vat);
    await app.b.sync();
    // As a backfill leaves it that failed for want of a permission.
    for (const table of ["tax_ids", "versions"]) {
      await app.sql(`DELETE FROM ${app.schema}.backend_billing_${table}`);
    }
    await app.sql(`DELETE FROM ${app.schema}.backend_billing_records WHERE id = 'tax_ids'`);
    await scheduled(app, "reconcile");
    await expectEqual(app, ["tax_ids"]);
    app.double.requests.clear();
    await scheduled(app, "reconcile");
    expect(app.double.requests.count(lists)).toBe(0);
  });
});
