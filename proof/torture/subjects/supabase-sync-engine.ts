/** @supabase/stripe-sync-engine, as its README says; and again with the options that help. */
import type pg from "pg";
import Stripe from "stripe";
import { factsOf, itemFacts, type Json, type Kind } from "../harness/facts.js";
import { peer, versionOf } from "../harness/peer.js";
import type { Instance, Subject } from "../harness/subject.js";

const NAME = "supabase-sync-engine";
/** What its README calls the default. */
const API_VERSION = "2020-08-27";

const TABLES = {
  customer: "customers",
  product: "products",
  price: "prices",
  subscription: "subscriptions",
  refund: "refunds",
} as const satisfies { readonly [K in Kind]?: string };

const REVALIDATED = ["customer", "price", "product", "refund", "subscription"];

/** What it handles of what is compared, and of what goes with it. */
const EVENTS = [
  "customer.created",
  "customer.updated",
  "customer.deleted",
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
  "customer.subscription.paused",
  "customer.subscription.resumed",
  "customer.subscription.trial_will_end",
  "product.created",
  "product.updated",
  "product.deleted",
  "price.created",
  "price.updated",
  "price.deleted",
  "refund.created",
  "refund.updated",
  "refund.failed",
] as const;

interface Engine {
  runMigrations(config: { databaseUrl: string; schema: string }): Promise<void>;
  StripeSync: new (config: {
    poolConfig: { connectionString: string; max: number };
    stripeSecretKey: string;
    stripeWebhookSecret: string;
    stripeApiVersion: string;
    autoExpandLists?: boolean;
    revalidateObjectsViaStripeApi?: readonly string[];
  }) => {
    postgresClient: { pool: pg.Pool };
    processWebhook(payload: Buffer, signature: string | undefined): Promise<void>;
    syncBackfill(params: { object: string }): Promise<unknown>;
    close(): Promise<void>;
  };
}

function subject(variant: "plain" | "revalidating"): Subject {
  const revalidates = variant === "revalidating";
  return {
    name: revalidates ? `${NAME}-revalidating` : NAME,
    title: `@supabase/stripe-sync-engine${revalidates ? ", revalidating" : ""}`,
    how: revalidates
      ? "with `revalidateObjectsViaStripeApi` for all that is compared, and `autoExpandLists`"
      : "with its defaults; migrated by its CommonJS build, because the ES module's creates no tables",
    version: () => versionOf(NAME, "@supabase/stripe-sync-engine"),
    mirrors: Object.keys(TABLES) as Kind[],
    abilities: ["backfill", "repair", "several subscriptions", "kill", "database outage"],
    prepare: async (database) => {
      const { runMigrations } = await peer<Engine>(NAME);
      await runMigrations({ databaseUrl: database, schema: "stripe" });
    },
    install: async ({ url, secretKey, stripe }) => {
      const client = new Stripe(secretKey, { ...stripe, telemetry: false });
      const { id, secret = "" } = await client.webhookEndpoints.create({
        url: `${url}/webhooks`,
        enabled_events: [...EVENTS],
        api_version: API_VERSION,
      });
      return { secrets: [secret], endpoint: id };
    },
    start: async ({ database, secretKey }, { secrets }): Promise<Instance> => {
      const { StripeSync } = await peer<Engine>(NAME);
      const engine = new StripeSync({
        poolConfig: { connectionString: database, max: 10 },
        stripeSecretKey: secretKey,
        stripeWebhookSecret: secrets[0] ?? "",
        stripeApiVersion: API_VERSION,
        ...(revalidates
          ? { autoExpandLists: true, revalidateObjectsViaStripeApi: REVALIDATED }
          : {}),
      });
      const { pool } = engine.postgresClient;
      const backfill = async (kinds: readonly Kind[]) => {
        for (const object of kinds) await engine.syncBackfill({ object });
        return true;
      };
      return {
        fetch: async (request) => {
          const signature = request.headers.get("stripe-signature") ?? undefined;
          await engine.processWebhook(Buffer.from(await request.arrayBuffer()), signature);
          return new Response(null, { status: 200 });
        },
        rows: (kind) => rows(pool, kind),
        settle: async () => {},
        backfill,
        repair: backfill,
        close: () => engine.close(),
      };
    },
  };
}

async function rows(pool: pg.Pool, kind: Kind) {
  const table = TABLES[kind as keyof typeof TABLES];
  const { rows: objects } = await pool.query<Json>(`SELECT * FROM stripe.${table}`);
  const alive = objects.filter(({ deleted }) => deleted !== true);
  if (kind !== "subscription") return alive.map((object) => factsOf(kind, object));
  // Items have a table of their own, which is what one joins with.
  const items = await pool.query<{ subscription: string; price: string; quantity: number }>(
    "SELECT subscription, price, quantity FROM stripe.subscription_items WHERE deleted IS NOT TRUE",
  );
  return alive.map((object) => ({
    ...factsOf(kind, object),
    items: itemFacts(items.rows.filter(({ subscription }) => subscription === object.id)),
  }));
}

export const supabaseSyncEngine = subject("plain");
export const supabaseSyncEngineRevalidating = subject("revalidating");
