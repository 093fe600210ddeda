/**
 * The objects that should be at Stripe for a catalogue: products, their prices by slot, and meters.
 * Pure. A slot is the name of a price within its product, so that it survives a new name of the plan.
 */
import type { AnyCatalogue, AnyPlan, TaxBehavior } from "../core/plans/catalogue.js";
import { featureMetadata, type Metadata } from "../core/plans/metadata.js";
import { decimalText, type Interval, type RecurringPrice } from "../core/plans/money.js";
import {
  groupOfPlan,
  MAIN_GROUP,
  packProductId,
  planProductId,
  priceKey,
  stripeKey,
  usageKey,
} from "../core/plans/names.js";
import { billedByUsage, meterOf } from "../core/plans/usage.js";

/** What can never be changed of a price, so that another content is another price. */
export interface PriceContent {
  readonly currency: string;
  /** In smallest units, as Stripe's `unit_amount_decimal`. */
  readonly amount: string;
  readonly taxBehavior: TaxBehavior | "unspecified";
  /** Metadata at Stripe, but a change of it would change what subscribers pay. */
  readonly isPerSeat: boolean;
  readonly recurring: {
    readonly interval: Interval;
    readonly intervalCount: number;
    /** The event's name of the meter; null for what is not billed by usage. */
    readonly meter: string | null;
  } | null;
}

export interface DesiredPrice {
  readonly slot: string;
  /** Its lookup key. */
  readonly key: string;
  readonly content: PriceContent;
  readonly nickname: string | null;
}

export interface DesiredProduct {
  readonly id: string;
  /** Its place in the catalogue, such as `plans.pro`. */
  readonly place: string;
  readonly name: string;
  readonly active: boolean;
  /** What push manages of its metadata. */
  readonly metadata: Metadata;
  /** The first is the default price. */
  readonly prices: readonly DesiredPrice[];
  /** The prices of a retired plan stay as they are. */
  readonly isRetired: boolean;
}

export interface DesiredMeter {
  readonly eventName: string;
  readonly displayName: string;
}

export interface Desired {
  readonly app: string;
  readonly products: readonly DesiredProduct[];
  readonly meters: readonly DesiredMeter[];
}

/** The slot of a pack's only price. */
export const PACK_SLOT = "once";

/** Stripe's limit for a value of metadata. */
const LONGEST_VALUE = 500;

export function desiredOf(catalogue: AnyCatalogue, app: string): Desired {
  const plans = Object.entries(catalogue.plans).map(([name, plan]) =>
    planProduct(catalogue, app, name, plan),
  );
  const packs = Object.keys(catalogue.packs).map((name) => packProduct(catalogue, app, name));
  return { app, products: [...plans, ...packs], meters: metersOf(catalogue) };
}

function planProduct(
  catalogue: AnyCatalogue,
  app: string,
  name: string,
  plan: AnyPlan,
): DesiredProduct {
  const group = groupOfPlan(plan);
  const values = plan.features ?? {};
  return {
    id: planProductId(app, name, plan),
    place: `plans.${name}`,
    name: plan.name,
    active: plan.retired !== true,
    metadata: {
      billing_app: app,
      billing_plan: name,
      ...(group === MAIN_GROUP ? {} : { billing_group: group }),
      ...(plan.default === true ? { billing_default: "true" } : {}),
      ...(plan.trialDays === undefined ? {} : { billing_trial_days: String(plan.trialDays) }),
      ...kindsMetadata(catalogue, Object.keys(values)),
      ...featureMetadata(values),
    },
    prices: plan.retired === true ? [] : planPrices(catalogue, app, name, plan),
    isRetired: plan.retired === true,
  };
}

/** All prices, then what is billed by usage beside each: the default price is never one of these. */
function planPrices(
  catalogue: AnyCatalogue,
  app: string,
  name: string,
  plan: AnyPlan,
): readonly DesiredPrice[] {
  const prices = Object.entries(plan.prices ?? {});
  const taxBehavior = catalogue.taxBehavior ?? "unspecified";
  const licensed = prices.map(([slot, price]): DesiredPrice => {
    const { currency, amount, isPerSeat } = price;
    return {
      slot,
      key: stripeKey(app, priceKey(name, slot)),
      content: {
        ...{ currency, taxBehavior, isPerSeat },
        amount: decimalText(amount),
        recurring: { ...intervalOf(price), meter: null },
      },
      nickname: null,
    };
  });
  const usage = prices.flatMap(([price, terms]) =>
    billedByUsage(catalogue, plan).map(({ feature, meter, overage }): DesiredPrice => {
      return {
        slot: `${price}:${feature}`,
        key: stripeKey(app, usageKey(name, price, feature)),
        content: {
          ...{ currency: overage.currency, taxBehavior, isPerSeat: false },
          amount: decimalText(overage.amount),
          recurring: { ...intervalOf(terms), meter },
        },
        nickname: feature,
      };
    }),
  );
  return [...licensed, ...usage];
}

const intervalOf = ({ interval, intervalCount }: RecurringPrice) => ({ interval, intervalCount });

/** Only what some plan bills needs a meter at Stripe. */
function metersOf(catalogue: AnyCatalogue): readonly DesiredMeter[] {
  const billed = Object.values(catalogue.plans)
    .filter(({ retired }) => retired !== true)
    .flatMap((plan) => billedByUsage(catalogue, plan));
  const names = new Map(billed.map(({ meter, feature }) => [meter, feature]));
  return [...names].map(([eventName, displayName]) => ({ eventName, displayName }));
}

function packProduct(catalogue: AnyCatalogue, app: string, name: string): DesiredProduct {
  const pack = catalogue.packs[name];
  if (pack === undefined) throw new RangeError(`There is no pack ${name}`);
  const { price, credits = {} } = pack;
  return {
    id: packProductId(app, name),
    place: `packs.${name}`,
    name: pack.name,
    active: true,
    metadata: {
      billing_app: app,
      billing_pack: name,
      ...kindsMetadata(catalogue, Object.keys(credits)),
      ...featureMetadata(credits),
    },
    prices: [
      {
        slot: PACK_SLOT,
        key: stripeKey(app, name),
        content: {
          currency: price.currency,
          amount: decimalText(price.amount),
          taxBehavior: catalogue.taxBehavior ?? "unspecified",
          isPerSeat: false,
          recurring: null,
        },
        nickname: null,
      },
    ],
    isRetired: false,
  };
}

/**
 * The kinds of features that their values do not show: `projects=highest, apiCalls=meter:api_calls`.
 * Only `pull` reads them; where they do not fit, it reads the kinds off the values.
 */
function kindsMetadata({ features }: AnyCatalogue, names: readonly string[]): Metadata {
  const text = [...names]
    .sort() // the order in which a plan names its features says nothing
    .flatMap((name) => {
      const kind = features[name];
      const meter = meterOf(kind);
      if (meter !== undefined) return [`${name}=meter:${meter}`];
      const isHighest = typeof kind === "object" && "limit" in kind && kind.limit === "highest";
      return isHighest ? [`${name}=highest`] : [];
    })
    .join(", ");
  return text === "" || text.length > LONGEST_VALUE ? {} : { billing_kinds: text };
}
