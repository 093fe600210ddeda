import { describe, expect, it } from "vitest";
import { DAY, longestGap, MINUTE, type Schedule } from "../../../../../support/spec/schedule.js";

describe("the longest time between two runs", () => {
  it.each<[Schedule, number]>([
    [{ milliseconds: 1234 }, 1234],
    [{ cron: "* * * * *" }, MINUTE],
    [{ cron: "*/5 * * * *" }, 5 * MINUTE],
    [{ cron: "37 3 * * *" }, DAY],
    [{ cron: "0,10,40 * * * *" }, 30 * MINUTE],
    [{ cron: "0 9-17 * * 1-5" }, 64 * 60 * MINUTE], // from Friday at 17:00 to Monday at 9:00
    [{ cron: "0 0 1 * *" }, 31 * DAY],
    [{ cron: "0 0 1 1 *" }, 365 * DAY],
    [{ cron: "0 0 29 2 *" }, Number.POSITIVE_INFINITY],
    [{ cron: "0 0 30 2 *" }, Number.POSITIVE_INFINITY],
  ])("of %o is %d ms", (schedule, wanted) => {
    expect(longestGap(schedule)).toBe(wanted);
  });

  it.each(["", "* * * *", "* * * * * *", "soon * * * *"])("is not guessed from %o", (cron) => {
    expect(() => longestGap({ cron })).toThrow("Not a cron expression");
  });
});
