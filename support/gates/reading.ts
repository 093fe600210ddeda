/**
 * What an entity may use, read from Stripe's own state as its API shows it, and from the catalogue as
 * it is written: nothing of the library and nothing of the mirror is used.
 */
import type Stripe from "stripe";
import type { catalogue as Written } from "./shop.js";

/** What is asked of each entity. */
export interface Answers {
  readonly plans: { readonly [group: string]: string | null };
  readonly can: { readonly [feature: string]: boolean };
  readonly limits: { readonly [feature: string]: number };
}

/** What Stripe has of a customer that could give access. */
export interface Standing {
  /** The products of subscriptions with access, newest subscription first. */
  readonly products: readonly string[];
  /** Of each of these, whether its subscription is past due. */
  readonly owing: readonly boolean[];
  /** The next second at which a grace ends; infinite if none is running. */
  readonly until: number;
  /** How many are past due and have access, and how many have lost it. */
  readonly late: { readonly kept: number; readonly lost: number };
}

const GRACE = 14 * 86_400;
export const GROUPS = ["main", "support"] as const;
export const GATES = ["sso", "chat", "calls"] as const;
export const LIMITS = ["projects", "seats"] as const;

/** At a second of Stripe's time. */
export async function standingOf(stripe: Stripe, customer: string, now: number): Promise<Standing> {
  const none = { kept: 0, lost: 0 };
  const nothing = { products: [], owing: [], until: Number.POSITIVE_INFINITY, late: none };
  if ((await stripe.customers.retrieve(customer)).deleted) return nothing;
  const { data } = await stripe.subscriptions.list({ customer, limit: 100 });
  const late = data.filter(({ status }) => status === "past_due");
  const open =
    late.length === 0
      ? []
      : (await stripe.invoices.list({ customer, status: "open", limit: 100 })).data;
  const ends = new Map(late.map((each) => [each.id, graceEnd(each, open)]));
  const has = data
    .filter(({ id, status }) =>
      status === "past_due"
        ? now < (ends.get(id) ?? 0)
        : status === "active" || status === "trialing",
    )
    .sort((a, b) => b.created - a.created || (b.id > a.id ? 1 : -1));
  const running = [...ends.values()].filter((end) => end > now);
  return {
    products: has.flatMap(({ items }) => items.data.map(({ price }) => String(price.product))),
    owing: has.flatMap(({ items, status }) => items.data.map(() => status === "past_due")),
    until: Math.min(Number.POSITIVE_INFINITY, ...running),
    late: { kept: running.length, lost: ends.size - running.length },
  };
}

/** Two weeks from when the oldest open invoice was finalised, or else from the start of the period. */
function graceEnd({ id, items }: Stripe.Subscription, open: readonly Stripe.Invoice[]): number {
  const finalised = open
    .filter(({ parent }) => parent?.subscription_details?.subscription === id)
    .map((invoice) => invoice.status_transitions.finalized_at ?? invoice.created);
  const starts = items.data.map((item) => item.current_period_start);
  return Math.min(...(finalised.length > 0 ? finalised : starts)) + GRACE;
}

interface PlanAsWritten {
  readonly default?: true;
  readonly group?: string;
  readonly was?: string;
  readonly features: { readonly [feature: string]: unknown };
}

/** By the catalogue; `withDefault` is false where the products alone say what is included. */
export function answersOf(
  { products, owing }: Standing,
  { plans }: typeof Written,
  withDefault: boolean,
): Answers {
  const all = Object.entries<PlanAsWritten>(plans);
  const planOf = (product: string) =>
    all.find(([name, { was }]) => product === `acme_${was ?? name}`);
  const boughtIn = (group: string) =>
    products.flatMap((product, place) => {
      const found = planOf(product);
      const isIn = found !== undefined && (found[1].group ?? "main") === group;
      return isIn ? [{ found, isOwing: owing[place] }] : [];
    });
  const inGroup = (group: string) => {
    const bought = boughtIn(group).map(({ found }) => found);
    if (bought.length > 0) return bought;
    return withDefault
      ? all.filter(([, plan]) => plan.default && (plan.group ?? "main") === group)
      : [];
  };
  const number = (value: unknown): number =>
    value === "unlimited" ? Number.POSITIVE_INFINITY : typeof value === "number" ? value : 0;
  const highest = (group: string, feature: string) =>
    inGroup(group).reduce((most, [, { features }]) => Math.max(most, number(features[feature])), 0);
  // Nothing was ever taken, so what a plan includes is there, unless it is given when it is paid for.
  const isGiven = (group: string) => boughtIn(group)[0]?.isOwing !== true;
  const included = () =>
    GROUPS.some((group) => isGiven(group) && Boolean(inGroup(group)[0]?.[1].features.calls));
  const has = (feature: string) =>
    GROUPS.some((group) => inGroup(group).some(([, { features }]) => Boolean(features[feature])));
  const each = GROUPS.map((group) => (feature: string) => highest(group, feature));
  const sum = (feature: string) => each.reduce((total, most) => total + most(feature), 0);
  const most = (feature: string) => Math.max(...each.map((of) => of(feature)));
  return {
    plans: Object.fromEntries(GROUPS.map((group) => [group, inGroup(group)[0]?.[0] ?? null])),
    can: {
      ...Object.fromEntries(GATES.map((feature) => [feature, has(feature)])),
      calls: included(),
    },
    // Without a catalogue every limit adds up.
    limits: { projects: sum("projects"), seats: withDefault ? most("seats") : sum("seats") },
  };
}
