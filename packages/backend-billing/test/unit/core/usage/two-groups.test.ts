// A feature in plans of two groups: what is sold up to the cap counts for the periods of what sells it.
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
    pro: { name: "Pro", prices, features: { calls: { overage: usd("0.01"), cap: 100 } } },
    extra: { name: "Extra", group: "extra", prices, features: { calls: { included: 50 } } },
  },
});

const second = (month: number, day: number) => Date.UTC(2026, month, day) / 1000;

const heldOf = (plan: "pro" | "extra", day: number, status = "active"): HeldWhole => {
  const recurring = { interval: "month", interval_count: 1 };
  const [current_period_start, current_period_end] = [second(0, day), second(1, day)];
  const price = { product: `acme_${plan}`, recurring };
  const whole = {
    id: `sub_${plan}`,
    cancel_at: null,
    cancel_at_period_end: false,
    billing_cycle_anchor: current_period_start,
    items: { data: [{ price, current_period_start, current_period_end }] },
  };
  const held = { id: whole.id, created: current_period_start, status, isLapsed: false };
  return { ...held, products: [], whole } as unknown as HeldWhole;
};

const settled = (wallet: Wallet, held: readonly HeldWhole[], at: number): Wallet => {
  const now = at * 1000;
  return settle(wallet, allowanceOf(catalogue, "calls", held, now), { now, basis: "" });
};

it("the cap of one does not begin anew with the other's period", () => {
  const held = [heldOf("pro", 20), heldOf("extra", 10)];
  const used = take(settled(EMPTY, held, second(0, 21)), 130, true)?.wallet ?? EMPTY;
  expect(used.balance).toMatchObject({ granted: 50, over: 80, most: 100 });
  const renewed = settled(used, held, second(1, 11));
  expect(renewed.balance).toMatchObject({ granted: 50, used: 0, over: 80 });
  expect(settled(renewed, held, second(1, 21)).balance).toMatchObject({ over: 0 });
});

it("the cap of one does not begin anew after it was paused, or its payment late for too long", () => {
  const both = [heldOf("pro", 20), heldOf("extra", 10)];
  const used = take(settled(EMPTY, both, second(0, 21)), 130, true)?.wallet ?? EMPTY;
  const without = settled(used, [heldOf("pro", 20, "unpaid"), heldOf("extra", 10)], second(0, 22));
  expect(without.balance).toMatchObject({ over: 80, most: 0 });
  expect(settled(without, both, second(0, 23)).balance).toMatchObject({ over: 80, most: 100 });
});

it("what one includes is not sold by the other while the payment of the first is late", () => {
  const late = [heldOf("pro", 20), heldOf("extra", 10, "past_due")];
  expect(settled(EMPTY, late, second(0, 21)).balance).toMatchObject({ granted: 50, most: 100 });
  const alone = [heldOf("extra", 10, "past_due")];
  expect(settled(EMPTY, alone, second(0, 21)).balance).toMatchObject({ granted: 0, most: 0 });
});
