/**
 * Who does what and when, from a seed: what is sold, the coupons, and each customer's acts over the
 * years. It knows nothing of what the acts lead to; the ledger says which of them are possible.
 */
import { stream } from "../../packages/stripe-double/src/world/random.js";

export const DAY = 86_400;

const PLANS = ["mini", "basic", "pro", "max"] as const;
const CYCLES = ["week", "month", "quarter", "year"] as const;
type Plan = (typeof PLANS)[number];
export type CycleName = (typeof CYCLES)[number];
export type Product = Plan | "seats" | "usage";

/** How long a cycle is, as Stripe says it. */
export const LENGTHS = {
  week: { interval: "week", interval_count: 1 },
  month: { interval: "month", interval_count: 1 },
  quarter: { interval: "month", interval_count: 3 },
  year: { interval: "year", interval_count: 1 },
} as const;

/** Cents for one, by product and cycle. A mini plan by the week or the month is too small to charge. */
export const PRICES: { readonly [product in Product]: { readonly [cycle in CycleName]: number } } =
  {
    mini: { week: 13, month: 31, quarter: 89, year: 333 },
    basic: { week: 249, month: 990, quarter: 2777, year: 9_999 },
    pro: { week: 751, month: 2_999, quarter: 8_499, year: 29_990 },
    max: { week: 2_503, month: 9_901, quarter: 28_001, year: 99_901 },
    /** By the unit that was used, in arrears. */
    usage: { week: 3, month: 7, quarter: 11, year: 13 },
    seats: { week: 187, month: 733, quarter: 2_099, year: 7_301 },
  };

export interface Coupon {
  /** In hundredths of a percent, so that it is a whole number. */
  readonly percent?: number;
  readonly amount?: number;
  readonly duration: "forever" | "once" | "repeating";
  readonly months?: number;
  /** The one product that it is for. */
  readonly only?: Product;
}

export const COUPONS: { readonly [name: string]: Coupon } = {
  "half-once": { percent: 5_000, duration: "once" },
  "five-once": { amount: 500, duration: "once" },
  "third-3": { percent: 3_333, duration: "repeating", months: 3 },
  "ten-5": { amount: 1_001, duration: "repeating", months: 5 },
  "eighth-ever": { percent: 1_250, duration: "forever" },
  "dollar-ever": { amount: 101, duration: "forever" },
  "seats-ever": { percent: 2_001, duration: "forever", only: "seats" },
};

const NOTHING = { credits: false, invoices: false };
const INVOICES = { credits: false, invoices: true };

export type Behaviour = "always_invoice" | "create_prorations" | "none";

export type Act =
  | { readonly kind: "sign up"; readonly card: "good" | "bad" }
  | {
      readonly kind: "join";
      readonly plan: Plan;
      readonly cycle: CycleName;
      readonly seats: number;
      readonly trialDays: number;
      readonly coupons: readonly string[];
      readonly itemized: boolean;
      /** Whether what is used is billed, in arrears. */
      readonly metered: boolean;
    }
  | { readonly kind: "plan"; readonly plan: Plan; readonly behaviour: Behaviour }
  | { readonly kind: "cycle"; readonly cycle: CycleName; readonly behaviour: Behaviour }
  | { readonly kind: "seats"; readonly seats: number; readonly behaviour: Behaviour }
  | { readonly kind: "coupons"; readonly coupons: readonly string[] }
  | { readonly kind: "extra"; readonly amount: number }
  | { readonly kind: "use"; readonly units: number }
  | { readonly kind: "end trial" }
  | { readonly kind: "card breaks" }
  | { readonly kind: "card mended"; readonly pays: boolean }
  | { readonly kind: "refund"; readonly back: number; readonly percent: number }
  | { readonly kind: "dispute"; readonly back: number }
  | { readonly kind: "cancel now"; readonly credits: boolean; readonly invoices: boolean }
  | { readonly kind: "cancel at period end" }
  | { readonly kind: "stay" };

export type Kind = Act["kind"];

/** An act of a customer, who is known by a number, at a second. */
export type Timed<A extends Act = Act> = A & { readonly at: number; readonly customer: number };

export interface Span {
  /** Seconds since the epoch. */
  readonly start: number;
  readonly days: number;
}

/** How likely each act is next. */
const WEIGHTS: { readonly [kind in Exclude<Kind, "sign up" | "card mended">]: number } = {
  join: 24,
  plan: 16,
  cycle: 6,
  seats: 18,
  coupons: 9,
  extra: 7,
  use: 16,
  "end trial": 1,
  "card breaks": 7,
  refund: 7,
  dispute: 3,
  "cancel now": 4,
  "cancel at period end": 5,
  stay: 1,
};

/** The acts of all customers, each by the seed and its number alone, in the order of time. */
export function scriptOf(seed: string | number, customers: number, span: Span): Timed[] {
  const all = Array.from({ length: customers }, (_, customer) => lifeOf(seed, customer, span));
  return all.flat().sort((a, b) => a.at - b.at || a.customer - b.customer);
}

function lifeOf(seed: string | number, customer: number, { start, days }: Span): Timed[] {
  const next = stream(seed, "life", customer);
  const below = (count: number) => Math.floor(next() * count);
  const one = <T>(all: readonly [T, ...T[]]): T => all[below(all.length)] ?? all[0];
  const end = start + days * DAY;
  const acts: Timed[] = [];
  let at = start + below(Math.ceil(days / 3) * DAY);
  const add = (act: Act) => acts.push({ ...act, at, customer });

  /** The same customer's next act, within so many days. */
  const soon = (within: number, act: Act) => {
    at += 60 + below(within * DAY);
    if (at < end) add(act);
  };
  const joins = () => {
    const join = actOf("join", below, one);
    add(join);
    if (join.kind === "join" && join.trialDays > 0 && below(4) === 0) {
      soon(join.trialDays, { kind: "end trial" });
    }
  };
  /** A card that is mended sooner or later; Stripe may have given up by then. */
  const cardBreaks = (then?: () => void) => {
    add({ kind: "card breaks" });
    then?.();
    soon(35, { kind: "card mended", pays: below(2) === 0 });
  };

  add({ kind: "sign up", card: below(10) === 0 ? "bad" : "good" });
  joins();
  for (;;) {
    at += DAY + below(24 * DAY);
    if (at >= end) return acts;
    const kind = weighted(below);
    if (kind === "card breaks") cardBreaks();
    else if (kind === "join") below(5) === 0 ? cardBreaks(joins) : joins();
    else add(actOf(kind, below, one));
    if (kind === "cancel at period end" && below(5) < 2) soon(6, { kind: "stay" });
  }
}

function weighted(below: (count: number) => number): keyof typeof WEIGHTS {
  const kinds = Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[];
  // Each kind as often as its weight says.
  const all = kinds.flatMap((kind) => Array.from({ length: WEIGHTS[kind] }, () => kind));
  return all[below(all.length)] ?? "plan";
}

function actOf(
  kind: keyof typeof WEIGHTS,
  below: (count: number) => number,
  one: <T>(all: readonly [T, ...T[]]) => T,
): Act {
  const behaviour = () => one(["always_invoice", "create_prorations", "none"] as const);
  const names = Object.keys(COUPONS);
  const coupon = () => names[below(names.length)] ?? "";
  const coupons = () => [...new Set(Array.from({ length: below(3) }, coupon))];
  switch (kind) {
    case "join": {
      const trialDays = one([0, 0, 7, 14, 30] as const);
      return {
        kind,
        plan: one(PLANS),
        cycle: one(["week", "month", "month", "month", "quarter", "year"] as const),
        seats: below(2) * below(12),
        trialDays,
        coupons: coupons(),
        itemized: below(3) === 0,
        metered: trialDays === 0 && below(2) === 0,
      };
    }
    case "plan":
      return { kind, plan: one(PLANS), behaviour: behaviour() };
    case "cycle":
      return { kind, cycle: one(CYCLES), behaviour: behaviour() };
    case "seats":
      return { kind, seats: below(14), behaviour: behaviour() };
    case "coupons":
      return { kind, coupons: coupons() };
    case "extra":
      return { kind, amount: below(3) === 0 ? -1 - below(900) : 1 + below(2500) };
    case "use":
      return { kind, units: 1 + below(400) };
    case "dispute":
      return { kind, back: below(2) };
    case "refund":
      return { kind, back: below(3), percent: one([100, 50, 17] as const) };
    case "cancel now":
      return { kind, ...one([NOTHING, { credits: true, invoices: true }, INVOICES] as const) };
    default:
      return { kind };
  }
}
