/** stripe-no-webhooks as its README installs it, with the endpoint that its command makes. */
import type pg from "pg";
import Stripe from "stripe";
import { factsOf, itemFacts, type Json, type Kind } from "../harness/facts.js";
import { hearing, newsOf } from "../harness/hooks.js";
import { peer, versionOf } from "../harness/peer.js";
import type { Answer, Entity, Instance, Order, Subject, UsagePlan } from "../harness/subject.js";

const NAME = "stripe-no-webhooks";
/** Where it is reached in production. On a local address it does not look at signatures. */
const ORIGIN = "https://app.example.com";

const TABLES = {
  customer: "customers",
  product: "products",
  price: "prices",
  subscription: "subscriptions",
  refund: "refunds",
} as const satisfies { readonly [K in Kind]?: string };

interface Plan {
  readonly name: string;
  readonly perSeat: boolean;
  readonly price: readonly object[];
  readonly features?: object;
}

/** Whose balance of which feature. */
interface Held {
  readonly userId: string;
  readonly key: string;
}

interface Library {
  Billing: new (config: {
    stripeSecretKey: string;
    stripeWebhookSecret: string;
    databaseUrl: string;
    billingConfig: { test: { plans: Plan[] } };
    resolveUser(request: Request): { id: string; email?: string } | null;
    resolveOrg(request: Request): string | null;
    callbacks?: { [name: string]: (subscription: Stripe.Subscription) => Promise<void> };
  }) => {
    pool: pg.Pool;
    sync: { close(): Promise<void> };
    createHandler(): (request: Request) => Promise<Response>;
    resolveStripeCustomerId(options: {
      user: { id: string; email?: string };
      createIfNotFound: boolean;
    }): Promise<string | null>;
    credits: {
      hasCredits(args: Held & { amount: number }): Promise<boolean>;
      consume(args: Held & { amount: number; idempotencyKey: string }): Promise<unknown>;
      getBalance(args: Held): Promise<number>;
    };
    usage: { record(args: Held & { amount: number }): Promise<unknown> };
    seats: { add(member: { userId: string; orgId: string }): Promise<{ error?: string }> };
  };
  migrate(database: string, options: object): Promise<{ success: boolean; error?: string }>;
  backfill(object: string, options: object): Promise<{ success: boolean }>;
}

const silent = { log() {}, error() {} };

/** A plan that includes units, and one of whose calls each is billed, as its documentation has them. */
function planOf({ price, units }: UsagePlan): Plan {
  const { id, unit_amount: amount, currency } = price;
  return {
    name: price.lookup_key ?? id,
    perSeat: false,
    price: [{ id, amount, currency, interval: "month" }],
    features: {
      units: { credits: { allocation: units } },
      calls: { trackUsage: true, pricePerCredit: 1 },
    },
  };
}

export const stripeNoWebhooks: Subject = {
  name: NAME,
  title: "stripe-no-webhooks",
  how: "as its README installs it, reached as in production",
  version: () => versionOf(NAME, NAME),
  mirrors: Object.keys(TABLES) as Kind[],
  abilities: [
    "backfill",
    "repair",
    "setup",
    "shared emails",
    "selling",
    "organisations",
    "plan changes",
    "seats",
    "hooks",
    "hooks by name",
    "hooks that wait",
    "usage",
    "billed usage",
    "kill",
    "database outage",
  ],
  ownProcessFor: ["usage"], // its credits are in the database that was opened last
  prepare: async (database) => {
    const { migrate } = await peer<Library>(NAME);
    const options = { env: { DATABASE_URL: database }, logger: silent, exitOnError: false };
    const { success, error } = await migrate(database, options);
    if (!success) throw new Error(`It could not be migrated: ${error}`);
  },
  install: async ({ url, secretKey, stripe }) => {
    const client = new Stripe(secretKey, { ...stripe, telemetry: false });
    const { id, secret = "" } = await client.webhookEndpoints.create({
      url: `${url}/api/stripe/webhook`,
      enabled_events: ["*"],
    });
    return { secrets: [secret], endpoint: id };
  },
  start: async ({ database, secretKey, inbox, shop }, { secrets }): Promise<Instance> => {
    const { Billing, backfill } = await peer<Library>(NAME);
    const plans: Plan[] = shop === undefined ? [] : [planOf(shop.small), planOf(shop.large)];
    const hear = hearing(inbox);
    const billing = new Billing({
      stripeSecretKey: secretKey,
      stripeWebhookSecret: secrets[0] ?? "",
      databaseUrl: database,
      billingConfig: { test: { plans } },
      resolveUser: ({ headers }) => ({
        id: headers.get("x-user") ?? "",
        email: headers.get("x-email") ?? "",
      }),
      resolveOrg: ({ headers }) => headers.get("x-org"),
      ...(hear === undefined
        ? {}
        : {
            callbacks: {
              onSubscriptionCreated: (it) => hear(newsOf("started", it)),
              onSubscriptionPlanChanged: (it) => hear(newsOf("changed", it)),
              onSubscriptionCancelled: (it) => hear(newsOf("ended", it)),
            },
          }),
    });
    billing.pool.on("error", () => {}); // connections that the harness cuts off
    const handle = billing.createHandler();
    const copy = async (kinds: readonly Kind[]) => {
      const env = { DATABASE_URL: database, STRIPE_SECRET_KEY: secretKey };
      for (const kind of kinds) {
        const { success } = await backfill(kind, { env, logger: silent, exitOnError: false });
        if (!success) return false;
      }
      return true;
    };
    /** Its plans are in a file, which its command fills in with the ids of their prices. */
    const define = ({ price }: Order) => {
      const name = price.lookup_key ?? price.id;
      if (plans.some((plan) => plan.name === name)) return;
      const { id, unit_amount: amount, currency, recurring, metadata } = price;
      const perSeat = metadata.billing_per_seat === "true";
      const interval = recurring?.interval;
      plans.push({ name, perSeat, price: [{ id, amount, currency, interval }] });
    };
    /** What its `checkout()` for browsers posts. */
    const checkout = async (order: Order): Promise<Answer> => {
      define(order);
      const answer = await handle(
        new Request(`${ORIGIN}/api/stripe/checkout`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json",
            origin: ORIGIN,
            ...person(order),
          },
          body: JSON.stringify({
            priceId: order.price.id,
            successUrl: order.successUrl,
            cancelUrl: order.successUrl,
          }),
        }),
      );
      const said = (await answer.json()) as { url?: string; portalUrl?: string; error?: string };
      if (!answer.ok) throw new Error(said.error ?? `It answered ${answer.status}`);
      return { url: said.url ?? said.portalUrl };
    };
    return {
      fetch: (request) => {
        const { pathname, search } = new URL(request.url);
        return handle(new Request(`${ORIGIN}${pathname}${search}`, request));
      },
      rows: (kind) => rows(billing.pool, kind),
      settle: async () => {},
      backfill: copy,
      repair: copy,
      setup: async ({ entityId, email }) => {
        const user = { id: entityId, ...(email === undefined ? {} : { email }) };
        const customer = await billing.resolveStripeCustomerId({ user, createIfNotFound: true });
        return customer ?? "";
      },
      owners: async () => {
        const { rows: pairs } = await billing.pool.query<{ customer: string; entity: string }>(
          `SELECT stripe_customer_id AS customer, user_id AS entity
             FROM stripe.user_stripe_customer_map`,
        );
        return Object.fromEntries(pairs.map(({ customer, entity }) => [customer, entity]));
      },
      subscribe: checkout,
      changePlan: checkout,
      setSeats: async ({ entityId }, seats) => {
        for (let member = 2; member <= seats; member++) {
          const { error } = await billing.seats.add({
            orgId: entityId,
            userId: `member_${member}`,
          });
          if (error !== undefined) throw new Error(error);
        }
        return {};
      },
      // As its README has it: asked first, and then taken.
      take: async ({ entityId: userId, amount, key: idempotencyKey }) => {
        const units = { userId, key: "units", amount };
        if (!(await billing.credits.hasCredits(units))) return false;
        await billing.credits.consume({ ...units, idempotencyKey }).catch((error) => {
          if ((error as { code?: string }).code !== "IDEMPOTENCY_CONFLICT") throw error;
        });
        return true;
      },
      left: (userId) => billing.credits.getBalance({ userId, key: "units" }),
      use: async ({ entityId: userId, amount }) => {
        await billing.usage.record({ userId, key: "calls", amount });
      },
      close: async () => {
        await billing.sync.close();
        await billing.pool.end();
      },
    };
  },
};

/** Who clicks: a user, or one of an organisation's people. */
function person({ entityId, email = "" }: Entity): { [header: string]: string } {
  if (!entityId.startsWith("org_")) return { "x-user": entityId, "x-email": email };
  return { "x-user": "owner_1", "x-email": email, "x-org": entityId };
}

async function rows(pool: pg.Pool, kind: Kind) {
  const table = TABLES[kind as keyof typeof TABLES];
  const { rows: objects } = await pool.query<Json>(`SELECT * FROM stripe.${table}`);
  const alive = objects.filter(({ deleted }) => deleted !== true);
  if (kind !== "subscription") return alive.map((object) => factsOf(kind, object));
  return alive.map((object) => {
    const { data } = object.items as { data: Parameters<typeof itemFacts>[0] };
    return { ...factsOf(kind, object), items: itemFacts(data) };
  });
}
