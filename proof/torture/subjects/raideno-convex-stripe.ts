/** @raideno/convex-stripe as its documentation installs it, under convex-test. */
import Stripe from "stripe";
import { type ConvexTest, forget, type Modules, push, routed } from "../harness/convex.js";
import { type Facts, factsOf, type Json, type Kind } from "../harness/facts.js";
import { hearing, type News, newsOf } from "../harness/hooks.js";
import { peer, versionOf } from "../harness/peer.js";
import type { Instance, Subject } from "../harness/subject.js";

const NAME = "raideno-convex-stripe";
/** The one that it asks in, and gives to the endpoint it makes. */
const API_VERSION = "2025-08-27.basil";

const TABLES: { readonly [K in Kind]: string } = {
  customer: "stripeCustomers",
  product: "stripeProducts",
  price: "stripePrices",
  subscription: "stripeSubscriptions",
  coupon: "stripeCoupons",
  promotion_code: "stripePromotionCodes",
  payout: "stripePayouts",
  refund: "stripeRefunds",
};

interface Library {
  convexTest(options: { schema: unknown; modules: Modules }): ConvexTest;
  defineSchema(tables: object): unknown;
  httpRouter(): object;
  makeFunctionReference(name: string): unknown;
  defineTable(validator: unknown): object;
  v: { any(): unknown };
  stripeTables: object;
  internalConvexStripe(config: {
    stripe: { secret_key: string; webhook_secret: string };
    callback?: object;
  }): {
    stripe: {
      addHttpRoutes(http: object): void;
      subscribe(context: object, args: object, options?: object): Promise<{ url: string | null }>;
    };
    store: object;
    sync: object;
    setup: object;
  };
}

interface Changed {
  readonly operation: string;
  readonly table: string;
  readonly data: { readonly stripe: Stripe.Subscription | null };
}

/** Its one callback, which runs in the mutation that stores an object. */
function hooks(inbox: string | undefined) {
  const hear = hearing(inbox);
  if (hear === undefined) return {};
  return {
    callback: {
      unstable__afterChange: async (
        { db }: { db: { insert(table: string, row: object): Promise<unknown> } },
        { operation, table, data }: Changed,
      ) => {
        if (operation !== "upsert" || table !== TABLES.subscription || data.stripe === null) return;
        const news = newsOf("changed", data.stripe);
        await db.insert("told", { ...news });
        await hear(news);
      },
    },
  };
}

export const raidenoConvexStripe: Subject = {
  name: NAME,
  title: "@raideno/convex-stripe",
  how: "as its documentation installs it, under convex-test",
  version: () => versionOf(NAME, "@raideno/convex-stripe"),
  mirrors: Object.keys(TABLES) as Kind[],
  abilities: [
    "backfill",
    "repair",
    "setup",
    "shared emails",
    "selling",
    "return route",
    "organisations",
    "idempotency keys",
    "hooks",
    "hooks in a transaction",
  ],
  install: async ({ url, secretKey, stripe }) => {
    const client = new Stripe(secretKey, { ...stripe, telemetry: false });
    // Its own `sync({ webhook: true })` makes it like this, and only logs that there is a secret.
    const { id, secret = "" } = await client.webhookEndpoints.create({
      url: `${url}/stripe/webhook`,
      enabled_events: ["*"],
      api_version: API_VERSION,
    });
    return { secrets: [secret], endpoint: id };
  },
  start: async (around, { secrets }): Promise<Instance> => {
    const it = await peer<Library>(NAME);
    process.env.CONVEX_SITE_URL ??= "https://happy-animal-123.convex.site"; // for its links
    const { stripe, ...functions } = it.internalConvexStripe({
      stripe: { secret_key: around.secretKey, webhook_secret: secrets[0] ?? "" },
      ...hooks(around.inbox),
    });
    const http = it.httpRouter();
    stripe.addHttpRoutes(http);
    const application = { told: it.defineTable(it.v.any()) };
    const schema = it.defineSchema({ ...it.stripeTables, ...application });
    const files = { http: { default: http }, stripe: functions };
    const test = push(around.url, files, (modules) => it.convexTest({ schema, modules }));
    const call = <Result>(name: string, args: object) =>
      test.action<Result>(it.makeFunctionReference(`stripe:${name}`), args);
    const backfill = async () => {
      await call("sync", {});
      return true;
    };
    return {
      fetch: (request) => routed(test, request),
      rows: async (kind) => {
        const rows = await test.run(({ db }) => db.query(TABLES[kind]).collect());
        const objects = rows.map((row) => (row as { stripe: Json | null }).stripe);
        return objects.flatMap((object): Facts[] =>
          object === null ? [] : [factsOf(kind, { product: object.productId, ...object })],
        );
      },
      settle: async () => {},
      written: async () => (await test.run(({ db }) => db.query("told").collect())) as News[],
      backfill,
      repair: backfill,
      owners: async () => {
        const rows = await test.run(({ db }) => db.query(TABLES.customer).collect());
        return Object.fromEntries(
          (rows as { customerId: string; entityId: string }[]).map((row) => [
            row.customerId,
            row.entityId,
          ]),
        );
      },
      setup: async (entity) => (await call<{ customerId: string }>("setup", entity)).customerId,
      subscribe: async ({ entityId, price, successUrl, idempotencyKey }) => {
        const order = {
          entityId,
          priceId: price.id,
          mode: "subscription",
          success_url: successUrl,
          cancel_url: successUrl,
        };
        const options = idempotencyKey === undefined ? {} : { idempotencyKey };
        const { url } = await test.action((context) => stripe.subscribe(context, order, options));
        return { url: url ?? undefined };
      },
      comeBack: async (link) => {
        await routed(test, new Request(link));
      },
      close: async () => forget(around.url),
    };
  },
};
