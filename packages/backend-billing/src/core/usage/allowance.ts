/**
 * What an entity's plans give of one feature at a moment: shares of the running periods, and how many
 * units beyond they sell. Pure; the subscriptions come from the mirror.
 */
import type { StripeObject } from "../catalogue/catalogue.js";
import type { Held } from "../mirror/store.js";
import { hasAccess } from "../plans/access.js";
import type { AnyCatalogue, AnyPlan, Metered } from "../plans/catalogue.js";
import { defaultPlan, groupOfPlan, planOfProduct } from "../plans/names.js";
import { meterOf } from "../plans/usage.js";
import { newestFirst } from "../subscriptions/gates.js";
import { billedOf, isMetered } from "./billed.js";
import { calendarMonth, type Period, sharePeriod } from "./periods.js";

/** A held subscription with its content. */
export type HeldWhole = Held & { readonly whole: StripeObject<"subscriptions"> };

/** What a plan includes of one period. */
export interface Share {
  /** Names the subscription and the period: it is given once. */
  readonly key: string;
  readonly amount: number;
  readonly period: Period;
  /**
   * Whether it is not given anew for now, because its period is not paid for and nothing beyond it is
   * sold; what was given of it before stays.
   */
  readonly isWithheld: boolean;
}

export interface Allowance {
  /** One for each plan; of a plan without the feature it is 0, and what was given of it before stays. */
  readonly shares: readonly Share[];
  /** Names the periods of the plans that have the feature. */
  readonly window: string;
  /** Those of them whose plans sell units beyond. */
  readonly sold: readonly string[];
  /** The most units beyond what is granted; 0 where they are not sold. */
  readonly most: number;
  /** Whether Stripe bills those. */
  readonly billed: boolean;
  /** Milliseconds: the end of the first of its periods, or null if no plan has the feature. */
  readonly resetsAt: number | null;
  /** Milliseconds: until when it is the same, unless a subscription changes. */
  readonly validUntil: number;
}

/** How long it is relied on that a grace has not ended: the mirror says so, and not a time. */
const WHILE_PAST_DUE = 5 * 60 * 1000;

/** What is used without a limit: more can not be counted. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

interface Plan {
  readonly values: Metered | undefined;
  readonly share: Omit<Share, "amount">;
}

export function allowanceOf(
  catalogue: AnyCatalogue,
  feature: string,
  held: readonly HeldWhole[],
  now: number,
): Allowance {
  const running = held.filter((each) => isRunning(catalogue, each, now)).sort(newestFirst);
  const groups = [...new Set(Object.values(catalogue.plans).map(groupOfPlan))];
  const plans = groups.flatMap((group): Plan[] => {
    const plan = planIn(catalogue, group, running, now);
    return plan === undefined ? [] : [{ ...plan, values: saidOf(plan.plan, feature) }];
  });
  const given = plans.filter(({ values }) => values !== undefined);
  const selling = given.filter(({ values }) => beyond(values) > 0);
  const most = selling.reduce((sum, { values }) => sum + beyond(values), 0);
  const ends = plans.map(({ share }) => share.period.until);
  return {
    shares: plans.map(({ values, share }) => ({
      ...share,
      amount: values?.included ?? 0,
      // What is sold is billed also while a payment is late: units that the plan includes would be paid
      // for twice, were they sold then and included once it is paid.
      // mutant "what is included is sold while past due": share.isWithheld && most === 0 -> share.isWithheld
      isWithheld: share.isWithheld && most === 0,
    })),
    window: given.map(({ share }) => share.key).join(", "),
    sold: selling.map(({ share }) => share.key),
    most: Math.min(most, UNLIMITED),
    billed: most > 0 && meterOf(catalogue.features[feature]) !== undefined,
    resetsAt: given.length === 0 ? null : Math.min(...given.map(({ share }) => share.period.until)),
    validUntil: Math.min(
      ...ends,
      ...running.flatMap(({ whole }) => endOf(whole) ?? []),
      held.some(({ status }) => status === "past_due") ? now + WHILE_PAST_DUE : UNLIMITED,
    ),
  };
}

const saidOf = ({ features }: AnyPlan, feature: string): Metered | undefined => {
  const value = features?.[feature];
  return typeof value === "object" ? value : undefined;
};

/** How many units beyond what it includes a plan sells. */
function beyond(values: Metered | undefined): number {
  if (values?.overage === undefined) return 0;
  return values.cap === undefined ? UNLIMITED : values.cap - (values.included ?? 0);
}

/** Whether it gives access, and its end has not come, whether or not Stripe has said so by then. */
function isRunning({ access }: AnyCatalogue, { status, isLapsed, whole }: HeldWhole, now: number) {
  const end = endOf(whole);
  return hasAccess(status, access, () => isLapsed) && (end === undefined || now < end);
}

/** Milliseconds: when it ends by what is known now. */
function endOf({ cancel_at, cancel_at_period_end, items }: HeldWhole["whole"]): number | undefined {
  if (cancel_at !== null) return cancel_at * 1000;
  if (!cancel_at_period_end) return undefined;
  return Math.max(...items.data.map((item) => item.current_period_end)) * 1000;
}

/** The plan of a group: that of the newest subscription with one, or else the default. */
function planIn(
  catalogue: AnyCatalogue,
  group: string,
  running: readonly HeldWhole[],
  now: number,
): { readonly plan: AnyPlan; readonly share: Plan["share"] } | undefined {
  const isIn = (name: string | undefined): AnyPlan | undefined => {
    const plan = name === undefined ? undefined : catalogue.plans[name];
    return plan !== undefined && groupOfPlan(plan) === group ? plan : undefined;
  };
  for (const { whole, status } of running) {
    for (const item of licensedFirst(whole.items.data)) {
      const plan = isIn(planOfProduct(catalogue, item.price.product));
      if (plan === undefined) continue;
      const period = sharePeriod(billedOf(whole, item), now);
      // mutant "what is past due includes again": status === "past_due" -> false
      const isWithheld = status === "past_due";
      // mutant "a better plan gives a second share": ${period.from} -> ${period.from} ${plan.name}
      return { plan, share: { key: `${whole.id} ${period.from}`, period, isWithheld } };
    }
  }
  const plan = isIn(defaultPlan(catalogue, group) ?? undefined);
  if (plan === undefined) return undefined;
  const period = calendarMonth(now);
  return { plan, share: { key: `default ${group} ${period.from}`, period, isWithheld: false } };
}

type Item = HeldWhole["whole"]["items"]["data"][number];

const licensedFirst = (items: readonly Item[]): readonly Item[] =>
  [...items].sort((a, b) => Number(isMetered(a)) - Number(isMetered(b)));
