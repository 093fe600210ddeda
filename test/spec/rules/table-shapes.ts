/** Section 2: the fields and indexes of each table, as the database has them. */
import { expect } from "vitest";
import type { ResourceName } from "../../../src/core/catalogue.js";
import type { Check, Checks, TableShape } from "../harness.js";
import { populate } from "../kit.js";

const string = { type: "string", nullable: false } as const;
const stringOrNull = { type: "string", nullable: true } as const;
const object = { type: "object", nullable: false } as const;
const COMMON = { _id: string, last_synced_at: { type: "number", nullable: false } } as const;

/** The table's fields, and that its rows have just these, of these types. */
const fields =
  (resource: ResourceName, own: TableShape["fields"]): Check =>
  async (open) => {
    const app = await open({ delivery: "held" });
    const wanted = { ...COMMON, ...own };
    expect((await app.tables())[`backend_billing_${resource}`]?.fields).toEqual(wanted);
    await populate(app);
    await app.b.sync();
    const rows: readonly object[] = await app.rows(resource);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(Object.keys(row).sort()).toEqual(Object.keys(wanted).sort());
      for (const [field, value] of Object.entries(row)) {
        if (value === null)
          expect(wanted[field as keyof typeof wanted]?.nullable, field).toBe(true);
        else expect(typeof value, field).toBe(wanted[field as keyof typeof wanted]?.type);
      }
    }
  };

/** The indexes of the specification are there and cover what their names say. */
const indexes =
  (resource: ResourceName, wanted: TableShape["indexes"]): Check =>
  async (open) => {
    const app = await open({ installed: false });
    expect((await app.tables())[`backend_billing_${resource}`]?.indexes).toMatchObject(wanted);
  };

export const tableShapes: Checks<"2#table-"> = {
  "2#table-products-fields": fields("products", { productId: string, stripe: object }),
  "2#table-products-indexes": indexes("products", {
    byActive: "stripe.active",
    byName: "stripe.name",
  }),
  "2#table-prices-fields": fields("prices", { priceId: string, stripe: object }),
  "2#table-prices-indexes": indexes("prices", {
    byProductId: "stripe.product",
    byActive: "stripe.active",
    byRecurringInterval: "stripe.recurring.interval",
    byCurrency: "stripe.currency",
  }),
  // Customers that no entity owns, such as those made in Stripe's dashboard, are mirrored too.
  "2#table-customers-fields": fields("customers", {
    entityId: stringOrNull,
    customerId: string,
    stripe: object,
  }),
  "2#table-customers-indexes": indexes("customers", {
    byEntityId: "entityId",
    byCustomerId: "customerId",
  }),
  "2#table-subscriptions-fields": fields("subscriptions", {
    customerId: string,
    subscriptionId: stringOrNull,
    stripe: { type: "object", nullable: true },
  }),
  "2#table-subscriptions-indexes": indexes("subscriptions", {
    bySubscriptionId: "subscriptionId",
    byCustomerId: "customerId",
  }),
  "2#table-coupons-fields": fields("coupons", { couponId: string, stripe: object }),
  "2#table-coupons-indexes": indexes("coupons", { byCouponId: "couponId" }),
  "2#table-promotion_codes-fields": fields("promotion_codes", {
    promotionCodeId: string,
    stripe: object,
  }),
  "2#table-promotion_codes-indexes": indexes("promotion_codes", {
    byPromotionCodeId: "promotionCodeId",
  }),
  "2#table-payouts-fields": fields("payouts", { payoutId: string, stripe: object }),
  "2#table-payouts-indexes": indexes("payouts", { byPayoutId: "payoutId" }),
  "2#table-refunds-fields": fields("refunds", { refundId: string, stripe: object }),
  "2#table-refunds-indexes": indexes("refunds", { byRefundId: "refundId" }),
};
