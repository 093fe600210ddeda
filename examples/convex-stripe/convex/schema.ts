import { billingTables } from "backend-billing/convex";
import { defineSchema } from "convex/server";

export default defineSchema({ ...billingTables });
