// @module-tag slow
// Random usage by many mutations at once, of which some meet conflicts: nothing is below zero, each key
// is counted once, and what is stored adds up to the unit.
import { expect, it } from "vitest";
import { randomUsage } from "../../../../../support/convex/random-usage.js";

const CALLS = Number(process.env.USAGE_CALLS ?? 2_000);

it(`${CALLS} calls add up`, { timeout: 1_800_000 }, async () => {
  const { wrong, tally } = await randomUsage({ calls: CALLS, seed: process.env.USAGE_SEED ?? 1 });
  console.info(JSON.stringify(tally));
  expect(wrong.slice(0, 10)).toEqual([]);
  expect(tally.refused).toBeGreaterThan(CALLS / 100);
  expect(tally.again).toBeGreaterThan(CALLS / 100);
  expect(tally.conflicts).toBeGreaterThan(CALLS / 10);
});
