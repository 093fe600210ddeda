/**
 * `@stripe/sync-engine`, with the settings its makers recommend for speed: twenty workers, no
 * limiter. Its migrations read Stripe's OpenAPI document, which they otherwise download:
 * STRIPE_OPENAPI names a copy, and one that lies beside this repository is found.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SECRET_KEY, WEBHOOK_SECRET } from "../data.js";
import { countOf, endpointOf, type Peer, peerPackage, quiet, storeByEvents } from "./peer.js";
import type { Open } from "./subject.js";

/** What is used of the package. */
interface Engine extends Peer {
  readonly webhook: { processWebhook(body: string, signature: string): Promise<void> };
  fullSync(
    objects: readonly string[],
    skipRecent: boolean,
    workers: number,
    requestsPerSecond: number,
    schedule: boolean,
  ): Promise<{ readonly errors: readonly unknown[] }>;
  close(): Promise<void>;
}

interface Package {
  readonly StripeSync: { create(options: object): Promise<Engine> };
  runMigrations(options: object): Promise<void>;
}

const WORKERS = 20;
const BESIDE = fileURLToPath(
  new URL("../../../../shared/facts/stripe-openapi-2020-08-27.json", import.meta.url),
);

export const open: Open = async ({ databaseUrl, listPort }) => {
  const { StripeSync, runMigrations } = peerPackage<Package>("@stripe/sync-engine");
  const openApiSpecPath = process.env.STRIPE_OPENAPI ?? (existsSync(BESIDE) ? BESIDE : undefined);
  await runMigrations({ databaseUrl, logger: quiet, ...(openApiSpecPath && { openApiSpecPath }) });
  const engine = await StripeSync.create({
    databaseUrl,
    stripeSecretKey: SECRET_KEY,
    stripeWebhookSecret: WEBHOOK_SECRET,
    stripeAccountId: "acct_benchmark",
    logger: quiet,
    poolConfig: { max: WORKERS },
  });
  endpointOf(engine, listPort);
  const query = (text: string) => engine.postgresClient.query(text);
  const accept: ReturnType<typeof storeByEvents>["accept"] =
    ({ body, signature }) =>
    () =>
      engine.webhook.processWebhook(body, signature);
  return {
    ...storeByEvents(accept),
    count: (kind) => countOf(engine, kind),
    async clear() {
      await query("TRUNCATE stripe.customers, stripe.subscriptions, stripe.subscription_items");
      await query("DELETE FROM stripe._sync_obj_runs");
      await query("DELETE FROM stripe._sync_runs");
    },
    async backfill() {
      const kinds = ["customer", "subscription"];
      const { errors } = await engine.fullSync(kinds, true, WORKERS, 1_000_000, false);
      if (errors.length > 0) throw new Error(JSON.stringify(errors));
    },
    close: () => engine.close(),
  };
};
