// What is stored of an object whose customer was erased, and through what objects belong to customers.
import { describe, expect, it } from "vitest";
import { childrenOf, parentsOf } from "../../../src/core/catalogue/kin.js";
import { isScrubbed, scrubbed } from "../../../src/core/mirror/scrub.js";

describe("an object of an erased customer", () => {
  const invoice = {
    id: "in_1",
    object: "invoice",
    customer: "cus_1",
    customer_email: "ada@example.com",
    customer_tax_ids: [{ type: "eu_vat", value: "DE1" }],
    number: "ABC-0001",
    total: 500,
    currency: "usd",
    status: "paid",
    created: 1,
    metadata: { note: "personal" },
    discounts: ["di_1"],
    preferred_locales: ["en"],
    lines: { data: [{ id: "il_1", description: "For Ada", price: { unit_amount_decimal: "5" } }] },
    card: { exp_month: 12, last4: "4242", tax_id: "000.000.000-00" },
  };

  it("keeps ids, links, amounts, states and times, and nothing else", () => {
    expect(scrubbed(invoice)).toEqual({
      id: "in_1",
      object: "invoice",
      customer: "cus_1",
      customer_email: null,
      customer_tax_ids: [{ type: "eu_vat", value: null }],
      number: "ABC-0001",
      total: 500,
      currency: "usd",
      status: "paid",
      created: 1,
      metadata: {},
      discounts: ["di_1"],
      preferred_locales: [],
      lines: { data: [{ id: "il_1", description: null, price: { unit_amount_decimal: "5" } }] },
      card: { exp_month: null, last4: null, tax_id: null },
      erased: true,
    });
  });

  it("is the same when it is scrubbed again", () => {
    const once = scrubbed(invoice);
    expect(scrubbed(once)).toEqual(once);
    expect([isScrubbed(once), isScrubbed(invoice), isScrubbed(null)]).toEqual([true, false, false]);
  });

  it("is found through what it names, where it names no customer", () => {
    expect(parentsOf("refunds")).toEqual([{ resource: "charges", field: "stripe.charge" }]);
    expect(parentsOf("disputes").map(({ resource }) => resource)).toEqual([
      "charges",
      "payment_intents",
    ]);
    expect(parentsOf("prices")).toEqual([]);
    expect(childrenOf("customers")).toContainEqual({ resource: "invoices", field: "customerId" });
    expect(childrenOf("charges")).toContainEqual({ resource: "refunds", field: "stripe.charge" });
    expect(childrenOf("products")).toEqual([]);
  });
});
