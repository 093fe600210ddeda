// What was sent to a meter beside what Stripe has counted, by days.
import { expect, it } from "vitest";
import { differingDays, windowAt } from "../../../../src/core/usage/books/compare.js";

const DAY = 86_400_000;
const window = { from: 0, until: 6 * DAY };
const sent = (...units: number[]) =>
  units.map((each, at) => ({ day: at * DAY, units: each, isOpen: false }));
const counted = (...units: number[]) => new Map(units.map((each, at) => [at * DAY, each]));

it("reads 35 days that ended a day ago, and one on either side", () => {
  const { from, until } = windowAt(Date.UTC(2026, 1, 10, 13));
  expect(until).toBe(Date.UTC(2026, 1, 10));
  expect((until - from) / DAY).toBe(37);
});

it.each([
  ["nothing", [], [], []],
  ["the same", [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], []],
  ["less at Stripe", [1, 2, 3], [1, 2, 1], [[2, 3, 1]]],
  ["more at Stripe", [], [0, 0, 0, 4], [[3, 0, 4]]],
  [
    "two days",
    [0, 5, 0, 5],
    [0, 1, 0, 2],
    [
      [1, 5, 1],
      [3, 5, 2],
    ],
  ],
  ["what moved to the next day", [0, 5, 5], [0, 2, 8], []],
  ["what moved to the day before", [0, 5, 5], [0, 8, 2], []],
  [
    "what moved by two days",
    [0, 5, 0, 0],
    [0, 0, 0, 5],
    [
      [1, 5, 0],
      [3, 0, 5],
    ],
  ],
  ["the first day, which is read for the next alone", [5], [0], []],
  ["the last day", [0, 0, 0, 0, 0, 5], [], []],
] as const)("%s", (_, ours, theirs, found) => {
  const days = differingDays(window, sent(...ours), counted(...theirs));
  expect(days.map(({ day, ours, stripe }) => [day / DAY, ours, stripe])).toEqual(found);
});

it("leaves out days of which some is under way, and those beside them", () => {
  const open = sent(0, 0, 5, 5, 5, 0).map((each, at) => ({ ...each, isOpen: at === 2 }));
  const days = differingDays(window, open, counted(0, 1, 2, 3, 4, 0));
  expect(days.map(({ day }) => day / DAY)).toEqual([4]);
});
