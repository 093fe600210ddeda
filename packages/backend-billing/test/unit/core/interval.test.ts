import { describe, expect, it } from "vitest";
import {
  answerInterval,
  eventInterval,
  pageInterval,
  UNBOUNDED,
} from "../../../src/core/mirror/interval.js";

const DATE = "Thu, 01 Jan 2026 00:01:40 GMT";
const SECONDS = Date.parse(DATE) / 1000;

describe("intervals", () => {
  it("an event holds for its second and one on either side", () => {
    expect(eventInterval(100)).toEqual({ lo: 99, hi: 101 });
  });
  it("an answer holds from before its request to after its date", () => {
    expect(answerInterval(DATE, 2300)).toEqual({ lo: SECONDS - 4, hi: SECONDS + 1 });
  });
  it("a clock that was set back meanwhile makes no answer younger", () => {
    expect(answerInterval(DATE, -60_000)).toEqual({ lo: SECONDS - 1, hi: SECONDS + 1 });
  });
  it("a page may lag", () => {
    expect(pageInterval(DATE, 2300)).toEqual({ lo: SECONDS - 14, hi: SECONDS + 1 });
  });
  it.each([undefined, "", "yesterday"])("without a date nothing is known: %s", (date) => {
    expect(answerInterval(date, 5)).toBe(UNBOUNDED);
    expect(pageInterval(date, 5)).toBe(UNBOUNDED);
  });
  it("tolerances can be widened", () => {
    expect(eventInterval(100, { skew: 5, listLag: 60 })).toEqual({ lo: 95, hi: 105 });
    expect(pageInterval(DATE, 0, { skew: 5, listLag: 60 }).lo).toBe(SECONDS - 65);
  });
});
