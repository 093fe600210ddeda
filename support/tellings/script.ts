/**
 * What the entities of random lives do and when, each by the seed and its number alone. It knows
 * nothing of what the acts lead to: what Stripe refuses is left out when it is played.
 */
import { stream } from "../../packages/stripe-double/src/world/random.js";

export const DAY = 86_400;

/**
 * The second by which every act is done. It is so long ago that what follows is over too by the clock
 * of any database: changes are due by that.
 */
export const END = Date.parse("2025-06-15T10:00:00Z") / 1000;

/** What is sold by the month or the week, and the group of products that it is of. */
export const SOLD = {
  "basic month": { product: "basic", group: "main", interval: "month", amount: 1_000 },
  "basic week": { product: "basic", group: "main", interval: "week", amount: 300 },
  "pro month": { product: "pro", group: "main", interval: "month", amount: 3_000 },
  "pro week": { product: "pro", group: "main", interval: "week", amount: 900 },
  "help month": { product: "help", group: "support", interval: "month", amount: 500 },
  "help week": { product: "help", group: "support", interval: "week", amount: 150 },
} as const;

export type SoldName = keyof typeof SOLD;
export type Group = (typeof SOLD)[SoldName]["group"];

/** A card that pays, one that is declined whenever it is charged, or none at all. */
export type Card = "good" | "bad" | "none";

/** What is entered on a page: a card, or a bank account that is debited later, or is not. */
export type PageCard = "good" | "bad" | "debited" | "not debited";

/** Which of several the act is about, counted from the newest; the last of them if there are fewer. */
interface About {
  readonly which: number;
}

export type Act =
  | {
      readonly kind: "subscribe";
      readonly sold: SoldName;
      readonly quantity: number;
      readonly trialDays: number;
      readonly withoutCard: "cancel" | "create_invoice" | "pause";
      readonly ends: boolean;
    }
  | {
      readonly kind: "check out";
      readonly sold: SoldName;
      readonly trialDays: number;
      /** The cards that are tried one after the other. */
      readonly cards: readonly ("good" | "bad")[];
    }
  | ({
      readonly kind: "sell";
      readonly sold: SoldName | null;
      readonly quantity: number | null;
      readonly invoices: boolean;
    } & About)
  | ({ readonly kind: "sell more"; readonly sold: SoldName } & About)
  | ({ readonly kind: "sell less" } & About)
  | ({ readonly kind: "schedule"; readonly sold: SoldName } & About)
  | ({ readonly kind: "cancel at period end" } & About)
  | ({ readonly kind: "cancel at"; readonly days: number } & About)
  | ({ readonly kind: "keep" } & About)
  | ({ readonly kind: "cancel now" } & About)
  | ({ readonly kind: "pause collection"; readonly days: number | null } & About)
  | ({ readonly kind: "resume collection" } & About)
  | ({ readonly kind: "pause" } & About)
  | ({ readonly kind: "resume" } & About)
  | ({ readonly kind: "move trial"; readonly days: number } & About)
  | ({ readonly kind: "describe"; readonly text: string } & About)
  | { readonly kind: "change card"; readonly card: "good" | "bad" }
  | {
      readonly kind: "pay invoices";
      readonly by: "the card on file" | "another card" | "other means";
    }
  | ({ readonly kind: "refund"; readonly percent: number } & About)
  | ({ readonly kind: "dispute"; readonly inquiry: boolean } & About)
  | { readonly kind: "decide dispute"; readonly outcome: "won" | "lost" }
  | { readonly kind: "buy"; readonly cards: readonly PageCard[]; readonly free: boolean }
  | { readonly kind: "delete customer" };

export type Kind = Act["kind"];

/** An act of the entity with this number, at a second. */
export type Timed = Act & { readonly at: number; readonly entity: number };

export interface Life {
  readonly entity: number;
  /** The second in which it signs up. */
  readonly start: number;
  /** The card that it has when it signs up. */
  readonly card: Card;
  readonly acts: readonly Timed[];
}

/** How likely each act is next. */
const WEIGHTS: { readonly [kind in Kind]: number } = {
  subscribe: 9,
  "check out": 6,
  sell: 12,
  "sell more": 3,
  "sell less": 2,
  schedule: 2,
  "cancel at period end": 7,
  "cancel at": 3,
  keep: 6,
  "cancel now": 3,
  "pause collection": 5,
  "resume collection": 5,
  pause: 4,
  resume: 6,
  "move trial": 4,
  describe: 3,
  "change card": 10,
  "pay invoices": 9,
  refund: 5,
  dispute: 3,
  "decide dispute": 2,
  buy: 6,
  "delete customer": 1,
};

const KINDS = (Object.keys(WEIGHTS) as Kind[]).flatMap((kind) =>
  Array.from({ length: WEIGHTS[kind] }, () => kind),
) as [Kind, ...Kind[]];

/** What often follows an act, because it takes it back or goes on with it. */
const UNDONE_BY: { readonly [kind in Kind]?: readonly [Kind, ...Kind[]] } = {
  "cancel at period end": ["keep"],
  "cancel at": ["keep", "cancel at"],
  "pause collection": ["resume collection"],
  pause: ["resume"],
  "sell more": ["sell less", "sell"],
  "change card": ["pay invoices"],
  dispute: ["decide dispute"],
};

const NAMES = Object.keys(SOLD) as [SoldName, ...SoldName[]];

interface Chance {
  below(count: number): number;
  one<T>(all: readonly [T, ...T[]]): T;
}

function chanceOf(seed: string | number, entity: number): Chance {
  const next = stream(seed, "told life", entity);
  const below = (count: number) => Math.floor(next() * count);
  return { below, one: (all) => all[below(all.length)] ?? all[0] };
}

/**
 * The life of one entity. Its last act is at most ten days before the end, however long it is, so that
 * lives that are lived together end together: none goes on only because another one does. `apart` are
 * seconds.
 */
export function lifeOf(seed: string | number, entity: number, apart = 0): Life {
  const chance = chanceOf(seed, entity);
  const { below, one } = chance;
  const card = one(["good", "good", "good", "bad", "none"] as const);
  let at = below(10 * DAY);
  const acts: Timed[] = [];
  const add = (kind: Kind) => acts.push({ ...actOf(kind, chance), at, entity });
  add(one(["subscribe", "check out"] as const));
  for (let count = 4 + below(16); count > 0; count--) {
    // In the same second, within minutes, or after days in which time does something by itself.
    const pause = one([0, 1 + below(3), below(3_600), below(4 * DAY), below(20 * DAY)] as const);
    at += Math.max(apart, pause);
    const { kind } = acts.at(-1) ?? { kind: "subscribe" };
    const undoing = UNDONE_BY[kind];
    add(undoing !== undefined && below(2) === 0 ? one(undoing) : one(KINDS));
  }
  const start = END - below(10 * DAY) - at;
  return { entity, start, card, acts: acts.map((act) => ({ ...act, at: start + act.at })) };
}

function actOf(kind: Kind, { below, one }: Chance): Act {
  const which = below(2);
  const cards = (): ("good" | "bad")[] =>
    one([["good"], ["good"], ["bad", "good"], ["bad"], ["bad", "bad", "good"]] as const).slice();
  switch (kind) {
    case "subscribe":
      return {
        kind,
        sold: one(NAMES),
        quantity: 1 + below(3),
        trialDays: one([0, 0, 0, 2, 7, 14] as const),
        withoutCard: one(["cancel", "create_invoice", "pause"] as const),
        ends: below(10) === 0,
      };
    case "check out":
      return { kind, sold: one(NAMES), trialDays: one([0, 0, 7] as const), cards: cards() };
    case "sell": {
      const [sold, quantity] = one<readonly [SoldName | null, number | null]>([
        [one(NAMES), null],
        [null, 1 + below(4)],
        [one(NAMES), 1 + below(4)],
      ]);
      return { kind, which, sold, quantity, invoices: below(2) === 0 };
    }
    case "sell more":
    case "schedule":
      return { kind, which, sold: one(NAMES) };
    case "cancel at":
      return { kind, which, days: 1 + below(40) };
    case "pause collection":
      return { kind, which, days: one<number | null>([null, 1 + below(30)]) };
    case "move trial":
      return { kind, which, days: one([0, 1, 2, 5, 20] as const) };
    case "describe":
      return { kind, which, text: `Number ${below(100)}` };
    case "change card":
      return { kind, card: one(["good", "bad"] as const) };
    case "pay invoices":
      return { kind, by: one(["the card on file", "another card", "other means"] as const) };
    case "refund":
      return { kind, which, percent: one([100, 30] as const) };
    case "dispute":
      return { kind, which, inquiry: below(3) === 0 };
    case "decide dispute":
      return { kind, outcome: one(["won", "lost"] as const) };
    case "buy":
      return {
        kind,
        cards: one([cards(), cards(), ["debited"], ["not debited"], ["bad", "not debited"]]),
        free: below(6) === 0,
      };
    case "delete customer":
      return { kind };
    default:
      return { kind, which };
  }
}
