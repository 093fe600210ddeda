// Where a long listing is split: whole accounts are listed in simulation, evenly spread or not.
import { describe, expect, it } from "vitest";
import { roomIn, splitPoints } from "../../../../src/core/sync/tasks/split.js";

const DAY = 86_400;
const NOW = Date.UTC(2026, 0, 15) / 1000;
const open = { from: null, to: null };

describe("a listing is split", () => {
  it.each([
    ["when much is left", { range: open, newest: NOW, oldest: NOW - DAY }, true],
    [
      "not when little is left",
      { range: { from: NOW - 4 * DAY, to: null }, newest: NOW, oldest: NOW - DAY },
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
    expect(splitPoints(listing, 4).length > 0).toBe(expected);
  });

  it("inside what is left, latest first, into no more parts than there is room for", () => {
    const listing = { range: { from: 100, to: 10_000 }, newest: 5_010, oldest: 5_000 };
    for (const room of [1, 2, 5, 11]) {
      const points = splitPoints(listing, room);
      expect(points).toHaveLength(room);
      expect([...points].sort((a, b) => b - a)).toEqual(points);
      expect(points.every((point) => point > 100 && point <= 5_000)).toBe(true);
    }
    expect(splitPoints(listing, 0)).toEqual([]);
  });
  it("from the account's first day on, where that is known", () => {
    const listing = { range: open, newest: NOW, oldest: NOW - DAY };
    const accountCreated = NOW - 101 * DAY;
    expect(splitPoints({ ...listing, accountCreated }, 1)).toEqual([NOW - 51 * DAY]);
  });
  it("finer towards the present where the account seems to have grown of late", () => {
    const range = { from: NOW - 10_000 * DAY, to: null };
    const lengths = (oldest: number) =>
      splitPoints({ range, newest: NOW, oldest }, 3).map((point) =>
        Math.round((oldest - point) / DAY),
      );
    expect(lengths(NOW - 100 * DAY)).toEqual([2475, 4950, 7425]);
    expect(lengths(NOW - DAY)).toEqual([1250, 2500, 5000]);
  });
  it("into parts that are worth a worker each", () => {
    const listing = { range: { from: 0, to: null }, newest: 1_000, oldest: 900 };
    expect(splitPoints(listing, 11)).toEqual([450]); // nine pages
    expect(splitPoints({ ...listing, oldest: 980 }, 11)).toHaveLength(5); // forty-nine
  });
});

describe("there is room", () => {
  const run = (open: number, made = open) => ({
    open: { "list customers 0": open, "list prices 0": 9 },
    made: { "list customers 0": made },
  });
  it.each([
    ["for as many listings as several processes can use", run(2), 4, 14],
    ["for none when there are enough", run(16), 4, 0],
    ["for all workers of a process, however many", run(2), 40, 58],
    ["for no more than a run can keep", run(2, 510), 8, 2],
  ])("%s", (_, of, workers, expected) => {
    expect(roomIn(of, "list customers 0", workers)).toBe(expected);
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
      const group = "list customers 0";
      const open = queue.length + turn.length;
      const room = roomIn({ open: { [group]: open }, made: {} }, group, workers);
      const points = splitPoints({ range: part, newest, oldest }, room);
      points.forEach((to, index) => {
        queue.push({ from: points[index + 1] ?? part.from, to, seen: 0 });
      });
      part.from = points[0] ?? part.from;
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
    expect(rounds).toBeLessThan(62); // 400 pages by one worker, 50 by eight that never wait
  });
});
