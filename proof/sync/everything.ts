/** A Stripe account with something of every resource, in the proportions of a shop that grew. */
import { isDeepStrictEqual } from "node:util";
import type pg from "pg";
import Stripe from "stripe";
import {
  listsPerOwner,
  type ResourceName,
  resourceNames,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type {
  Listing,
  Mirrorable,
} from "../../packages/backend-billing/src/core/catalogue/resource.js";
import { resources } from "../../packages/backend-billing/src/core/catalogue/resources.js";
import {
  createStripeDouble,
  type Population,
  type StripeDouble,
} from "../../packages/backend-billing/src/testing/index.js";
import { fillAll } from "../../support/everything/account.js";
import { idsAtStripe } from "../../support/stripe-path.js";

export interface Everything {
  readonly double: StripeDouble;
  readonly stripe: Stripe;
}

type Kind = Population["object"];

/** Of 100,000 objects, how many are of each kind. What is missing is balance transactions. */
const SHARES: { readonly [kind in Exclude<Kind, "balance_transaction">]: number } = {
  customer: 1_500,
  product: 300,
  price: 800,
  subscription: 2_000,
  promotion_code: 300,
  payout: 700,
  refund: 1_500,
  "checkout.session": 6_000,
  invoice: 16_000,
  subscription_schedule: 300,
  payment_intent: 18_000,
  charge: 17_000,
  payment_method: 2_000,
  dispute: 300,
  setup_intent: 1_500,
  invoiceitem: 3_000,
  invoice_payment: 9_000,
  credit_note: 500,
  quote: 300,
  tax_id: 500,
  tax_rate: 50,
  "radar.early_fraud_warning": 100,
  transfer: 1_000,
  payment_link: 40,
};
const OF = 100_000;
/** What there are few of in any account is made one by one. */
const FEW = 60;
const MONTH = 30 * 86_400;

export async function openEverything(objects: number, seed: string): Promise<Everything> {
  const like = await likeness(seed);
  const double = await createStripeDouble({ seed, delivery: "held" });
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  // They came evenly since a month after the account was made.
  const { created = 0 } = await stripe.accounts.retrieveCurrent();
  const from = (created + MONTH) * 1000;
  const owners: string[] = [];
  const add = (object: Kind, count: number) => {
    const [first, ...others] = like.objects(object as "customer");
    if (first === undefined) throw new Error(`There is no ${object} to make others like`);
    const all = [first, ...others];
    if (object === "customer") {
      double.populate({ object, count, from }); // each its own: one like the first would be the same entity
      return;
    }
    const make = (index: number, made: object) => {
      const owner = owners[(index * 7) % owners.length]; // some have several, and some none
      const own =
        object === "tax_id"
          ? { customer: owner, owner: { type: "customer", customer: owner } }
          : {};
      const customer = object === "payment_method" ? { customer: owner } : own;
      const discounts = object === "subscription" ? { discounts: [] } : {}; // those are of the other's
      return { ...all[index % all.length], ...made, ...customer, ...discounts };
    };
    double.populate({ object, count, from, make } as unknown as Population);
  };
  for (const [kind, share] of Object.entries(SHARES) as [Kind, number][]) {
    add(kind, Math.max(1, Math.round((share * objects) / OF)));
    if (kind === "customer") owners.push(...double.objects("customer").map(({ id }) => id));
  }
  await addFew(stripe);
  add("balance_transaction", Math.max(1, objects - countOf(double)));
  double.requests.clear();
  await like.close();
  return { double, stripe };
}

/** One of each as Stripe makes them, in an account of its own. */
async function likeness(seed: string): Promise<StripeDouble> {
  const double = await createStripeDouble({ seed: `${seed} like` });
  await fillAll({ double, stripe: new Stripe(double.secretKey, double.stripeConfig) });
  return double;
}

async function addFew(stripe: Stripe): Promise<void> {
  for (let index = 0; index < FEW; index++) {
    const name = `name_${index}`;
    await stripe.coupons.create({ percent_off: 10, duration: "once" });
    const { id } = await stripe.entitlements.features.create({ name, lookup_key: name });
    if (index % 3 === 0) await stripe.entitlements.features.update(id, { active: false });
    await stripe.accounts.create({ type: "express", country: "US" });
    if (index % 10 > 0) continue;
    await stripe.taxIds.create({ type: "eu_vat", value: "DE987654321" });
    await stripe.billing.meters.create({
      display_name: name,
      event_name: name,
      default_aggregation: { formula: "sum" },
    });
    await stripe.billingPortal.configurations.create({
      features: { invoice_history: { enabled: true } },
    });
    const { id: coupon } = await stripe.coupons.create({ percent_off: 10, duration: "forever" });
    const subscription = (await stripe.subscriptions.list({ limit: 100 })).data[index / 10];
    if (subscription !== undefined) {
      await stripe.subscriptions.update(subscription.id, { discounts: [{ coupon }] });
    }
    const [customer] = (await stripe.customers.list({ limit: 1 })).data;
    await stripe.billing.creditGrants.create({
      customer: customer?.id ?? "",
      category: "promotional",
      amount: { type: "monetary", monetary: { currency: "usd", value: 500 } },
      applicability_config: { scope: { price_type: "metered" } },
    });
  }
}

export const countOf = (double: StripeDouble): number =>
  resourceNames.reduce((sum, name) => sum + idsAtStripe(double, name).length, 0);

export interface Read {
  /** What each list has, by id, as JSON has it. */
  readonly objects: ReadonlyMap<ResourceName, ReadonlyMap<string, unknown>>;
  /** Requests that one reader needs who asks for page after page, without any loss. */
  readonly requests: number;
}

/** Reads every list to its end, one page after another. */
export async function readAll(
  { stripe, double }: Everything,
  names: readonly ResourceName[] = resourceNames,
): Promise<Read> {
  const objects = new Map<ResourceName, Map<string, unknown>>();
  let requests = 0;
  const readList = async (list: Listing<Mirrorable>, into: Map<string, unknown>) => {
    for (let after = {}; ; ) {
      const { data, has_more } = await list(stripe, { limit: 100, ...after });
      requests++;
      // As JSON, because the SDK's own objects have another prototype.
      for (const each of data) into.set(each.id, JSON.parse(JSON.stringify(each)));
      const last = data.at(-1);
      if (!has_more || last === undefined) return;
      after = { starting_after: last.id };
    }
  };
  for (const name of names) {
    const found = new Map<string, unknown>();
    objects.set(name, found);
    for (const list of resources[name].lists as readonly Listing<Mirrorable>[]) {
      await readList(list, found);
    }
    const per = listsPerOwner(name);
    for (const owner of per === undefined ? [] : idsAtStripe(double, per.owner)) {
      if (per !== undefined) await readList(per.list(owner), found);
    }
    const all = idsAtStripe(double, name);
    if (all.length !== found.size || !all.every((id) => found.has(id))) {
      throw new Error(`The lists of ${name} show ${found.size} of ${all.length}`);
    }
  }
  return { objects, requests };
}

/** The columns are the fields' names with underscores. */
const columnOf = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What is missing, different or too much in the tables, of one resource. */
export async function wrongIn(
  pool: pg.Pool,
  name: ResourceName,
  theirs: ReadonlyMap<string, unknown>,
): Promise<string[]> {
  const { table, idField } = resources[name];
  const { rows } = await pool.query<{ id: string; stripe: unknown }>(
    `SELECT ${columnOf(idField)} AS id, stripe FROM billing.${table} WHERE stripe IS NOT NULL`,
  );
  const ours = new Map(rows.map(({ id, stripe }) => [id, stripe]));
  const wrong = [...theirs].filter(([id, object]) => !isDeepStrictEqual(ours.get(id), object));
  const ghosts = [...ours.keys()].filter((id) => !theirs.has(id));
  return [...wrong.map(([id]) => id), ...ghosts];
}
