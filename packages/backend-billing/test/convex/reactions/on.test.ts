// What an application on Convex writes under `on`: told from the rows, whatever brought them, each once.
import { makeFunctionReference } from "convex/server";
import Stripe from "stripe";
import { afterEach, expect, it, vi } from "vitest";
import { PATIENCE } from "../../../../../support/patience.js";
import {
  type ConvexConfig,
  createBilling,
  decode,
  type Reactions,
} from "../../../src/convex/index.js";
import { BillingError } from "../../../src/index.js";
import { type App, type AppOptions, install, openApp } from "../service/kit.js";

const DAY = 24 * 60 * 60_000;
/** The application's `internal.app.told`, whatever it is told. */
const told = makeFunctionReference<"mutation">("app:told") as never;
const store = makeFunctionReference<"mutation">("billing:store");
const reacting = (...names: readonly string[]): Reactions =>
  Object.fromEntries(names.map((name) => [name, told]));

const OF_SUBSCRIPTIONS = [
  "access.granted",
  "access.lost",
  "subscription.started",
  "subscription.ended",
  "subscription.canceling",
  "subscription.kept",
  "customer.linked",
  "invoice.paid",
] as const;

afterEach(() => {
  vi.useRealTimers();
});

async function open(on: Reactions, options: AppOptions = {}): Promise<App & { stripe: Stripe }> {
  const app = await openApp({ delivery: "auto", ...options, config: { on, ...options.config } });
  await install(app);
  return { ...app, stripe: new Stripe(app.double.secretKey, app.double.stripeConfig) };
}

async function subscribe(
  { call, stripe }: Pick<App, "call"> & { stripe: Stripe },
  entityId: string,
  more: Partial<Stripe.SubscriptionCreateParams> = {},
) {
  const { customerId } = await call<{ customerId: string }>("billing:setup", { entityId });
  return subscribeCustomer(stripe, customerId, more);
}

async function subscribeCustomer(
  stripe: Stripe,
  customer: string,
  more: Partial<Stripe.SubscriptionCreateParams> = {},
) {
  const { id } = await stripe.paymentMethods.attach("pm_card_visa", { customer });
  const product = await stripe.products.create({ name: "Pro" });
  const price = await stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 1000,
    recurring: { interval: "month" },
  });
  const items = [{ price: price.id }];
  return stripe.subscriptions.create({ customer, items, default_payment_method: id, ...more });
}

/** Until everything is delivered, every question answered, and every change told. */
async function settled({ double, deployment }: App): Promise<void> {
  await double.settle();
  await deployment.idle();
}

const until = (check: () => unknown) => vi.waitFor(check, { timeout: PATIENCE });

interface Line {
  readonly name: string;
  readonly entityId: string | null;
  readonly of: { readonly key: string; readonly after?: { readonly metadata?: object } };
}

const toldIn = ({ deployment }: App) =>
  deployment.backend.run(({ db }) => db.query("told").collect() as Promise<Line[]>);
const namesIn = async (app: App) => (await toldIn(app)).map(({ name }) => name);

it("a subscription's life is told once, in order, with its entity", {
  tags: ["slow"],
}, async () => {
  const app = await open(reacting(...OF_SUBSCRIPTIONS));
  const { id } = await subscribe(app, "user_1");
  await settled(app);
  const begun = await toldIn(app);
  expect(begun.map(({ name }) => name).sort()).toEqual([
    "access.granted",
    "customer.linked",
    "invoice.paid",
    "subscription.started",
  ]);
  expect(new Set(begun.map(({ entityId }) => entityId))).toEqual(new Set(["user_1"]));
  expect(new Set(begun.map(({ of }) => of.key)).size).toBe(begun.length);
  const { billing } = app.deployment.B;
  await app.within((ctx) => billing.cancel(ctx, { entityId: "user_1" }));
  await app.within((ctx) => billing.resume(ctx, { entityId: "user_1" }));
  await settled(app);
  await app.stripe.subscriptions.cancel(id);
  await settled(app);
  expect((await namesIn(app)).slice(begun.length)).toEqual([
    "subscription.canceling",
    "subscription.kept",
    "subscription.ended",
    "access.lost",
  ]);
  await app.call("billing:sync");
  await settled(app);
  expect(await namesIn(app)).toHaveLength(begun.length + 4);
});

it("access is told once from a record of an earlier version", { tags: ["slow"] }, async () => {
  const app = await open(reacting("access.granted", "access.lost"));
  const { id } = await subscribe(app, "user_1");
  await settled(app);
  await app.deployment.backend.run(async ({ db }) => {
    const all = await db.query("backend_billing_records").collect();
    for (const { _id, kind, data } of all) {
      const { key: _key, ...rest } = data;
      if (kind === "access") await db.patch(_id, { data: rest });
    }
  });
  await app.stripe.subscriptions.cancel(id);
  await settled(app);
  expect(await namesIn(app)).toEqual(["access.granted", "access.lost"]);
});

it("what becomes of a customer that is gone is told of the entity that it had", {
  tags: ["slow"],
}, async () => {
  const names = ["access.lost", "customer.deleted", "refund.created", "subscription.ended"];
  const app = await open(reacting(...names));
  const { customer } = await subscribe(app, "user_1");
  await settled(app);
  const { data } = await app.stripe.charges.list({ customer: String(customer) });
  app.double.faults.add({ fault: "late", on: "customer.subscription.deleted", milliseconds: DAY });
  await app.stripe.customers.del(String(customer));
  await settled(app);
  expect((await namesIn(app)).sort()).toEqual(["access.lost", "customer.deleted"]);
  await app.call("billing:setup", { entityId: "user_1" });
  await app.stripe.refunds.create({ charge: data[0]?.id ?? "" });
  await app.double.clock.advance({ days: 1 });
  await settled(app);
  const lines = await toldIn(app);
  expect(lines.map(({ name }) => name).sort()).toEqual(names);
  expect(new Set(lines.map(({ entityId }) => entityId))).toEqual(new Set(["user_1"]));
});

it("an invoice has not failed while a bank has not answered", { tags: ["slow"] }, async () => {
  const on = reacting("invoice.paid", "invoice.payment_failed");
  const app = await open(on, { delivery: "held" });
  const delivered = async () => {
    const { deliveries } = app.double;
    await deliveries.release(deliveries.held().map(({ id }) => id)); // in their order
    await settled(app);
  };
  const { customerId: customer } = await app.call<{ customerId: string }>("billing:setup", {
    entityId: "user_1",
  });
  const paysBy = async (method: string) => {
    const { id } = await app.stripe.paymentMethods.attach(method, { customer });
    await subscribeCustomer(app.stripe, customer, { default_payment_method: id });
    await delivered();
    return namesIn(app);
  };
  expect(await paysBy("pm_usBankAccount_success")).toEqual([]);
  await app.double.clock.advance({ minutes: 1 });
  await delivered();
  expect(await namesIn(app)).toEqual(["invoice.paid"]);
  const declined = "pm_card_chargeCustomerFail";
  expect(await paysBy(declined)).toEqual(["invoice.paid", "invoice.payment_failed"]);
});

it("what a first listing finds is silent, and told with `initial_events`", {
  tags: ["slow"],
}, async () => {
  for (const initial_events of [false, true]) {
    const on = reacting(...OF_SUBSCRIPTIONS);
    const app = await openApp({ config: { on, initial_events } });
    const stripe = new Stripe(app.double.secretKey, app.double.stripeConfig);
    const customer = await stripe.customers.create({ metadata: { entityId: "team_1" } });
    await subscribeCustomer(stripe, customer.id);
    await app.call("billing:sync");
    await app.deployment.idle();
    expect((await namesIn(app)).sort()).toEqual(
      initial_events
        ? ["access.granted", "customer.linked", "invoice.paid", "subscription.started"]
        : [],
    );
  }
});

it("a handler that fails is called again, and its neighbours of the same change are not", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  let failures = 1;
  const on = { ...reacting("subscription.started"), change: { subscriptions: told } };
  const onTold = (name: string) => {
    if (name === "subscription.started" && failures-- > 0) throw new Error("No");
  };
  const app = await open(on, { onTold });
  const { id } = await subscribe(app, "user_1");
  await app.double.settle();
  await until(async () => expect(await namesIn(app)).toEqual(["change"]));
  await until(() => expect(failures).toBe(0));
  vi.setSystemTime(Date.now() + 5_000);
  const operation = { type: "deliver", ref: `subscriptions ${id}` };
  await app.deployment.backend.mutation(store, { operation });
  await until(async () => expect(await namesIn(app)).toEqual(["change", "subscription.started"]));
});

it("the end of a trial is told by time, once", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const app = await open(reacting("trial.ending"));
  await subscribe(app, "user_1", { trial_period_days: 10 });
  await settled(app);
  const raised = async () => {
    await app.call("billing:sync", { step: "work" });
    const { backend } = app.deployment;
    const waiting = await backend.run(({ db }) => db.query("backend_billing_records").collect());
    return waiting.filter(({ kind }) => kind === "change").length;
  };
  vi.setSystemTime(Date.now() + 6 * DAY);
  expect(await raised()).toBe(0);
  vi.setSystemTime(Date.now() + 1.1 * DAY);
  expect(await raised()).toBe(1);
  await until(async () =>
    expect(await toldIn(app)).toMatchObject([{ name: "trial.ending", entityId: "user_1" }]),
  );
  expect(await raised()).toBe(0);
});

it("names of metadata that Convex refuses are escaped, as in documents", async () => {
  const app = await open({ change: { products: told } });
  await app.stripe.products.create({ name: "Pro", metadata: { clé: "1815", $x: "1" } });
  await settled(app);
  const [{ of } = { of: undefined }] = await toldIn(app);
  expect(decode(of?.after?.metadata)).toEqual({ clé: "1815", $x: "1" });
});

it("names that could never be told are refused", () => {
  const secrets = { secret_key: "sk_test_1", webhook_secret: "whsec_1" };
  const wrong = (on: object, config: Partial<ConvexConfig> = {}) =>
    expect(() => createBilling({ ...secrets, ...config, on } as ConvexConfig));
  wrong({ "subscription.begun": told }).toThrow(BillingError);
  wrong({ change: { radar: told } }).toThrow("not in the catalogue");
  wrong({ "refund.created": told }, { resources: ["customers"] }).toThrow("refunds and charges");
});
