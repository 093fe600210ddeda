/** @stripe/sync-engine as its command runs it; and again with the options that help. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { factsOf, itemFacts, type Json, type Kind } from "../harness/facts.js";
import { peer, versionOf } from "../harness/peer.js";
import { redirectStripe } from "../harness/redirect.js";
import type { Instance, Subject, Surroundings } from "../harness/subject.js";

const NAME = "stripe-sync-engine";
/** What its command uses, and what its tables are made for. */
const API_VERSION = "2020-08-27";
/** Its migrations need Stripe's OpenAPI file of that version, which they download otherwise. */
const SPECIFICATION =
  process.env.TORTURE_STRIPE_OPENAPI ??
  fileURLToPath(new URL("../.cache/stripe-openapi-2020-08-27.json", import.meta.url));

const TABLES = {
  customer: "customers",
  product: "products",
  price: "prices",
  subscription: "subscriptions",
  coupon: "coupons",
  refund: "refunds",
} as const satisfies { readonly [K in Kind]?: string };

const REVALIDATED = ["customer", "price", "product", "coupon", "refund", "subscription"];

interface Engine {
  runMigrations(config: {
    databaseUrl: string;
    stripeApiVersion: string;
    openApiSpecPath: string;
    logger: object;
  }): Promise<void>;
  StripeSync: {
    create(config: {
      databaseUrl: string;
      stripeSecretKey: string;
      stripeAccountId: string;
      stripeApiVersion: string;
      stripeWebhookSecret?: string;
      autoExpandLists: boolean;
      backfillRelatedEntities: boolean;
      revalidateObjectsViaStripeApi?: readonly string[];
      poolConfig: { connectionString: string; max: number; keepAlive: boolean };
      logger: object;
    }): Promise<Sync>;
  };
}

interface Sync {
  postgresClient: { pool: pg.Pool };
  webhook: {
    processWebhook(payload: Buffer, signature: string | undefined): Promise<void>;
    findOrCreateManagedWebhook(url: string): Promise<{ id: string; secret?: string }>;
  };
  fullSync(
    tables: readonly string[],
    segmented: boolean,
    workers: number,
    rateLimit: number,
    monitor: boolean,
    interval?: number,
  ): Promise<{ errors: readonly unknown[] }>;
  close(): Promise<void>;
}

const silent = { info() {}, warn() {}, error() {} };
/** What its command passes. */
const [WORKERS, RATE] = [50, 25];

async function open(around: Surroundings, revalidates: boolean, secret?: string): Promise<Sync> {
  const { StripeSync } = await peer<Engine>(NAME);
  redirectStripe(around.secretKey, around.stripe.port);
  return StripeSync.create({
    databaseUrl: around.database,
    stripeSecretKey: around.secretKey,
    stripeAccountId: around.account,
    stripeApiVersion: API_VERSION,
    ...(secret === undefined ? {} : { stripeWebhookSecret: secret }),
    autoExpandLists: revalidates,
    backfillRelatedEntities: true,
    ...(revalidates ? { revalidateObjectsViaStripeApi: REVALIDATED } : {}),
    poolConfig: { connectionString: around.database, max: 10, keepAlive: true },
    logger: silent,
  });
}

function subject(variant: "plain" | "revalidating"): Subject {
  const revalidates = variant === "revalidating";
  return {
    name: revalidates ? `${NAME}-revalidating` : NAME,
    title: `@stripe/sync-engine${revalidates ? ", revalidating" : ""}`,
    how: revalidates
      ? "with `revalidateObjectsViaStripeApi` for all that is compared, and `autoExpandLists`"
      : "with the settings of its own command, its managed webhook, and a full sync of what is compared",
    version: () => versionOf(NAME, "@stripe/sync-engine"),
    mirrors: Object.keys(TABLES) as Kind[],
    abilities: [
      "backfill",
      "repair",
      "several subscriptions",
      "endpoint",
      "kill",
      "database outage",
    ],
    unavailable: () =>
      existsSync(SPECIFICATION)
        ? undefined
        : "its migrations need Stripe's OpenAPI file, see proof/torture/README.md",
    prepare: async (database) => {
      const { runMigrations } = await peer<Engine>(NAME);
      await runMigrations({
        databaseUrl: database,
        stripeApiVersion: API_VERSION,
        openApiSpecPath: SPECIFICATION,
        logger: silent,
      });
    },
    install: async (around) => {
      const sync = await open(around, revalidates);
      const { id, secret = "" } = await sync.webhook.findOrCreateManagedWebhook(
        `${around.url}/stripe-webhooks`,
      );
      await sync.close();
      return { secrets: [secret], endpoint: id };
    },
    start: async (around, { secrets }): Promise<Instance> => {
      const sync = await open(around, revalidates, secrets[0]);
      const { pool } = sync.postgresClient;
      /** `interval` says how recent a run makes another one needless, in seconds. */
      const fullSync = async (kinds: readonly Kind[], interval?: number) => {
        const report = await sync.fullSync(kinds, true, WORKERS, RATE, false, interval);
        return report.errors.length === 0;
      };
      return {
        fetch: async (request) => {
          const signature = request.headers.get("stripe-signature") ?? undefined;
          try {
            await sync.webhook.processWebhook(Buffer.from(await request.arrayBuffer()), signature);
            return new Response(null, { status: 200 });
          } catch {
            return new Response(null, { status: 400 }); // as its own server answers
          }
        },
        rows: (kind) => rows(pool, kind),
        settle: async () => {},
        backfill: (kinds) => fullSync(kinds),
        repair: (kinds) => fullSync(kinds, 0),
        endpoint: async () => {
          await sync.webhook.findOrCreateManagedWebhook(`${around.url}/stripe-webhooks`);
        },
        close: () => sync.close(),
      };
    },
  };
}

async function rows(pool: pg.Pool, kind: Kind) {
  const table = TABLES[kind as keyof typeof TABLES];
  const read = async (name: string) => {
    const { rows: found } = await pool.query<{ raw: Json }>(
      `SELECT _raw_data AS raw FROM stripe.${name}`,
    );
    return found.map(({ raw }) => raw).filter(({ deleted }) => deleted !== true);
  };
  const objects = await read(table);
  if (kind !== "subscription") return objects.map((object) => factsOf(kind, object));
  // Items have a table of their own, which is what one joins with.
  const items = await read("subscription_items");
  return objects.map((object) => ({
    ...factsOf(kind, object),
    items: itemFacts(items.filter(({ subscription }) => subscription === object.id)),
  }));
}

export const stripeSyncEngine = subject("plain");
export const stripeSyncEngineRevalidating = subject("revalidating");
