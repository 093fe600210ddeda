// What the suite uses of this peer, resolved from here so that it gets the versions it asks for.
export { internalConvexStripe, stripeTables } from "@raideno/convex-stripe/server";
export { defineSchema, defineTable, httpRouter, makeFunctionReference } from "convex/server";
export { v } from "convex/values";
export { convexTest } from "convex-test";
