// What the suite uses of this peer, resolved from here so that it gets the versions it asks for.
// The CommonJS build: `runMigrations` of the ES module finds no migrations and creates no tables.
import { createRequire } from "node:module";

export const { runMigrations, StripeSync } = createRequire(import.meta.url)(
  "@supabase/stripe-sync-engine",
);
