// What the suite uses of this peer, resolved from here so that it gets the versions it asks for.
export { internalConvexStripe, stripeTables } from "@raideno/convex-stripe/server";
export { defineSchema, httpRouter, makeFunctionReference } from "convex/server";
export { convexTest } from "convex-test";
