/** What the keys of a catalogue sell: which prices at Stripe, and on which terms. Pure. */
import type { AnyCatalogue } from "./catalogue.js";
import { groupOfPlan, MAIN_GROUP, priceKey, stripeKey, usageKey } from "./names.js";
import { billedByUsage } from "./usage.js";

/** What a key stands for at Stripe. */
export interface Sold {
  /** The lookup key of the price. */
  readonly key: string;
  /** Those of what its plan bills by usage. */
  readonly usage: readonly string[];
  /** The plan's trial. */
  readonly trialDays: number | undefined;
  /** Whether it is a key of the catalogue's. */
  readonly isOwn: boolean;
  /** Why it is sold no more, and what to do; undefined if it is sold. */
  readonly refusal?: string;
}

/** A key of the catalogue's, or else one of Stripe's own. */
export function soldBy(catalogue: AnyCatalogue | undefined, key: string): Sold {
  const app = catalogue?.app ?? null;
  const foreign = { key, usage: [], trialDays: undefined, isOwn: false };
  if (catalogue === undefined || app === null) return foreign;
  if (Object.hasOwn(catalogue.packs, key)) {
    return { key: stripeKey(app, key), usage: [], trialDays: undefined, isOwn: true };
  }
  const [name = "", price = "", ...more] = key.split(":");
  const plan = Object.hasOwn(catalogue.plans, name) ? catalogue.plans[name] : undefined;
  if (more.length > 0 || !Object.hasOwn(plan?.prices ?? {}, price)) return foreign;
  return {
    key: stripeKey(app, key),
    usage: billedByUsage(catalogue, plan ?? {}).map(({ feature }) =>
      stripeKey(app, usageKey(name, price, feature)),
    ),
    trialDays: plan?.trialDays,
    isOwn: true,
    ...(plan?.retired === true
      ? { refusal: `The plan ${name} is retired, so it is not for sale. Sell another one.` }
      : {}),
  };
}

/**
 * Whether people may change to a price by themselves, by its key at Stripe: what the catalogue sells
 * in its main group. A change never crosses groups. Without plans in code, any price: the group is said
 * by the products.
 */
export function isChoice(catalogue: AnyCatalogue | undefined, key: string | null): boolean {
  const app = catalogue?.app ?? null;
  if (catalogue === undefined || app === null) return true;
  return Object.entries(catalogue.plans).some(
    ([name, plan]) =>
      plan.retired !== true &&
      groupOfPlan(plan) === MAIN_GROUP &&
      Object.keys(plan.prices ?? {}).some((price) => stripeKey(app, priceKey(name, price)) === key),
  );
}
