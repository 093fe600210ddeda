/**
 * What the life of telemetry-life.ts has of usage, of running subscriptions, of customers that are taken
 * over, of handlers and of entities that leave: with personal data in all that an application says.
 */
import type Stripe from "stripe";
import { expect } from "vitest";
import { defineCatalogue, usd } from "../../src/catalogue/index.js";
import type { Queryable, Reactions } from "../../src/postgres/index.js";
import type { App } from "./service/kit.js";
import { useCard } from "./service/running/kit.js";

/** Whoever buys, by what nobody else may read. */
export interface Person {
  readonly entityId: string;
  readonly email: string;
  readonly name: string;
  readonly phone: string;
  readonly street: string;
  readonly note: string;
  readonly wrong: string;
}

export interface Scene {
  readonly app: App;
  someone(): Person;
  below(count: number): number;
  one<T>(all: readonly T[]): T | undefined;
  /** Keeps what a call that fails says. */
  tried(work: () => unknown): Promise<void>;
  /** All that was logged so far. */
  heard(): readonly string[];
}

export const catalogue = defineCatalogue({
  app: "acme",
  features: { calls: { meter: "api_calls" }, credits: "credits" },
  plans: {
    team: {
      name: "Team",
      prices: { monthly: usd("50").monthly() },
      features: { calls: { included: 2, overage: usd("0.01") }, credits: { included: 5 } },
    },
  },
});

/** Handlers that fail the first time for each change, and quote it and the secret; the second of them in SQL. */
export function failingHandlers(secret: () => string): Reactions<Queryable> {
  const failed = new Set<string>();
  const once = (name: string, key: string, fail: () => unknown) => {
    if (failed.has(`${name} ${key}`)) return;
    failed.add(`${name} ${key}`);
    return fail();
  };
  const thrown = (said: unknown): never => {
    throw new TypeError(`${JSON.stringify(said)} with ${secret()}`);
  };
  return {
    "customer.linked": async (event) => once("linked", event.key, () => thrown(event)),
    "access.granted": (event, { tx }) =>
      Promise.resolve(
        once("granted", event.key, () => tx.query("SELECT $1::int", [event.entityId])),
      ),
    change: {
      customers: async (change) =>
        once("change", change.key, () => thrown([change.before, change.after])),
    },
  };
}

export const CALLED = [
  "Usage was sent to its meter",
  "Usage could not be sent; trying again",
  "Usage may not be billed as it should; `doctor` says what to do",
  "Stripe could not count usage that it had taken",
  "A handler failed; it is called again later",
  "An entity could not be erased yet; trying again",
  "An entity was erased",
];

const SEND = "POST /v1/billing/meter_events";

/**
 * Each call once, with what comes of it, while the double's time is the application's. Answers those
 * who are subscribed then.
 */
export async function callEach(scene: Scene): Promise<readonly Person[]> {
  const { app, tried, heard } = scene;
  const { double, stripe, b } = app;
  const told = (message: string | undefined) =>
    expect
      .poll(() => heard().some((line) => line.includes(message ?? "")), { message: message ?? "" })
      .toBe(true);
  const [SENT, UNSENT, REFUSED, UNCOUNTED, FAILED, UNERASED, ERASED] = CALLED;
  const meter = await stripe.billing.meters.create({
    display_name: "Calls",
    event_name: "api_calls",
    default_aggregation: { formula: "sum" },
  });
  await stripe.products.create({ id: "acme_team", name: "Team" });
  const recurring = { interval: "month" } as const;
  const priceOf = (unit_amount: number) =>
    stripe.prices.create({ product: "acme_team", currency: "usd", unit_amount, recurring });
  const [team, more] = [await priceOf(5_000), await priceOf(9_000)];

  const subscribed = async (number: number): Promise<Person> => {
    const { email, ...rest } = scene.someone();
    const person = { ...rest, email, entityId: `member ${number} ${email}` };
    const { entityId } = person;
    const { customerId: customer } = await b.setup({ entityId, email });
    await useCard(app, customer, "pm_card_visa");
    await stripe.subscriptions.create({ customer, items: [{ price: team.id }] });
    await expect.poll(async () => (await b.store.held(entityId)).length).toBe(1);
    return person;
  };
  const use = ({ entityId, email }: Person, key: string) => ({
    entityId,
    feature: "calls",
    key: `${key} of ${email}`,
  });
  const [first, second, third] = [await subscribed(1), await subscribed(2), await subscribed(3)];
  await told(FAILED);

  await b.store.consume({ ...use(first, "request"), amount: 5 });
  await told(SENT);
  double.faults.add({ fault: "error_before", on: SEND, times: 1 });
  await b.store.track({ ...use(second, "batch"), amount: 70 });
  await told(UNSENT);
  await stripe.billing.meters.deactivate(meter.id);
  await b.store.track({ ...use(third, "late"), amount: 70 });
  await told(REFUSED);
  await stripe.billing.meters.reactivate(meter.id);

  const type = "v1.billing.meter.error_report_triggered" as "*";
  await stripe.webhookEndpoints.update(app.endpoint, { enabled_events: ["*", type] });
  await stripe.billing.meterEvents.create({
    event_name: "api_calls",
    identifier: `request of ${first.email}`,
    payload: { stripe_customer_id: "cus_gone", value: "1" },
  });
  await double.clock.advance({ seconds: 20 });
  await told(UNCOUNTED);

  const { entityId } = first;
  await b.billing.change({ entityId, priceId: more.id });
  await tried(() => b.billing.change({ entityId, priceId: first.name }));
  await b.billing.cancel({ entityId });
  await b.billing.resume({ entityId });

  const { id: customerId } = await stripe.customers.create({ email: third.email });
  await b.billing.adopt({ entityId: `adopted ${third.email}`, customerId });
  await tried(() => b.billing.adopt({ entityId, customerId }));

  double.faults.add({ fault: "error_before", on: "DELETE /v1/customers/:customer", times: 3 });
  await b.store.erase({ entityId: second.entityId });
  await told(UNERASED);
  await told(ERASED);
  return [first, third];
}

/** The same calls with anything, to be made at any time. */
export function calls(
  { app, someone, below, one }: Scene,
  subscribers: readonly Person[],
): readonly (() => unknown)[] {
  const { b, double, stripe } = app;
  const { store, billing } = b;
  let keys = 0;
  const use = (feature = one(["calls", "credits", someone().email]) ?? "") => {
    const { entityId, email } = someone();
    return { entityId, feature, key: `call ${++keys} of ${email}`, amount: 1 + below(9) };
  };
  const subscriber = () => one([...subscribers, someone()]) ?? someone();
  const anyPrice = () => one(double.objects("price"))?.id ?? "";
  return [
    () => store.grant(use()),
    () => store.consume(use()),
    () => store.track(use()),
    async () => {
      const held = await store.reserve(use("credits"));
      if (held.allowed) await store.finish({ ...held, amount: below(20) });
    },
    () => store.finish({ reservationId: `held by ${someone().email}`, amount: 1 }),
    () => billing.change({ entityId: subscriber().entityId, priceId: anyPrice() }),
    () => billing.change({ entityId: subscriber().entityId, priceId: someone().email }),
    () =>
      billing.cancel({ entityId: subscriber().entityId, at: one(["now", "period_end"] as const) }),
    () => billing.resume({ entityId: subscriber().entityId }),
    async () => {
      const { email, name } = someone();
      const { id: customerId } = await stripe.customers.create({ email, name });
      return billing.adopt({ entityId: someone().entityId, customerId });
    },
    async () => {
      const { data } = await stripe.events.list({ limit: 10 });
      return billing.ingest(one(data) ?? (someone() as unknown as Stripe.Event));
    },
    () => billing.ingest(someone() as unknown as Stripe.Event),
    () => billing.tick({ budget: 200 }),
    () => (below(3) ? undefined : store.erase({ entityId: someone().entityId })),
  ];
}
