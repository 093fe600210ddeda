import { billingTables } from "backend-billing/convex/tables";
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

/** All tables: the library's, and this app's own. */
export default defineSchema({
  ...billingTables,
  users: defineTable({
    name: v.string(),
    email: v.string(),
    password: v.string(),
  }).index("by_email", ["email"]),
  sessions: defineTable({
    token: v.string(),
    userId: v.id("users"),
  }).index("by_token", ["token"]),
  organisations: defineTable({
    name: v.string(),
    ownerId: v.id("users"),
  }).index("by_owner", ["ownerId"]),
  /** Who was invited to write along; together with the owner they are the seats. */
  members: defineTable({
    entityId: v.string(),
    email: v.string(),
  }).index("by_entity", ["entityId", "email"]),
  /** What was sent, by the id that the page gave it. */
  letters: defineTable({
    entityId: v.string(),
    id: v.string(),
    readers: v.number(),
  }).index("by_entity", ["entityId", "id"]),
  /** What is to be mailed. */
  mails: defineTable({
    key: v.string(),
    entityId: v.string(),
    subject: v.string(),
    /** When it is to be sent, or to be sent again if that failed; null once it was. */
    dueAt: v.union(v.number(), v.null()),
  }).index("by_due", ["dueAt"]),
  /** What was, or is about to be, paid for once. */
  orders: defineTable({
    entityId: v.string(),
    pack: v.string(),
    name: v.string(),
    paidAt: v.union(v.number(), v.null()),
  }).index("by_entity", ["entityId", "paidAt"]),
});
