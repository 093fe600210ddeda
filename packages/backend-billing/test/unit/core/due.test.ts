// Times that another machine wrote, read by a clock that may differ.
import { describe, expect, it } from "vitest";
import { HORIZON, isAhead, isDue } from "../../../src/core/mirror/due.js";

const NOW = 1_800_000_000_000;

describe("what is due", () => {
  it.each([
    ["never", null, false],
    ["long ago", NOW - 86_400_000, true],
    ["now", NOW, true],
    ["in a millisecond", NOW + 1, false],
    ["in half an hour, the longest pause", NOW + HORIZON / 2, false],
    ["in an hour, as far as a clock may be wrong", NOW + HORIZON, false],
    ["later than anything is put off: by a wrong clock", NOW + HORIZON + 1, true],
    ["tomorrow, by a clock that is a day ahead", NOW + 86_400_000, true],
  ])("%s", (_, due, expected) => {
    expect(isDue("ask", due, NOW)).toBe(expected);
    expect(isDue("claim", due, NOW)).toBe(expected);
    expect(isDue("partition", due, NOW)).toBe(expected);
    expect(isDue("refresh", due, NOW)).toBe(expected);
  });

  it.each([
    ["tomorrow", NOW + 86_400_000, false],
    ["now", NOW, true],
    ["never", null, false],
  ])("of a setting, which may end far ahead: %s", (_, due, expected) => {
    expect(isDue("setting", due, NOW)).toBe(expected);
  });
});

describe("a lease", () => {
  it.each([
    ["that ended", NOW, false],
    ["of this minute", NOW + 60_000, true],
    ["of tomorrow, by a clock that is a day ahead", NOW + 86_400_000, false],
  ])("%s", (_, until, expected) => {
    expect(isAhead(until, NOW)).toBe(expected);
  });
});
