/** @convex-dev/stripe as its README installs it, under convex-test. */
import Stripe from "stripe";
import { type ConvexTest, forget, type Modules, push, routed } from "../harness/convex.js";
import type { Facts, Json, Kind } from "../harness/facts.js";
import { hearing, type News, newsOf } from "../harness/hooks.js";
import { peer, versionOf } from "../harness/peer.js";
import type { Entity, Instance, Owners, Subject } from "../harness/subject.js";

const NAME = "convex-dev-stripe";

interface Component {
  convexTest(options: { schema: unknown; modules: Modules }): ConvexTest;
  defineSchema(tables: object): unknown;
  httpRouter(): object;
  componentsGeneric(): { stripe: object };
  componentSchema: unknown;
  componentModules: Modules;
  registerRoutes(http: object, component: object, config: object): void;
  StripeSubscriptions: new (
    component: object,
    options: { STRIPE_SECRET_KEY: string },
  ) => {
    getOrCreateCustomer(
      context: object,
      args: { userId: string; email?: string },
    ): Promise<{ customerId: string }>;
    createCheckoutSession(context: object, args: object): Promise<{ url: string | null }>;
    cancelSubscription(context: object, args: object): Promise<null>;
    updateSubscriptionQuantity(context: object, args: object): Promise<null>;
  };
}

/** What its README tells to select. */
const EVENTS = [
  "checkout.session.completed",
  "customer.created",
  "customer.updated",
  "customer.deleted",
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
  "invoice.created",
  "invoice.finalized",
  "invoice.updated",
  "invoice.paid",
  "invoice.payment_failed",
  "payment_intent.succeeded",
  "payment_intent.payment_failed",
] as const;

/** What its README calls custom webhook handlers. */
function hooks(inbox: string | undefined) {
  const hear = hearing(inbox);
  if (hear === undefined) return {};
  const on = (name: News["name"]) => (_: object, event: Stripe.Event) =>
    hear(newsOf(name, event.data.object as Stripe.Subscription));
  return {
    events: {
      "customer.subscription.created": on("started"),
      "customer.subscription.updated": on("changed"),
      "customer.subscription.deleted": on("ended"),
    },
  };
}

export const convexDevStripe: Subject = {
  name: NAME,
  title: "@convex-dev/stripe",
  how: "as its README installs it, under convex-test",
  version: () => versionOf(NAME, "@convex-dev/stripe"),
  mirrors: ["customer", "subscription"],
  abilities: [
    "setup",
    "shared emails",
    "several subscriptions",
    "selling",
    "organisations",
    "cancelling",
    "seats",
    "hooks",
    "hooks by name",
    "hooks that wait",
  ],
  install: async ({ url, secretKey, stripe }) => {
    const client = new Stripe(secretKey, { ...stripe, telemetry: false });
    const { id, secret = "" } = await client.webhookEndpoints.create({
      url: `${url}/stripe/webhook`,
      enabled_events: [...EVENTS],
    });
    return { secrets: [secret], endpoint: id };
  },
  start: async (around, { secrets }): Promise<Instance> => {
    const it = await peer<Component>(NAME);
    const component = it.componentsGeneric().stripe;
    const http = it.httpRouter();
    it.registerRoutes(http, component, {
      webhookPath: "/stripe/webhook",
      STRIPE_SECRET_KEY: around.secretKey,
      STRIPE_WEBHOOK_SECRET: secrets[0],
      ...hooks(around.inbox),
    });
    const test = push(around.url, { http: { default: http } }, (modules) => {
      const made = it.convexTest({ schema: it.defineSchema({}), modules });
      made.registerComponent("stripe", it.componentSchema, it.componentModules);
      return made;
    });
    const client = new it.StripeSubscriptions(component, { STRIPE_SECRET_KEY: around.secretKey });
    const customerOf = async (context: object, { entityId, email }: Entity) => {
      const person = { userId: entityId, ...(email === undefined ? {} : { email }) };
      return (await client.getOrCreateCustomer(context, person)).customerId;
    };
    /** The one of which its tables say that it is active, as its README looks for it. */
    const active = async () => {
      const found = (await rows(test, "subscription")).find(({ status }) => status === "active");
      if (found === undefined) throw new Error("There is no active subscription");
      return { stripeSubscriptionId: found.id };
    };
    return {
      fetch: (request) => routed(test, request),
      rows: (kind) => rows(test, kind),
      settle: async () => {},
      setup: (entity) => test.action((context) => customerOf(context, entity)),
      subscribe: (order) =>
        test.action(async (context) => {
          const { url } = await client.createCheckoutSession(context, {
            priceId: order.price.id,
            customerId: await customerOf(context, order),
            mode: "subscription",
            successUrl: order.successUrl,
            cancelUrl: order.successUrl,
            subscriptionMetadata: { userId: order.entityId },
          });
          return { url: url ?? undefined };
        }),
      cancel: async () => {
        const subscription = await active();
        await test.action((context) => client.cancelSubscription(context, subscription));
        return {};
      },
      setSeats: async (_, quantity) => {
        const change = { ...(await active()), quantity };
        await test.action((context) => client.updateSubscriptionQuantity(context, change));
        return {};
      },
      owners: async () => {
        const all = await test.runInComponent("stripe", ({ db }) =>
          db.query("customers").collect(),
        );
        const owned = (all as Row[]).flatMap(({ stripeCustomerId, userId }) =>
          userId === undefined ? [] : [[String(stripeCustomerId), String(userId)]],
        );
        return Object.fromEntries(owned) as Owners;
      },
      close: async () => forget(around.url),
    };
  },
};

type Row = { readonly [field: string]: unknown };

async function rows(test: ConvexTest, kind: Kind): Promise<Facts[]> {
  const table = kind === "customer" ? "customers" : "subscriptions";
  const all = (await test.runInComponent("stripe", ({ db }) => db.query(table).collect())) as Row[];
  return kind === "customer" ? all.filter(isThere).map(customer) : all.map(subscription);
}

/** A deletion scrubs what is personal and keeps the row, which is as good as gone. */
const isThere = ({ email, name, metadata }: Row) =>
  email !== undefined || name !== undefined || Object.keys((metadata as Json) ?? {}).length > 0;

const customer = (row: Row): Facts => ({
  id: String(row.stripeCustomerId),
  name: row.name ?? null,
  email: row.email ?? null,
  metadata: row.metadata,
});

const subscription = (row: Row): Facts => ({
  id: String(row.stripeSubscriptionId),
  status: row.status,
  quantity: row.quantity,
  price: row.priceId,
  customer: row.stripeCustomerId,
  metadata: row.metadata,
  cancel_at: row.cancelAt ?? null,
  cancel_at_period_end: row.cancelAtPeriodEnd,
  period_end: row.currentPeriodEnd,
});
