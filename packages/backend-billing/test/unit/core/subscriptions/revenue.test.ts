// What comes in each month, by our own definition.
import { describe, expect, it } from "vitest";
import { isChurned, monthlyOf, revenueSums } from "../../../../src/core/subscriptions/revenue.js";

const NOW = 1_780_000_000_000;
const DAY = 86_400;

interface Item {
  readonly amount?: string | null;
  readonly quantity?: number | undefined;
  readonly interval?: string;
  readonly count?: number;
  readonly usage?: string;
}

const item = ({
  amount = "1000",
  quantity = 1,
  interval = "month",
  count = 1,
  usage = "licensed",
}: Item = {}) => ({
  quantity,
  price: {
    unit_amount_decimal: amount,
    recurring: { interval, interval_count: count, usage_type: usage },
  },
});

const subscription = (status: string, more: object = {}, ...items: readonly Item[]) =>
  ({
    currency: "usd",
    status,
    ended_at: null,
    trial_end: null,
    items: { data: (items.length === 0 ? [{}] : items).map(item) },
    ...more,
  }) as never;

describe("what a subscription comes to in a month", () => {
  it.each<[string, Item, number]>([
    ["a month", {}, 1_000],
    ["three seats", { quantity: 3 }, 3_000],
    ["a year", { amount: "12000", interval: "year" }, 1_000],
    ["two years", { amount: "24000", interval: "year", count: 2 }, 1_000],
    ["a quarter", { amount: "3000", count: 3 }, 1_000],
    ["a week", { amount: "1200", interval: "week" }, 5_200],
    ["a day", { amount: "12", interval: "day" }, 365],
    ["parts of a cent", { amount: "0.5", quantity: 1_000 }, 500],
    ["what is metered", { usage: "metered" }, 0],
    ["tiers", { amount: null }, 0],
  ])("%s", (_, one, expected) => {
    expect(monthlyOf(subscription("active", {}, one))).toBe(expected);
  });
});

it("counts an end of the last thirty days, unless it was only a trial", () => {
  const at = NOW / 1000;
  const ended = (ended_at: number | null, trial_end: number | null = null) =>
    isChurned(subscription("canceled", { ended_at, trial_end }), NOW);
  expect(ended(at - DAY)).toBe(true);
  expect(ended(at - 30 * DAY)).toBe(true);
  expect(ended(at - 31 * DAY)).toBe(false);
  expect(ended(at - DAY, at - DAY)).toBe(false);
  expect(ended(at - DAY, at - 2 * DAY)).toBe(true);
  expect(ended(null)).toBe(false);
  expect(isChurned(subscription("active", { ended_at: at - DAY }), NOW)).toBe(false);
});

it("adds up by currency, and says nothing of a currency in which nothing comes in", () => {
  const { add, sums } = revenueSums(NOW);
  add(subscription("active"));
  add(subscription("past_due", {}, {}, { quantity: 2 }));
  add(subscription("trialing"));
  add(subscription("unpaid", { currency: "chf" }));
  add(subscription("active", { currency: "eur" }, { amount: "100", interval: "year" }));
  const none = { plan: null, trialing: 0, churned: 0 };
  expect(sums()).toEqual([
    { ...none, currency: "eur", subscriptions: 1, monthly: 8 },
    { ...none, currency: "usd", subscriptions: 2, monthly: 4_000, trialing: 1 },
  ]);
});
