/**
 * Two years of entities that use up what plans include: what each does and when, and when it is looked
 * at, by the seed and its number alone. What Stripe refuses is left out when it is played.
 */
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { type Cycle, PLANS, type Plan } from "./shop.js";

const DAY = 86_400;
const seconds = (time: string) => Date.parse(time) / 1000;

/** Long ago, with a 29 February in it: what is due by a database's own clock is due at once. */
export const SPAN = {
  from: seconds("2023-01-20T00:00:00Z"),
  until: seconds("2025-04-20T00:00:00Z"),
};
const LEAP_DAY = seconds("2024-02-29T00:00:00Z");

export type Act =
  | {
      readonly kind: "subscribe";
      readonly plan: Plan;
      readonly cycle: Cycle;
      readonly trialDays: number;
    }
  | {
      readonly kind: "change";
      readonly plan: Plan;
      readonly cycle: Cycle | null;
      readonly behaviour: "always_invoice" | "create_prorations" | "none";
    }
  | { readonly kind: "card"; readonly card: "good" | "bad" }
  | { readonly kind: "pause collection"; readonly days: number }
  | {
      readonly kind:
        | "anchor now"
        | "end trial"
        | "pause"
        | "resume"
        | "cancel now"
        | "cancel at period end"
        | "keep";
    }
  | { readonly kind: "pay" }
  | { readonly kind: "look" };

type Kind = Act["kind"];

export type Timed = Act & { readonly at: number; readonly entity: number };

/** How likely each act is next. */
const WEIGHTS: { readonly [kind in Kind]: number } = {
  look: 15,
  subscribe: 8,
  change: 14,
  card: 5,
  pay: 3,
  "anchor now": 2,
  "end trial": 2,
  "pause collection": 2,
  pause: 2,
  resume: 3,
  "cancel now": 2,
  "cancel at period end": 3,
  keep: 2,
};

const KINDS = (Object.keys(WEIGHTS) as Kind[]).flatMap((kind) =>
  Array.from({ length: WEIGHTS[kind] }, () => kind),
) as [Kind, ...Kind[]];

/** What often follows an act, because it takes it back or goes on with it. */
const THEN: { readonly [kind in Kind]?: Kind } = {
  pause: "resume",
  card: "pay",
  "cancel at period end": "keep",
  "cancel now": "subscribe",
  change: "change",
};

interface Chance {
  below(count: number): number;
  one<T>(all: readonly [T, ...T[]]): T;
}

export function lifeOf(seed: string | number, entity: number): readonly Timed[] {
  const next = stream(seed, "periods", entity);
  const below = (count: number) => Math.floor(next() * count);
  const chance: Chance = { below, one: (all) => all[below(all.length)] ?? all[0] };
  const { one } = chance;
  const acts: Timed[] = [];
  let at = SPAN.from + below(75 * DAY);
  const add = (kind: Kind, when = at) => acts.push({ ...actOf(kind, chance), at: when, entity });
  add("card");
  add("subscribe");
  while (at < SPAN.until) {
    const pause = one([below(3_600), below(8 * DAY), below(35 * DAY), below(80 * DAY)] as const);
    at += 1 + pause;
    if (below(5) === 0) at = atMonthsEnd(at);
    const { kind } = acts.at(-1) ?? { kind: "look" };
    const follows = THEN[kind];
    add(follows !== undefined && below(3) === 0 ? follows : one(KINDS));
  }
  if (below(3) === 0) {
    const when = LEAP_DAY + below(DAY - 10);
    add("subscribe", when);
    add(one(["change", "anchor now", "look"] as const), when + 1);
  }
  return acts.filter((act) => act.at < SPAN.until);
}

/** On the last day of its month, or one of the two before. */
function atMonthsEnd(at: number): number {
  const date = new Date(at * 1000);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000;
  return Math.max(at, first - (1 + (at % 3)) * DAY + (at % DAY));
}

function actOf(kind: Kind, { below, one }: Chance): Act {
  const cycle = () => one(["week", "month", "month", "month", "quarter", "year", "year"] as const);
  switch (kind) {
    case "subscribe": {
      const trialDays = one([0, 0, 0, 3, 27, 60] as const);
      return { kind, plan: one(PLANS), cycle: cycle(), trialDays };
    }
    case "change":
      return {
        kind,
        plan: one(PLANS),
        cycle: below(4) === 0 ? cycle() : null,
        behaviour: one(["always_invoice", "create_prorations", "none"] as const),
      };
    case "card":
      return { kind, card: one(["good", "good", "bad"] as const) };
    case "pause collection":
      return { kind, days: 1 + below(60) };
    default:
      return { kind };
  }
}
