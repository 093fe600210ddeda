// Generated from src/postgres/tables.ts by `npm run generate`. Do not edit.

import { pgTable } from "drizzle-orm/pg-core";
import { defineTables } from "./define.js";

export const {
  billingVersions,
  billingReceipts,
  billingRecords,
  billingProducts,
  billingPrices,
  billingCustomers,
  billingSubscriptions,
  billingCoupons,
  billingPromotionCodes,
  billingPayouts,
  billingRefunds,
} = defineTables(pgTable);
