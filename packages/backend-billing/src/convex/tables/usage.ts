/** The tables of usage: balances, what they add up, and what was counted. */
import { defineTable } from "convex/server";
import { v } from "convex/values";

const place = { entityId: v.string(), feature: v.string() };

/** What mutations of the application write by `consume` and the like, and what is sent to Stripe. */
export const usageTables = {
  /** The sums that a taking goes by: one document for an entity and a feature. */
  backend_billing_usage_balances: defineTable({
    ...place,
    granted: v.number(),
    used: v.number(),
    held: v.number(),
    over: v.number(),
    heldOver: v.number(),
    most: v.number(),
    billed: v.boolean(),
    window: v.string(),
    validUntil: v.number(),
  }).index("byFeature", ["entityId", "feature"]),
  /** What was given; those that are not closed are read by every taking. */
  backend_billing_usage_grants: defineTable({
    ...place,
    key: v.string(),
    source: v.union(v.literal("plan"), v.literal("pack"), v.literal("given")),
    original: v.number(),
    amount: v.number(),
    used: v.number(),
    held: v.number(),
    createdAt: v.number(),
    /** Null: it does not end. */
    expiresAt: v.union(v.number(), v.null()),
    live: v.boolean(),
    closed: v.boolean(),
  })
    .index("byKey", ["entityId", "feature", "key"])
    .index("byClosed", ["entityId", "closed", "feature"]),
  /** Reservations; those that are held are read by every taking. */
  backend_billing_usage_holds: defineTable({
    ...place,
    key: v.string(),
    amount: v.number(),
    parts: v.array(v.object({ grant: v.string(), amount: v.number() })),
    over: v.number(),
    state: v.union(v.literal("held"), v.literal("finished"), v.literal("released")),
    expiresAt: v.number(),
  })
    .index("byKey", ["entityId", "feature", "key"])
    .index("byState", ["entityId", "state", "feature"]),
  /** What was counted, once for each key. */
  backend_billing_usage_records: defineTable({
    ...place,
    key: v.string(),
    amount: v.number(),
    over: v.number(),
    billed: v.boolean(),
    at: v.number(),
    /** Null: Stripe has not been sent it. */
    batch: v.union(v.string(), v.null()),
  })
    .index("byKey", ["entityId", "feature", "key"])
    .index("byBatch", ["billed", "batch", "entityId", "feature", "at"]),
};
