// What the suite uses of this peer, resolved from here so that it gets the versions it asks for.
import { createRequire } from "node:module";

export { Billing } from "stripe-no-webhooks";

/** What `npx stripe-no-webhooks migrate` and `backfill` run. */
const command = (name) =>
  createRequire(import.meta.url)(`./node_modules/stripe-no-webhooks/bin/commands/${name}.js`)[name];
export const migrate = command("migrate");
export const backfill = command("backfill");
