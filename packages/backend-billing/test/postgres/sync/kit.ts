/** What the tests of sync share: applications without a webhook endpoint, and equality with Stripe. */
import Stripe from "stripe";
import { expect } from "vitest";
import { listedAtOnce } from "../../../../../support/listed-at-once.js";
import { idsAtStripe, listsByOwner, stripePath } from "../../../../../support/stripe-path.js";
import { ownerFieldOf, ownerIn, type ResourceName } from "../../../src/core/catalogue/catalogue.js";
import { localOf } from "../../../src/core/runtime/local.js";
import { runReport } from "../../../src/core/sync/run/report.js";
import { openScheduled } from "../../../src/core/sync/work/scheduled.js";
import { workUntilDone } from "../../../src/core/sync/work/wait.js";
import type { PostgresConfig } from "../../../src/postgres/index.js";
import type { StripeDouble } from "../../../src/testing/index.js";
import { type App, type AppOptions, applications, NOW } from "../service/kit.js";

export { type App, billingError, eventually, NOW } from "../service/kit.js";

/** Fast, and not paced: the double has no limits unless a test gives it some. */
const CONFIG: Partial<PostgresConfig> = {
  rate: false,
  resources: listedAtOnce, // all-resources.test.ts is about the rest
  timing: { pageLease: 5_000, verifyDelay: 20 },
};

/** Applications that hear of nothing unless they ask, at a Stripe whose time stands still. */
export function quietApplications(): (options?: AppOptions) => Promise<App> {
  const open = applications();
  return ({ stripe, config, ...rest } = {}) =>
    open({
      endpoint: false,
      ...rest,
      stripe: { now: NOW, ...stripe },
      config: { ...CONFIG, ...config },
    });
}

async function get(double: StripeDouble, path: string): Promise<unknown> {
  const answer = await fetch(`${double.url}/v1/${path}`, {
    headers: { Authorization: `Bearer ${double.secretKey}`, "Stripe-Version": Stripe.API_VERSION },
  });
  expect(answer.status, path).toBe(200);
  return answer.json();
}

/** Everything that a list shows. */
async function pagesOf(double: StripeDouble, path: string): Promise<{ id: string }[]> {
  const all: { id: string }[] = [];
  for (;;) {
    const last = all.at(-1)?.id;
    const cursor = last === undefined ? "" : `&starting_after=${last}`;
    const joint = path.includes("?") ? "&" : "?";
    const page = (await get(double, `${path}${joint}limit=100${cursor}`)) as {
      data: { id: string }[];
      has_more: boolean;
    };
    all.push(...page.data);
    if (!page.has_more) return all;
  }
}

/** Whose an object is that does not name its owner, beside what Stripe shows of it. */
const OWNER = "(owner)";

/** Every object of a kind at Stripe: by lists that hide nothing, and by id what is in no list. */
export async function atStripe(
  double: StripeDouble,
  resource: ResourceName,
): Promise<Map<string, object>> {
  const all = new Map<string, object>();
  for (const { owner, path } of listsByOwner(double, resource)) {
    const listed = await pagesOf(double, path);
    for (const object of listed) all.set(object.id, { ...object, [OWNER]: owner });
  }
  if (ownerFieldOf(resource) !== undefined) return all;
  const filters: { readonly [name in ResourceName]?: readonly string[] } = {
    products: ["active=true", "active=false"],
    prices: ["active=true", "active=false"],
    subscriptions: ["status=all"],
    payment_methods: [], // there is no list of all
  };
  for (const filter of filters[resource] ?? [""]) {
    const listed = await pagesOf(double, `${stripePath(resource)}?${filter}`);
    for (const object of listed) all.set(object.id, object);
  }
  for (const id of idsAtStripe(double, resource)) {
    if (!all.has(id)) all.set(id, (await get(double, `${stripePath(resource)}/${id}`)) as object);
  }
  return all;
}

/** What the mirror holds, by id, without the rows that stand for nothing. */
async function inMirror(app: App, resource: ResourceName): Promise<Map<string, object>> {
  const all = new Map<string, object>();
  for (let after = ""; ; ) {
    const rows = await app.b.store.rows(resource, after, 500);
    for (const row of rows) {
      const { stripe } = row;
      if (stripe === null) continue;
      const isOwned = ownerFieldOf(resource) !== undefined;
      all.set(stripe.id, isOwned ? { ...stripe, [OWNER]: ownerIn(resource, row) } : stripe);
    }
    const last = rows.at(-1);
    if (last === undefined) return all;
    after = last._id;
  }
}

/** That the mirror is what Stripe has, object by object and field by field. */
export async function expectEqual(
  app: App,
  some: readonly ResourceName[] = listedAtOnce,
): Promise<void> {
  for (const resource of some) {
    const [theirs, ours] = [await atStripe(app.double, resource), await inMirror(app, resource)];
    expect([...ours.keys()].sort(), resource).toEqual([...theirs.keys()].sort());
    for (const [id, object] of theirs) expect(ours.get(id), id).toEqual(object);
  }
}

/** What a scheduler does, and what its workers do after that. */
export async function scheduled(app: App, wanted: "catch-up" | "reconcile") {
  const runtime = real(app);
  const runId = await openScheduled(runtime, wanted);
  await workUntilDone(runtime, runId);
  return runReport(runtime, runId);
}

/** The application's runtime, with the time of this machine. */
export const real = (app: App) => ({
  ...app.core,
  local: localOf(app.config), // as a process of its own
  now: Date.now,
  sleep: (milliseconds: number) =>
    new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
});

export interface Shop {
  readonly product: Stripe.Product;
  readonly price: Stripe.Price;
  readonly customer: Stripe.Customer;
}

/** Something of everything, also what lists like to hide. */
export async function fillShop({ stripe }: App): Promise<Shop> {
  const product = await stripe.products.create({ name: "Difference Engine" });
  const recurring = { interval: "month" } as const;
  const amount = { product: product.id, currency: "usd", unit_amount: 2000 };
  const price = await stripe.prices.create({ ...amount, recurring });
  await stripe.prices.create({ ...amount, active: false });
  await stripe.products.create({ name: "Abacus", active: false });
  const customer = await stripe.customers.create({
    email: "ada@example.com",
    metadata: { entityId: "user_1" },
    payment_method: "pm_card_visa",
    invoice_settings: { default_payment_method: "pm_card_visa" },
  });
  const items = [{ price: price.id }];
  const kept = await stripe.subscriptions.create({ customer: customer.id, items });
  const over = await stripe.subscriptions.create({ customer: customer.id, items });
  await stripe.subscriptions.cancel(over.id);
  const coupon = await stripe.coupons.create({ percent_off: 10, duration: "once" });
  await stripe.promotionCodes.create({ promotion: { type: "coupon", coupon: coupon.id } });
  await stripe.payouts.create({ amount: 1000, currency: "usd" });
  const { id: schedule } = await stripe.subscriptionSchedules.create({
    from_subscription: kept.id,
  });
  await stripe.subscriptionSchedules.release(schedule);
  const { id: session } = await stripe.checkout.sessions.create({
    mode: "setup",
    currency: "usd",
    success_url: "https://app.example/welcome",
  });
  await stripe.checkout.sessions.expire(session);
  // Invoices raised a number on the customer, and Stripe tells of that only with the next change.
  await stripe.customers.update(customer.id, { name: "Ada Lovelace" });
  return { product, price, customer };
}

/** The requests that the double got, without those of the account's own name. */
export const pageRequests = ({ double }: App): number =>
  double.requests.count() - double.requests.count("GET /v1/account");
