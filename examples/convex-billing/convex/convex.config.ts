import { defineApp } from "convex/server";
import { v } from "convex/values";

/** All of them optional, so that the first push needs none. */
export default defineApp({
  env: {
    STRIPE_SECRET_KEY: v.optional(v.string()),
    STRIPE_WEBHOOK_SECRET: v.optional(v.string()),
    SITE_URL: v.optional(v.string()),
  },
});
