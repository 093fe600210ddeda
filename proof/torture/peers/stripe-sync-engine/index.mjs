// What the suite uses of this peer, resolved from here so that it gets the versions it asks for.
export { runMigrations, StripeSync } from "@stripe/sync-engine";
