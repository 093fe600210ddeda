/** The ledger of usage, without a server: what it holds stays small, and its sums stay right. */
import { expect, it } from "vitest";
import { entriesHeld, record, usageIn } from "../src/billing/usage/ledger.js";
import { bareWorld } from "./money-kit.js";

const DAY = 86_400;
const account = { meter: "mtr_1", customer: "cus_1" };

it("holds single events for a day, then minutes, then hours", async () => {
  const { world, clock } = bareWorld();
  const start = world.now();
  const perDay = 720;
  for (let day = 0; day < 120; day += 1) {
    for (let event = 0; event < perDay; event += 1) {
      const timestamp = world.now() - event * 20;
      const identifier = `${day} ${event}`;
      record(world, account, { identifier, timestamp, received: world.now(), value: 2 });
    }
    await clock.advance({ days: 1 });
  }
  // 4 hours of usage a day: 240 minutes of it for 35 days, 4 or 5 hours of it before that.
  expect(entriesHeld(world)).toBeLessThan(2 * (35 * 241 + 85 * 5) + perDay);
  const all = { start: start - DAY, end: start + 120 * DAY };
  expect(usageIn(world, account, "sum", all)).toBe(120 * perDay * 2);
  expect(usageIn(world, account, "count", { ...all, end: start - DAY / 2 + 10 * DAY })).toBe(
    10 * perDay,
  );
});

it.each([
  ["sum", 60],
  ["count", 3],
  ["last", 10],
  ["max", 30],
] as const)("the %s of what was used is %i", (formula, value) => {
  const { world } = bareWorld();
  const now = world.now();
  for (const [index, used] of [20, 30, 10].entries()) {
    const timestamp = now - (index === 1 ? 5 : 0);
    record(world, account, { identifier: `${index}`, timestamp, received: now, value: used });
  }
  expect(usageIn(world, account, formula, { start: now - 10, end: now + 1 })).toBe(value);
  expect(usageIn(world, account, formula, { start: now + 1, end: now + 2 })).toBe(0);
});
