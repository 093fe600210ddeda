import { billingTables } from "backend-billing/convex/tables";
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  ...billingTables,
  users: defineTable({
    tokenIdentifier: v.string(),
    email: v.optional(v.string()),
  }).index("by_token", ["tokenIdentifier"]),
  projects: defineTable({
    ownerId: v.id("users"),
    name: v.string(),
  }).index("by_owner", ["ownerId"]),
});
