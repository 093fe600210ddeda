/** What is stopped at every step: each operation, what goes before it, and what its caller does again. */
import Stripe from "stripe";
import { push } from "../../packages/backend-billing/src/push/push.js";
import {
  type App,
  back,
  catalogue,
  type Living,
  ORIGIN,
  seats,
  until,
  type World,
} from "./world.js";

export interface Operation {
  readonly name: string;
  /** By a process that lives on. */
  prepare?(world: World, entity: string): Promise<void>;
  /** Is stopped, and done again afterwards as a caller would, or Stripe. */
  run(world: World, living: Living, entity: string): Promise<void>;
  /** What must be so at the end, beside what must always be. */
  readonly expected?: Expected;
}

/** Of one entity, at Stripe and in the tables. Left out: none. */
export interface Expected {
  readonly subscriptions?: number;
  /** Of what was told: how often each. */
  readonly started?: number;
  readonly paid?: number;
  /** Units of `credits` that are left, and units of `calls` that Stripe's meter has. */
  readonly credits?: number;
  readonly metered?: number;
  readonly plan?: string;
  readonly quantity?: number;
  readonly isEnding?: boolean;
  /** Nothing of it is left under its id, and its customer is deleted. */
  readonly isErased?: boolean;
}

/** It was told, and what was told is settled. */
const told = (world: World, entity: string, name: string) => async (): Promise<boolean> => {
  const changes = "SELECT FROM billing.backend_billing_records WHERE kind = 'change'";
  const all = `SELECT FROM told WHERE entity = $1 AND name = $2 AND NOT EXISTS (${changes})`;
  return (await world.pool.query(all, [entity, name])).rows.length > 0;
};

/** Pages of which a caller was given the link. */
export const handedOut = new Set<string>();

/** The page of an answer; none where it leads elsewhere. */
function pageIn({ sessionId }: { readonly sessionId: string | null }): string {
  const session = sessionId ?? "";
  handedOut.add(session);
  return session;
}

const pay = (world: World, session: string) =>
  world.double.dashboard.payCheckout(session, { email: "ada@example.com" });

/** Through the page, with webhooks that a process takes, or that nobody does. */
async function subscribe(
  world: World,
  app: App,
  entity: string,
  key = "pro:monthly",
): Promise<void> {
  const page = await app.checkout({ entityId: entity, lookupKey: key as "pro:monthly", ...back });
  const session = pageIn(page);
  if (session !== "") pay(world, session);
  await delivered(world, app);
}

/** What Stripe has to tell comes, and what several events of one second left open is looked at. */
async function delivered(world: World, app: App): Promise<void> {
  await world.double.settle();
  await world.pass(1);
  await world.double.settle();
  await app.billing.tick();
}

/** Does something by a process that lives on. */
async function alive(world: World, work: (app: App) => Promise<void>): Promise<void> {
  const living = world.open();
  await work(living.app);
  await living.close();
}

const subscribed = (world: World, entity: string, key?: string) =>
  alive(world, async (app) => {
    await subscribe(world, app, entity, key);
    await until(told(world, entity, "started"));
  });

/** The same with all webhooks lost. */
async function unheard(world: World, work: (app: App) => Promise<void>): Promise<void> {
  await alive(world, async (app) => {
    const remove = world.double.faults.add({ fault: "lost" });
    await work(app);
    await world.double.settle();
    remove();
  });
}

const isSubscribed: Expected = { subscriptions: 1, started: 1, plan: "pro" };

export const operations: readonly Operation[] = [
  { name: "setup", run: async (_, { app }, entityId) => void (await app.setup({ entityId })) },
  {
    name: "checkout",
    run: async (_, { app }, entityId) =>
      void pageIn(await app.checkout({ entityId, lookupKey: "pro:monthly", ...back })),
  },
  {
    name: "webhook and hook",
    prepare: (world, entity) =>
      alive(world, async (app) => {
        const page = await app.checkout({ entityId: entity, lookupKey: "pro:monthly", ...back });
        pages.set(entity, pageIn(page));
      }),
    async run(world, { app, mortal }, entity) {
      const session = pages.get(entity) ?? "";
      const { status } = await world.stripe.checkout.sessions.retrieve(session);
      if (status === "open") pay(world, session);
      await delivered(world, app);
      await until(told(world, entity, "started"), mortal);
    },
    expected: isSubscribed,
  },
  {
    name: "return",
    prepare: (world, entity) =>
      unheard(world, async (app) => {
        const page = await app.checkout({ entityId: entity, lookupKey: "pro:monthly", ...back });
        const session = pageIn(page);
        pay(world, session);
        const paid = await world.stripe.checkout.sessions.retrieve(session);
        returns.set(entity, (paid.success_url ?? "").replace("{CHECKOUT_SESSION_ID}", session));
      }),
    run: async (_, { app }, entity) =>
      void (await app.billing.fetch(new Request(returns.get(entity) ?? ORIGIN))),
    expected: isSubscribed,
  },
  {
    name: "tick",
    prepare: (world, entity) => unheard(world, (app) => subscribe(world, app, entity)),
    async run(world, { app, mortal }, entity) {
      await world.pass(6); // the events are read every five minutes
      await app.billing.tick();
      await until(told(world, entity, "started"), mortal);
    },
    expected: isSubscribed,
  },
  {
    name: "page",
    prepare: (world, entity) => unheard(world, (app) => subscribe(world, app, entity)),
    run: async (_, { app }) => void (await app.billing.reconcile()),
    expected: isSubscribed,
  },
  {
    name: "change",
    prepare: (world, entity) => subscribed(world, entity),
    async run(_, { app }, entityId) {
      const { quote } = await app.billing.preview({ entityId, lookupKey: "pro:yearly" });
      await app.billing.change({ entityId, lookupKey: "pro:yearly", quote });
    },
    expected: isSubscribed,
  },
  {
    name: "cancel",
    prepare: (world, entity) => subscribed(world, entity),
    run: async (_, { app }, entityId) => void (await app.billing.cancel({ entityId })),
    expected: { ...isSubscribed, isEnding: true },
  },
  {
    name: "resume",
    prepare: async (world, entity) => {
      await subscribed(world, entity);
      await alive(world, async (app) => void (await app.billing.cancel({ entityId: entity })));
    },
    run: async (_, { app }, entityId) => void (await app.billing.resume({ entityId })),
    expected: isSubscribed,
  },
  {
    name: "seats",
    prepare: async (world, entity) => {
      seats.set(entity, 1);
      await subscribed(world, entity, "team:monthly");
      seats.set(entity, 4);
    },
    async run(world, { app }, entityId) {
      await app.store.seatsChanged({ entityId });
      await world.pass(1);
      await app.billing.tick();
    },
    expected: { subscriptions: 1, started: 1, plan: "team", quantity: 4 },
  },
  {
    name: "purchase",
    async run(world, { app, mortal }, entityId) {
      const referenceId = `order ${entityId}`;
      const page = await app.billing.pay({ entityId, lookupKey: "poster", referenceId, ...back });
      const session = pageIn(page);
      // Who has paid one page does not pay another one of the same order.
      if (!bought.has(entityId)) pay(world, session);
      bought.add(entityId);
      await delivered(world, app);
      await until(told(world, entityId, "paid"), mortal);
    },
    expected: { paid: 1, plan: "free" },
  },
  {
    name: "portal",
    prepare: (world, entity) =>
      alive(world, async (app) => void (await app.setup({ entityId: entity }))),
    run: async (_, { app }, entityId) =>
      void (await app.portal({ entityId, returnUrl: `${ORIGIN}/billing` })),
  },
  {
    name: "usage",
    async run(_, { app }, entityId) {
      const of = { entityId, feature: "credits" } as const;
      await app.store.grant({ ...of, amount: 5, key: "gift" });
      await app.store.consume({ ...of, amount: 3, key: "one" });
      const held = await app.store.reserve({ ...of, amount: 6, key: "two" });
      if (!held.allowed) throw new Error("Nothing was held");
      await app.store.finish({ reservationId: held.reservationId, amount: 4 });
    },
    expected: { credits: 8 },
  },
  {
    name: "meter",
    prepare: (world, entity) => subscribed(world, entity),
    async run(world, { app }, entityId) {
      await app.store.track({ entityId, feature: "calls", amount: 12, key: "calls" });
      await world.pass(5);
      await app.billing.tick();
    },
    expected: { ...isSubscribed, metered: 7 },
  },
  {
    name: "ingest",
    prepare: (world, entity) => unheard(world, (app) => subscribe(world, app, entity)),
    async run(world, { app, mortal }, entity) {
      const customer = customersOf(world, entity)[0]?.id;
      for await (const event of world.stripe.events.list({ limit: 100 })) {
        const object = event.data.object as { readonly customer?: unknown };
        if (object.customer === customer) await app.billing.ingest(event);
      }
      await delivered(world, app);
      await until(told(world, entity, "started"), mortal);
    },
    expected: isSubscribed,
  },
  {
    name: "adopt",
    async prepare(world, entity) {
      const customer = await world.stripe.customers.create({ email: `${entity}@example.com` });
      made.set(entity, customer.id);
      await world.double.settle();
    },
    run: async (_, { app }, entityId) =>
      void (await app.billing.adopt({ entityId, customerId: made.get(entityId) ?? "" })),
  },
  {
    name: "erase",
    async prepare(world, entity) {
      await subscribed(world, entity);
      made.set(entity, customersOf(world, entity)[0]?.id ?? "");
      await alive(world, async ({ store }) => {
        await store.track({ entityId: entity, feature: "calls", amount: 12, key: "calls" });
      });
    },
    async run(world, { app }, entityId) {
      await app.store.erase({ entityId });
      for (let round = 0; round < 4; round++) await delivered(world, app);
    },
    expected: { isErased: true, started: 1, metered: 7 },
  },
  {
    name: "push",
    async run(world, { mortal }) {
      const { double } = world;
      const through = { ...double.stripeConfig, httpClient: mortal.httpClient };
      await push(new Stripe(double.secretKey, { ...through, maxNetworkRetries: 0 }), {
        ...catalogue,
        // Another price for the pack each time, so that something is to be done.
        packs: { poster: { ...catalogue.packs.poster, name: `Poster ${double.clock.now()}` } },
      });
    },
  },
];

/** Customers at Stripe that say that they are of this entity. */
export const customersOf = ({ double }: World, entity: string) =>
  double.objects("customer").filter(({ metadata }) => metadata.entityId === entity);

/** Customers that were made in the preparation, by entity. */
export const made = new Map<string, string>();
/** Entities that have paid a page. */
const bought = new Set<string>();
/** What was handed out there. */
const pages = new Map<string, string>();
const returns = new Map<string, string>();
