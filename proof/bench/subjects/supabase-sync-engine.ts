/** `@supabase/stripe-sync-engine`, with its default settings. */
import { SECRET_KEY, WEBHOOK_SECRET } from "../data.js";
import { countOf, endpointOf, type Peer, peerPackage, quiet, storeByEvents } from "./peer.js";
import type { Open } from "./subject.js";

/** What is used of the package. */
interface Engine extends Peer {
  processWebhook(body: string, signature: string): Promise<void>;
  syncBackfill(options: { object: string }): Promise<unknown>;
  close(): Promise<void>;
}

interface Package {
  readonly StripeSync: new (options: object) => Engine;
  runMigrations(options: object): Promise<void>;
}

export const open: Open = async ({ databaseUrl, listPort }) => {
  const { StripeSync, runMigrations } = peerPackage<Package>("@supabase/stripe-sync-engine");
  await runMigrations({ databaseUrl, schema: "stripe", logger: quiet });
  const engine = new StripeSync({
    databaseUrl,
    schema: "stripe",
    stripeSecretKey: SECRET_KEY,
    stripeWebhookSecret: WEBHOOK_SECRET,
    poolConfig: { max: 10 },
  });
  endpointOf(engine, listPort);
  const query = (text: string) => engine.postgresClient.query(text);
  const accept: ReturnType<typeof storeByEvents>["accept"] =
    ({ body, signature }) =>
    () =>
      engine.processWebhook(body, signature);
  return {
    ...storeByEvents(accept),
    count: (kind) => countOf(engine, kind),
    async clear() {
      await query("TRUNCATE stripe.customers, stripe.subscriptions, stripe.subscription_items");
    },
    async backfill() {
      await engine.syncBackfill({ object: "customer" });
      await engine.syncBackfill({ object: "subscription" });
    },
    close: () => engine.close(),
  };
};
