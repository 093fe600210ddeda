// A change to a plan that says nothing of a feature is a change to a lesser plan: what was given of the
// period stays until its end. Found by the random lives of `npm run chaos:usage -- --periods`.
import { expect, it } from "vitest";
import { defineCatalogue, usd } from "../../../../src/catalogue/index.js";
import { allowanceOf, type HeldWhole } from "../../../../src/core/usage/allowance.js";
import { settle } from "../../../../src/core/usage/settle.js";
import { take } from "../../../../src/core/usage/take.js";
import { EMPTY, type Wallet } from "../../../../src/core/usage/wallet.js";

const prices = { monthly: usd("20").monthly() };
const catalogue = defineCatalogue({
  app: "acme",
  features: { calls: { meter: "calls" } },
  plans: {
    basic: { name: "Basic", prices },
    pro: { name: "Pro", prices, features: { calls: { included: 90 } } },
  },
});

const START = Date.UTC(2026, 0, 10);
const END = Date.UTC(2026, 1, 10);
const DAY = 86_400_000;

const heldOf = (plan: "basic" | "pro"): HeldWhole => {
  const recurring = { interval: "month", interval_count: 1 };
  const [current_period_start, current_period_end] = [START / 1000, END / 1000];
  const price = { product: `acme_${plan}`, recurring };
  const whole = {
    id: "sub_1",
    cancel_at: null,
    cancel_at_period_end: false,
    billing_cycle_anchor: current_period_start,
    items: { data: [{ price, current_period_start, current_period_end }] },
  };
  const held = { id: "sub_1", created: current_period_start, status: "active", isLapsed: false };
  return { ...held, products: [], whole } as unknown as HeldWhole;
};

const settled = (wallet: Wallet, plan: "basic" | "pro", now: number): Wallet =>
  settle(wallet, allowanceOf(catalogue, "calls", [heldOf(plan)], now), { now, basis: "" });

it("what a better plan gave stays until the period ends, under a plan without the feature", () => {
  const given = take(settled(EMPTY, "pro", START), 1, true)?.wallet ?? EMPTY;
  const lesser = settled(given, "basic", START + DAY);
  expect(lesser.balance).toMatchObject({ granted: 90, used: 1, over: 0, most: 0 });
  expect(lesser.balance.window).toBe(given.balance.window); // what was taken beyond would still count
  expect(settled(lesser, "pro", START + 2 * DAY).balance).toMatchObject({ granted: 90, used: 1 });
  expect(settled(lesser, "basic", END).balance).toMatchObject({ granted: 0, used: 0 });
});

it("a plan without the feature gives nothing", () => {
  expect(settled(EMPTY, "basic", START)).toMatchObject({ grants: [], balance: { granted: 0 } });
});
