/** Section 2: the fields and indexes of each table, as the database has them. */
import { expect } from "vitest";
import type { ResourceName } from "../../../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { Check, Checks, FieldShape, TableShape } from "../../harness.js";
import { populate } from "../../kit.js";

const string = { type: "string", nullable: false } as const;
const stringOrNull = { type: "string", nullable: true } as const;
const object = { type: "object", nullable: false } as const;
const COMMON = { _id: string, last_synced_at: { type: "number", nullable: false } } as const;

/** The table's fields as its schema has them, and as its rows show them. */
const fields =
  (resource: ResourceName, own: TableShape["fields"]): Check =>
  async (open) => {
    const app = await open({ delivery: "held" });
    const wanted: TableShape["fields"] = { ...COMMON, ...own };
    const declared = (await app.tables())[`backend_billing_${resource}`]?.fields ?? {};
    const unsaid = Object.keys(declared).filter((field) => declared[field]?.nullable === undefined);
    // Only Stripe's object may be left to its rows, which are looked at below.
    expect(["stripe"]).toEqual(expect.arrayContaining(unsaid));
    const told = (shape: TableShape["fields"]) =>
      Object.fromEntries(
        Object.entries(shape).map(([field, { type, nullable }]) => [
          field,
          unsaid.includes(field) ? { type } : { type, nullable },
        ]),
      );
    expect(told(declared)).toEqual(told(wanted));

    await populate(app);
    // A customer of an entity, and one without subscriptions: every field that may be null is
    // null in one row and not in another.
    await app.b.setup({ entityId: "user_1" });
    await app.b.sync();
    expect(shownBy(await app.rows(resource))).toEqual(wanted);
  };

/** What rows show of their fields; a field that is missing in one of them is of the type undefined. */
function shownBy(rows: readonly object[]): { [field: string]: FieldShape } {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const shown = [...names].map((field) => {
    const values = rows.map((row) => (row as { [field: string]: unknown })[field]);
    const types = new Set(values.filter((value) => value !== null).map((value) => typeof value));
    return [field, { type: [...types].join(" or "), nullable: values.includes(null) }];
  });
  return Object.fromEntries(shown);
}

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
