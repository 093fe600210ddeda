/** @better-auth/stripe as its documentation installs it; and again with its default for customers. */
import type pg from "pg";
import StripeClient from "stripe";
import type { Facts } from "../harness/facts.js";
import { hearing, type News, newsOf } from "../harness/hooks.js";
import { peer, versionOf } from "../harness/peer.js";
import type { Entity, Instance, Order, Subject, Surroundings } from "../harness/subject.js";

const NAME = "better-auth";
const BASE = "/api/auth";

interface Auth {
  handler(request: Request): Promise<Response>;
}

interface BetterAuth {
  betterAuth(options: object): Auth;
  stripe(options: object): object;
  getMigrations(options: object): Promise<{ runMigrations(): Promise<void> }>;
  pg: typeof pg;
  Stripe: typeof StripeClient;
}

/** What its documentation tells to select. */
const EVENTS = [
  "checkout.session.completed",
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
] as const;

/** The merchant's prices carry these names; `plan_0` is there from the start. */
const PLANS = [
  ...Array.from({ length: 40 }, (_, number) => ({
    name: `plan_${number}`,
    lookupKey: `plan_${number}`,
  })),
  { name: "trial", lookupKey: "trial", freeTrial: { days: 14 } },
];

async function open(
  {
    url,
    database,
    secretKey,
    stripe: host,
    inbox,
  }: Pick<Surroundings, "url" | "database" | "secretKey" | "stripe" | "inbox">,
  secret: string,
  createCustomerOnSignUp: boolean,
) {
  const { betterAuth, stripe, pg: driver, Stripe } = await peer<BetterAuth>(NAME);
  const pool = new driver.Pool({ connectionString: database, max: 10 });
  pool.on("error", () => {}); // connections that the harness cuts off
  const options = {
    secret: "a secret of this suite, long enough to be one",
    baseURL: url,
    database: pool,
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [
      stripe({
        stripeClient: new Stripe(secretKey, { ...host, telemetry: false }),
        stripeWebhookSecret: secret,
        createCustomerOnSignUp,
        subscription: { enabled: true, plans: PLANS, ...hooks(inbox) },
      }),
    ],
  };
  return { options, pool, auth: betterAuth(options) };
}

/** What its documentation calls lifecycle hooks: one for a page that was paid, one for any other start. */
function hooks(inbox: string | undefined) {
  const hear = hearing(inbox);
  if (hear === undefined) return {};
  const on = (name: News["name"]) => (data: { stripeSubscription: StripeClient.Subscription }) =>
    hear(newsOf(name, data.stripeSubscription));
  return {
    onSubscriptionComplete: on("started"),
    onSubscriptionCreated: on("started"),
    onSubscriptionUpdate: on("changed"),
    onSubscriptionDeleted: on("ended"),
  };
}

/** Applications that share an account share the plan too: a lookup key is of one price only. */
async function createPlan(client: StripeClient): Promise<void> {
  const { data } = await client.prices.list({ lookup_keys: ["plan_0"] });
  if (data.length > 0) return;
  const product = await client.products.create({ name: "Plan 0" });
  await client.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 500,
    recurring: { interval: "month" },
    lookup_key: "plan_0",
  });
}

function subject(variant: "on sign-up" | "on demand"): Subject {
  const onSignUp = variant === "on sign-up";
  return {
    name: onSignUp ? NAME : `${NAME}-on-demand`,
    title: `@better-auth/stripe${onSignUp ? "" : ", customers on demand"}`,
    how: onSignUp
      ? "with `createCustomerOnSignUp: true`, as its documentation installs it; an entity is a user"
      : "with its default, by which a customer is made when somebody first subscribes",
    version: () => versionOf(NAME, "@better-auth/stripe"),
    mirrors: ["subscription"],
    abilities: [
      "setup",
      "several subscriptions",
      "selling",
      "return route",
      "one trial",
      "plan changes",
      "cancelling",
      "seats",
      "hooks",
      "hooks by name",
      "hooks that wait",
      "kill",
      "database outage",
    ],
    prepare: async (database) => {
      const nowhere = { url: "http://localhost", secretKey: "sk_test_none", database };
      const stripe = { host: "127.0.0.1", port: 1, protocol: "http" } as const;
      const { options, pool } = await open({ ...nowhere, stripe }, "whsec_none", onSignUp);
      const { getMigrations } = await peer<BetterAuth>(NAME);
      await (await getMigrations(options)).runMigrations();
      await pool.end();
    },
    install: async ({ url, secretKey, stripe }) => {
      const client = new StripeClient(secretKey, { ...stripe, telemetry: false });
      await createPlan(client);
      const { id, secret = "" } = await client.webhookEndpoints.create({
        url: `${url}${BASE}/stripe/webhook`,
        enabled_events: [...EVENTS],
      });
      return { secrets: [secret], endpoint: id };
    },
    start: async (around, { secrets }): Promise<Instance> => {
      const { auth, pool } = await open(around, secrets[0] ?? "", onSignUp);
      const people = createPeople(auth, around.url);
      const customerOf = async (email: string) => {
        const { rows } = await pool.query<{ id: string | null }>(
          'SELECT "stripeCustomerId" AS id FROM "user" WHERE email = $1',
          [email],
        );
        return rows[0]?.id ?? undefined;
      };
      const upgrade = async (order: Order) => {
        const person = await people.of(order);
        return person.upgrade(order.price.lookup_key ?? "", { successUrl: order.successUrl });
      };
      return {
        fetch: (request) => auth.handler(request),
        rows: async () => subscriptions(pool),
        settle: async () => {},
        setup: async (entity) => {
          const email = entity.email ?? `${entity.entityId}@example.com`;
          const person = await people.of({ ...entity, email });
          // Somebody who has no customer yet, for whatever reason, gets one when they subscribe.
          if ((await customerOf(email)) === undefined) await person.upgrade("plan_0");
          return (await customerOf(email)) ?? "";
        },
        owners: async () => {
          const { rows } = await pool.query<{ customer: string; entity: string }>(
            `SELECT "stripeCustomerId" AS customer, name AS entity
               FROM "user" WHERE "stripeCustomerId" IS NOT NULL`,
          );
          return Object.fromEntries(rows.map(({ customer, entity }) => [customer, entity]));
        },
        subscribe: upgrade,
        changePlan: upgrade,
        cancel: async (entity) => (await people.of(entity)).cancel(),
        setSeats: async (entity, seats) => {
          const person = await people.of(entity);
          return person.upgrade((await person.active())?.plan ?? "", { seats });
        },
        comeBack: async (link, entityId) => {
          const { cookie } = await people.known(entityId);
          await auth.handler(new Request(link, { headers: { cookie } }));
        },
        close: () => pool.end(),
      };
    },
  };
}

interface Person {
  readonly cookie: string;
  upgrade(plan: string, order?: { successUrl?: string; seats?: number }): Promise<{ url: string }>;
  cancel(): Promise<{ url: string }>;
  active(): Promise<{ readonly stripeSubscriptionId?: string; readonly plan: string } | undefined>;
}

/** People in front of their browsers: they sign up once, and in after that. */
function createPeople(auth: Auth, origin: string) {
  const sessions = new Map<string, Promise<Person>>();
  const post = async (path: string, body: object, cookie = "") => {
    const answer = await auth.handler(
      new Request(`${origin}${BASE}${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Origin: origin, cookie },
        body: JSON.stringify(body),
      }),
    );
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return { answer, json: JSON.parse(text) as { url: string } };
  };
  const enter = async ({ entityId, email }: Entity): Promise<Person> => {
    const account = { email, password: "correct horse battery", name: entityId };
    const { answer } = await post("/sign-up/email", account).catch(() =>
      post("/sign-in/email", account),
    );
    const cookies = answer.headers.getSetCookie().map((each) => each.split(";")[0]);
    const cookie = cookies.join("; ");
    const welcome = `${origin}/welcome`;
    const person: Person = {
      cookie,
      active: async () => {
        const list = new Request(`${origin}${BASE}/subscription/list`, { headers: { cookie } });
        const listed = (await (await auth.handler(list)).json()) as [
          Awaited<ReturnType<Person["active"]>>,
        ];
        return listed[0];
      },
      // Its documentation: whoever has an active subscription must name it, or pays for both.
      upgrade: async (plan, { successUrl = welcome, ...order } = {}) => {
        const subscriptionId = (await person.active())?.stripeSubscriptionId;
        const named = subscriptionId === undefined ? {} : { subscriptionId };
        const upgrade = { plan, successUrl, cancelUrl: successUrl, ...order, ...named };
        return (await post("/subscription/upgrade", upgrade, cookie)).json;
      },
      cancel: async () => (await post("/subscription/cancel", { returnUrl: welcome }, cookie)).json,
    };
    return person;
  };
  return {
    of: (entity: Entity): Promise<Person> => {
      const known = sessions.get(entity.entityId) ?? enter(entity);
      sessions.set(entity.entityId, known);
      known.catch(() => sessions.delete(entity.entityId));
      return known;
    },
    known: (entityId: string): Promise<Person> => {
      const known = sessions.get(entityId);
      if (known === undefined) throw new Error(`${entityId} has not signed up`);
      return known;
    },
  };
}

interface Row {
  readonly [column: string]: unknown;
}

async function subscriptions(pool: pg.Pool): Promise<Facts[]> {
  const { rows } = await pool.query<Row>(
    'SELECT * FROM subscription WHERE "stripeSubscriptionId" IS NOT NULL',
  );
  const seconds = (value: unknown) =>
    value instanceof Date ? Math.floor(value.getTime() / 1000) : null;
  return rows.map((row) => ({
    id: String(row.stripeSubscriptionId),
    status: row.status,
    quantity: row.seats,
    plan: row.plan,
    customer: row.stripeCustomerId,
    cancel_at: seconds(row.cancelAt),
    cancel_at_period_end: row.cancelAtPeriodEnd ?? false,
    trial_end: seconds(row.trialEnd),
    period_end: seconds(row.periodEnd),
  }));
}

export const betterAuthStripe = subject("on sign-up");
export const betterAuthStripeOnDemand = subject("on demand");
