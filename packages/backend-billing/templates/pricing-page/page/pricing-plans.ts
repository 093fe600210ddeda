/** What the pricing page shows, as pure functions of the catalogue and of what an entity has. */
import type { AnyPlan, Plans, RecurringPrice } from "backend-billing/catalogue";
import { catalogue } from "../app/catalogue.js";

/** Better words for features than their names in the catalogue: `{ sso: "single sign-on" }`. */
const featureWords: { readonly [feature: string]: string } = {};
const locale = "en";

/** What the backend says of an entity. Times are milliseconds. */
export interface PricingState {
  /** Stripe's status of the subscription, or `none`. */
  readonly status: string;
  readonly productId: string | null;
  readonly lookupKey: string | null;
  readonly trialEndsAt: number | null;
  readonly renewsAt: number | null;
  readonly endsAt: number | null;
  /** A change of plan that waits for the end of the period. */
  readonly next: { readonly at: number; readonly lookupKey: string | null } | null;
  /** Where an invoice that was not paid is paid. */
  readonly payUrl: string | null;
}

/** What a change of plan would cost. The quote makes it cost just that. */
export interface Offer {
  readonly currency: string;
  readonly dueNow: number;
  readonly next: { readonly at: number; readonly amount: number } | null;
  readonly lines: readonly { readonly description: string; readonly amount: number }[];
  readonly quote: string;
}

/** What comes of choosing a price: a page at Stripe, an offer to confirm, or the change is made. */
export type Chosen = { readonly url: string } | { readonly offer: Offer } | { readonly done: true };

/** What the page has of the backend. Each call fails with a `PricingError`. */
export interface Pricing {
  /** Undefined until it is known; null if no one is signed in. */
  readonly state: PricingState | null | undefined;
  /** Why it is not known. */
  readonly problem?: string | undefined;
  choose(key: string, quote?: string): Promise<Chosen>;
  /** The address of Stripe's portal. */
  portal(): Promise<string>;
  cancel(): Promise<void>;
  resume(): Promise<void>;
}

export class PricingError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const plans: Plans = catalogue.plans;
const nameOfKey = (key: string): string => key.split(":")[0] ?? "";
const ownKey = (lookupKey: string | null): string | null => {
  const key = lookupKey?.replace(`${catalogue.app}:`, "");
  return key !== undefined && catalogue.isKey(key) ? key : null;
};

/** Which plan was bought, and at which price; the key is null for a price that is sold no more. */
export function boughtPlan({ productId, lookupKey }: PricingState) {
  const name = Object.keys(plans).find(
    (each) => `${catalogue.app}_${plans[each]?.was ?? each}` === productId,
  );
  return name === undefined ? null : { name, key: ownKey(lookupKey) };
}

/** What a person may do with a plan next. */
export type Step =
  | { readonly do: "start" | "try" | "switch"; readonly key: string }
  | { readonly do: "pay"; readonly url: string }
  | { readonly do: "current" | "resume" | "manage" | "cancel" }
  | { readonly do: "wait"; readonly until: number }
  | { readonly do: "nothing" };

const running = new Set(["active", "trialing", "past_due", "unpaid", "paused"]);

/** The step for a plan, at the price with this key; a plan without a key is the default plan. */
export function nextStep(name: string, key: string | null, state: PricingState | null): Step {
  if (state === null || !running.has(state.status)) {
    if (key === null) return { do: state === null ? "nothing" : "current" };
    const isFirst = (state?.status ?? "none") === "none"; // a trial is given once
    return { do: isFirst && plans[name]?.trialDays !== undefined ? "try" : "start", key };
  }
  const { status, endsAt, next, payUrl } = state;
  const bought = boughtPlan(state);
  const isCurrent = bought?.name === name && (bought.key === null || bought.key === key);
  if (status === "past_due" || status === "unpaid") {
    if (!isCurrent) return { do: "nothing" };
    return payUrl === null ? { do: "manage" } : { do: "pay", url: payUrl };
  }
  if (status === "paused") return { do: isCurrent ? "resume" : "nothing" };
  if (isCurrent) return { do: endsAt === null && next === null ? "current" : "resume" };
  if (endsAt !== null) return key === null ? { do: "wait", until: endsAt } : { do: "nothing" };
  if (key === null) return { do: "cancel" };
  if (next !== null && ownKey(next.lookupKey) === key) return { do: "wait", until: next.at };
  return plans[name]?.retired ? { do: "nothing" } : { do: "switch", key };
}

export interface Card {
  readonly name: string;
  readonly title: string;
  /** Undefined for the default plan, which is free. */
  readonly price: RecurringPrice | undefined;
  readonly trialDays: number | undefined;
  readonly features: readonly string[];
  readonly isCurrent: boolean;
  readonly step: Step;
}

/** How often a price is charged, as the switch names it: `1 month`. */
const intervalOf = ({ intervalCount, interval }: RecurringPrice) => `${intervalCount} ${interval}`;
const lengths = { day: 1, week: 7, month: 30, year: 365 };
const lengthOf = ({ intervalCount, interval }: RecurringPrice) => intervalCount * lengths[interval];

/** The plans of the main group that are sold, and the one that the entity has. */
function shownPlans(state: PricingState | null): [name: string, plan: AnyPlan][] {
  const current = state && running.has(state.status) ? boughtPlan(state)?.name : undefined;
  return Object.entries(plans).filter(
    ([name, { group = "main", retired }]) => group === "main" && (!retired || name === current),
  );
}

/** The intervals that there are, the shortest first. */
export function intervals(state: PricingState | null): string[] {
  const prices = shownPlans(state).flatMap(([, plan]) => Object.values(plan.prices ?? {}));
  return [...new Set(prices.sort((a, b) => lengthOf(a) - lengthOf(b)).map(intervalOf))];
}

/** The interval of what the entity has. */
export function currentInterval(state: PricingState | null): string | undefined {
  const [name = "", price = ""] = (state && boughtPlan(state)?.key)?.split(":") ?? [];
  const found = plans[name]?.prices?.[price];
  return found && intervalOf(found);
}

/** A plan's price for the interval, or else its first. */
function priceFor({ prices = {} }: AnyPlan, interval: string | undefined) {
  const all = Object.entries(prices);
  return all.find(([, price]) => intervalOf(price) === interval) ?? all[0];
}

export function cardsFor(state: PricingState | null, interval: string | undefined): Card[] {
  return shownPlans(state).map(([name, plan]) => {
    const [price, terms] = priceFor(plan, interval) ?? [];
    const step = nextStep(name, price === undefined ? null : `${name}:${price}`, state);
    const isCurrent = ["current", "resume", "pay", "manage"].includes(step.do);
    const features = Object.entries(plan.features ?? {}).flatMap(featureText);
    return {
      name,
      title: plan.name,
      price: terms,
      trialDays: plan.trialDays,
      features,
      isCurrent,
      step,
    };
  });
}

/** How things are with what the entity has, in a sentence. */
export function standing(state: PricingState): string {
  const { status, trialEndsAt, renewsAt, endsAt, next } = state;
  const title = plans[boughtPlan(state)?.name ?? ""]?.name ?? "your plan";
  if (!running.has(status)) return "Choose a plan. You can change or cancel it at any time.";
  if (status === "past_due" || status === "unpaid") return "Your last invoice is not paid yet.";
  if (status === "paused") return `You have ${title}. It is paused.`;
  if (endsAt !== null) return `You have ${title}. It ends on ${day(endsAt)}.`;
  if (next !== null) return `You have ${title}. It changes on ${day(next.at)}.`;
  if (trialEndsAt !== null) return `You are trying ${title}, until ${day(trialEndsAt)}.`;
  return renewsAt === null
    ? `You have ${title}.`
    : `You have ${title}. It renews on ${day(renewsAt)}.`;
}

/** The title of the plan that a key sells. */
export const titleOf = (key: string): string => plans[nameOfKey(key)]?.name ?? key;

type Values = NonNullable<AnyPlan["features"]>;

function featureText([feature, value]: [string, Values[string]]): string[] {
  const words =
    featureWords[feature] ?? feature.replace(/([a-z])([A-Z])|[_-]/g, "$1 $2").toLowerCase();
  const count = (number: number) => number.toLocaleString(locale);
  if (value === false || value === 0) return [];
  if (value === true) return [words.charAt(0).toUpperCase() + words.slice(1)];
  if (value === "unlimited") return [`Unlimited ${words}`];
  if (typeof value === "number") return [`${count(value)} ${words}`];
  const more = "overage" in value && value.overage;
  const beyond = more ? `, then ${money(more.amount, more.currency)} each` : "";
  return [`${count(value.included ?? 0)} ${words}${beyond}`];
}

/** `Monthly`, `Yearly`, `Every 3 months`. */
export function intervalText(interval: string): string {
  const [count = "1", unit = ""] = interval.split(" ");
  if (count !== "1") return `Every ${count} ${unit}s`;
  return unit === "day" ? "Daily" : `${unit.charAt(0).toUpperCase()}${unit.slice(1)}ly`;
}

/** `per month`, `per seat and year`, `every 3 months`. */
export function termsText({ intervalCount, interval, isPerSeat }: RecurringPrice): string {
  if (intervalCount === 1) return `per ${isPerSeat ? "seat and " : ""}${interval}`;
  return `${isPerSeat ? "per seat " : ""}every ${intervalCount} ${interval}s`;
}

/** Currencies whose smallest unit, in which amounts are, is not a hundredth at Stripe. */
const noDecimals = "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf";
const threeDecimals = "bhd jod kwd omr tnd";

export function money(amount: number, currency: string): string {
  const decimals = noDecimals.includes(currency) ? 0 : threeDecimals.includes(currency) ? 3 : 2;
  const value = amount / 10 ** decimals;
  return new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: Number.isInteger(value) ? 0 : decimals,
    maximumFractionDigits: Number.isInteger(amount) ? decimals : 12,
  }).format(value);
}

export const day = (milliseconds: number): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "long" }).format(milliseconds);
