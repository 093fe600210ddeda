// Where a long listing is split: whole accounts are listed in simulation, evenly spread or not.
import { describe, expect, it } from "vitest";
import { MOST_OPEN, splitPoint } from "../../../src/core/sync/split.js";

const DAY = 86_400;
const NOW = Date.UTC(2026, 0, 15) / 1000;
const open = { from: null, to: null };

describe("a listing is split", () => {
  it.each([
    ["when much is left", { range: open, newest: NOW, oldest: NOW - DAY }, true],
    [
      "not when little is left",
      { range: { from: NOW - 3 * DAY, to: null }, newest: NOW, oldest: NOW - DAY },
      false,
    ],
    ["although a page fell into one second", { range: open, newest: NOW, oldest: NOW }, true],
    [
      "not within one second",
      { range: { from: NOW, to: NOW + 1 }, newest: NOW, oldest: NOW },
      false,
    ],
    ["although the account is older than Stripe", { range: open, newest: 5, oldest: 0 }, false],
  ])("%s", (_, listing, expected) => {
    expect(splitPoint(listing) !== undefined).toBe(expected);
  });

  it("inside what is left", () => {
    const listing = { range: { from: 100, to: 10_000 }, newest: 5_010, oldest: 5_000 };
    const point = splitPoint(listing) ?? 0;
    expect(point).toBeGreaterThan(100);
    expect(point).toBeLessThanOrEqual(5_000);
  });
});

/** Lists an account of these times with so many workers, a page each in turn. */
function list(times: readonly number[], workers: number) {
  const newestFirst = [...times].sort((a, b) => b - a);
  type Part = { from: number | null; to: number | null; seen: number };
  const parts: Part[] = [{ from: null, to: null, seen: 0 }];
  const shown: number[] = [];
  let [rounds, requests, most] = [0, 0, 1];
  for (let queue = [...parts]; queue.length > 0; rounds++) {
    const turn = queue.splice(0, workers);
    for (const part of turn) {
      const all = newestFirst.filter(
        (time) => (part.from === null || time >= part.from) && (part.to === null || time < part.to),
      );
      const page = all.slice(part.seen, part.seen + 100);
      requests++;
      part.seen += page.length;
      shown.push(...page);
      if (part.seen >= all.length) continue;
      const [newest = 0, oldest = 0] = [page[0], page.at(-1)];
      const point =
        queue.length + turn.length < MOST_OPEN
          ? splitPoint({ range: part, newest, oldest })
          : undefined;
      if (point !== undefined) {
        queue.push({ from: part.from, to: point, seen: 0 });
        part.from = point;
      }
      queue.push(part);
    }
    most = Math.max(most, queue.length);
  }
  return { shown, rounds, requests, most };
}

describe("an account of 40,000 objects is listed whole, shared by eight workers", () => {
  const count = 40_000;
  const spread = (at: (part: number) => number) =>
    Array.from({ length: count }, (_, index) => Math.round(at(index / count)));
  it.each([
    ["evenly over a year", spread((part) => NOW - 365 * DAY * part)],
    ["evenly over ten years", spread((part) => NOW - 3650 * DAY * part)],
    ["growing fast", spread((part) => NOW - 3650 * DAY * part ** 4)],
    [
      "half of it in one imported hour",
      spread((part) => (part < 0.5 ? NOW - DAY - 3600 * part : NOW - 900 * DAY * part)),
    ],
  ])("%s", (_, times) => {
    const { shown, rounds, requests } = list(times, 8);
    expect(shown.sort()).toEqual([...times].sort());
    expect(requests).toBeLessThan(400 * 1.15);
    expect(rounds).toBeLessThan(75); // 400 pages by one worker, 50 by eight that never wait
  });
});
