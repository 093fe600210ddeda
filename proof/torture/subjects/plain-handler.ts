/**
 * The control: what many applications write themselves. It verifies the signature, stores whatever
 * arrives, and copies lists over it. A scenario that it passes proves little; that it fails shows
 * that the scenario can fail.
 */
import Stripe from "stripe";
import { type Facts, factsOf, type Json, type Kind } from "../harness/facts.js";
import { hearing, newsOf } from "../harness/hooks.js";
import type { Entity, Instance, Subject, Surroundings } from "../harness/subject.js";
import { plainBalances } from "./plain-balances.js";

const KINDS: readonly Kind[] = [
  "customer",
  "product",
  "price",
  "subscription",
  "coupon",
  "promotion_code",
  "payout",
  "refund",
];

const lists: { readonly [K in Kind]: (stripe: Stripe) => AsyncIterable<object> } = {
  customer: (stripe) => stripe.customers.list({ limit: 100 }),
  product: (stripe) => stripe.products.list({ limit: 100 }),
  price: (stripe) => stripe.prices.list({ limit: 100 }),
  subscription: (stripe) => stripe.subscriptions.list({ limit: 100 }),
  coupon: (stripe) => stripe.coupons.list({ limit: 100 }),
  promotion_code: (stripe) => stripe.promotionCodes.list({ limit: 100 }),
  payout: (stripe) => stripe.payouts.list({ limit: 100 }),
  refund: (stripe) => stripe.refunds.list({ limit: 100 }),
};

const HOOKS: { readonly [type: string]: "started" | "changed" | "ended" } = {
  "customer.subscription.created": "started",
  "customer.subscription.updated": "changed",
  "customer.subscription.deleted": "ended",
};

const client = ({ secretKey, stripe }: Surroundings) =>
  new Stripe(secretKey, { ...stripe, telemetry: false });

export const plainHandler: Subject = {
  name: "plain-handler",
  title: "a plain handler",
  how: "the control: 100 lines that store whatever arrives, in memory, and look there before they sell",
  version: () => "",
  mirrors: KINDS,
  abilities: [
    "backfill",
    "repair",
    "setup",
    "shared emails",
    "several subscriptions",
    "selling",
    "organisations",
    "hooks",
    "hooks by name",
    "hooks that wait",
    "usage",
    "billed usage",
  ],
  install: async (around) => {
    const { id, secret = "" } = await client(around).webhookEndpoints.create({
      url: `${around.url}/webhook`,
      enabled_events: ["*"],
    });
    return { secrets: [secret], endpoint: id };
  },
  start: async (around, { secrets }): Promise<Instance> => {
    const stripe = client(around);
    const hear = hearing(around.inbox);
    const balances = around.shop && plainBalances(around.shop);
    const tables = new Map(KINDS.map((kind) => [kind, new Map<string, Json>()]));
    const customers = new Map<string, string>();
    const backfill = async (kinds: readonly Kind[]) => {
      for (const kind of kinds) {
        for await (const object of lists[kind](stripe)) {
          const plain = JSON.parse(JSON.stringify(object)) as Json;
          tables.get(kind)?.set(String(plain.id), plain);
        }
      }
      return true;
    };
    const setup = async ({ entityId, email }: Entity) => {
      const known = customers.get(entityId);
      if (known !== undefined) return known;
      const { id } = await stripe.customers.create({
        metadata: { entityId },
        ...(email === undefined ? {} : { email }),
      });
      customers.set(entityId, id);
      return id;
    };
    return {
      fetch: async (request) => {
        const signature = request.headers.get("stripe-signature") ?? "";
        const body = await request.text();
        let event: Stripe.Event;
        try {
          event = await stripe.webhooks.constructEventAsync(body, signature, secrets[0] ?? "");
        } catch {
          return new Response(null, { status: 400 });
        }
        const object = event.data.object as unknown as Json;
        const table = tables.get(object.object as Kind);
        const isGone = event.type.endsWith(".deleted") && object.object !== "subscription";
        if (isGone) table?.delete(String(object.id));
        else table?.set(String(object.id), object);
        balances?.heard(event);
        try {
          const name = HOOKS[event.type];
          if (name !== undefined) await hear?.(newsOf(name, object as never));
        } catch {
          return new Response(null, { status: 500 });
        }
        return new Response(null, { status: 200 });
      },
      rows: async (kind) =>
        [...(tables.get(kind)?.values() ?? [])].map((object): Facts => factsOf(kind, object)),
      settle: async () => {},
      backfill,
      repair: backfill,
      setup,
      subscribe: async (order) => {
        const customer = await setup(order);
        const isSubscribed = [...(tables.get("subscription")?.values() ?? [])].some(
          (each) => each.customer === customer && each.status === "active",
        );
        if (isSubscribed) return {};
        const { url } = await stripe.checkout.sessions.create({
          customer,
          mode: "subscription",
          line_items: [{ price: order.price.id, quantity: 1 }],
          success_url: order.successUrl,
        });
        return { url: url ?? undefined };
      },
      take: async ({ entityId, amount }) =>
        balances?.take(await setup({ entityId }), amount) ?? false,
      left: async (entityId) => balances?.left(await setup({ entityId })) ?? 0,
      use: async ({ entityId, amount }) => {
        await stripe.billing.meterEvents.create({
          event_name: "calls",
          payload: { stripe_customer_id: await setup({ entityId }), value: String(amount) },
        });
      },
      owners: async () =>
        Object.fromEntries([...customers].map(([entityId, customer]) => [customer, entityId])),
      close: async () => {},
    };
  },
};
