// Periods by the calendar: ends of months, leap days, years, weeks, before and after the anchor.
import { describe, expect, it } from "vitest";
import {
  billedPeriod,
  calendarMonth,
  monthsAfter,
  sharePeriod,
} from "../../../../src/core/usage/periods.js";

const at = (text: string): number => Date.parse(`${text}Z`);
const shown = ({ from, until }: { from: number; until: number }): string =>
  `${new Date(from).toISOString().slice(0, 16)} ${new Date(until).toISOString().slice(0, 16)}`;

describe("monthsAfter", () => {
  it.each([
    ["2026-01-31T10:00", 1, "2026-02-28T10:00"],
    ["2026-01-31T10:00", 2, "2026-03-31T10:00"],
    ["2028-01-31T10:00", 1, "2028-02-29T10:00"],
    ["2028-02-29T23:59", 12, "2029-02-28T23:59"],
    ["2028-02-29T23:59", 48, "2032-02-29T23:59"],
    ["2026-03-30T00:00", -1, "2026-02-28T00:00"],
    ["2026-12-31T00:00", 2, "2027-02-28T00:00"],
  ])("%s and %d months is %s", (anchor, months, expected) => {
    expect(monthsAfter(at(anchor), months)).toBe(at(expected));
  });
});

const month = { interval: "month", interval_count: 1 };
const year = { interval: "year", interval_count: 1 };
const week = { interval: "week", interval_count: 2 };
const quarter = { interval: "month", interval_count: 3 };
const billed = (anchor: string, from: string, until: string, recurring = month) => ({
  anchor: at(anchor),
  period: { from: at(from), until: at(until) },
  recurring,
});

describe("the billed period", () => {
  const january = billed("2026-01-31T10:00", "2026-01-31T10:00", "2026-02-28T10:00");
  it.each([
    ["2026-02-28T09:59", "2026-01-31T10:00 2026-02-28T10:00"],
    ["2026-02-28T10:00", "2026-02-28T10:00 2026-03-31T10:00"],
    ["2026-04-30T09:59", "2026-03-31T10:00 2026-04-30T10:00"],
    ["2026-05-15T00:00", "2026-04-30T10:00 2026-05-31T10:00"],
  ])("at %s is %s", (now, expected) => {
    expect(shown(billedPeriod(january, at(now)))).toBe(expected);
  });

  it("goes on from a trial's end by the anchor that follows it", () => {
    const trial = billed("2026-01-15T00:00", "2026-01-01T00:00", "2026-01-15T00:00");
    expect(shown(billedPeriod(trial, at("2026-01-15T00:00")))).toBe(
      "2026-01-15T00:00 2026-02-15T00:00",
    );
  });

  it("is of two weeks", () => {
    const weeks = billed("2026-01-01T00:00", "2026-01-01T00:00", "2026-01-15T00:00", week);
    expect(shown(billedPeriod(weeks, at("2026-02-01T00:00")))).toBe(
      "2026-01-29T00:00 2026-02-12T00:00",
    );
  });
});

describe("the period of a share", () => {
  const leap = billed("2028-02-29T06:00", "2028-02-29T06:00", "2029-02-28T06:00", year);
  it.each([
    ["2028-02-29T06:00", "2028-02-29T06:00 2028-03-29T06:00"],
    ["2028-05-01T00:00", "2028-04-29T06:00 2028-05-29T06:00"],
    ["2029-02-27T00:00", "2029-01-29T06:00 2029-02-28T06:00"],
    ["2029-02-28T06:00", "2029-02-28T06:00 2029-03-29T06:00"],
  ])("of a year at %s is %s", (now, expected) => {
    expect(shown(sharePeriod(leap, at(now)))).toBe(expected);
  });

  it("of a quarter is a month", () => {
    const three = billed("2026-01-31T00:00", "2026-01-31T00:00", "2026-04-30T00:00", quarter);
    expect(shown(sharePeriod(three, at("2026-03-01T00:00")))).toBe(
      "2026-02-28T00:00 2026-03-31T00:00",
    );
  });

  it.each([
    ["week", week],
    ["month", month],
    ["year", year],
  ])("of a trial of sixty days is a month up to its end, with a plan by the %s", (_, cycle) => {
    const trial = billed("2026-03-11T00:00", "2026-01-10T00:00", "2026-03-11T00:00", cycle);
    const shares = ["2026-01-10T00:00", "2026-01-11T00:00", "2026-03-10T23:00"].map((now) =>
      shown(sharePeriod(trial, at(now))),
    );
    expect(shares).toEqual([
      "2026-01-10T00:00 2026-01-11T00:00",
      "2026-01-11T00:00 2026-02-11T00:00",
      "2026-02-11T00:00 2026-03-11T00:00",
    ]);
    const short = billed("2026-03-11T00:00", "2026-02-11T00:00", "2026-03-11T00:00", cycle);
    expect(shown(sharePeriod(short, at("2026-02-11T00:00")))).toBe(
      "2026-02-11T00:00 2026-03-11T00:00",
    );
  });

  it("of a year that began on another day than its anchor ends with it", () => {
    const moved = billed("2026-01-31T00:00", "2026-03-10T00:00", "2027-01-31T00:00", year);
    expect(shown(sharePeriod(moved, at("2026-03-12T00:00")))).toBe(
      "2026-03-10T00:00 2026-03-31T00:00",
    );
  });
});

it("a calendar month is in UTC", () => {
  expect(shown(calendarMonth(at("2028-02-29T23:59")))).toBe("2028-02-01T00:00 2028-03-01T00:00");
  expect(shown(calendarMonth(at("2026-12-31T23:59")))).toBe("2026-12-01T00:00 2027-01-01T00:00");
});
