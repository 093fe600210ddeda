import { expect, it } from "vitest";
import { take } from "../../../src/core/links/rate.js";

const RATE = { burst: 3, interval: 10 };
const NOW = 1_000;

it.each([
  ["the first is allowed", undefined, 1_010],
  ["the second", 1_010, 1_020],
  ["the third", 1_020, 1_030],
  ["a fourth is not", 1_030, undefined],
  ["one is left after its interval", 1_029 - 9, 1_030],
  ["a time that is over counts as none", 990, 1_010],
  ["a time that cannot be, of a clock ahead, counts as none", 90_000, 1_010],
])("%s", (_, until, wanted) => {
  expect(take(until, NOW, RATE)).toBe(wanted);
});

it("allows as many as fit, over any time", () => {
  let until: number | undefined;
  let allowed = 0;
  for (let now = 0; now < 1_000; now++) {
    const next = take(until, now, RATE);
    if (next === undefined) continue;
    until = next;
    allowed++;
  }
  expect(allowed).toBe(3 + 99);
});
