/** The rules of the ledger by numbers worked out by hand: nobody else checks it. */
import { describe, expect, it } from "vitest";
import { accountOf } from "../../../../support/lives/ledger.js";
import {
  afterDiscounts,
  monthsAfter,
  nearest,
  periodAfter,
  settle,
} from "../../../../support/lives/rules.js";
import { type Act, DAY, type Timed } from "../../../../support/lives/script.js";

const at = (moment: string) => Date.parse(moment) / 1000;

describe("the rules", () => {
  it.each([
    [1, 2, 1],
    [-1, 2, -1],
    [149, 100, 1],
    [151, 100, 2],
    [-149, 100, -1],
  ])("%i of %i is rounded to %i", (numerator, denominator, rounded) => {
    expect(nearest(numerator, denominator)).toBe(rounded);
  });

  it("the day of the anchor comes back after a short month", () => {
    const anchor = at("2027-12-31T10:00:00Z");
    const january = periodAfter(anchor, "month", anchor);
    const february = periodAfter(anchor, "month", january);
    const march = periodAfter(anchor, "month", february);
    const days = [january, february, march].map((end) => new Date(end * 1000).toISOString());
    expect(days.map((day) => day.slice(0, 10))).toEqual(["2028-01-31", "2028-02-29", "2028-03-31"]);
    expect(monthsAfter(anchor, 14)).toBe(at("2029-02-28T10:00:00Z"));
  });

  it("coupons apply in order, to what they are for, and never take more than there is", () => {
    const lines = [
      { amount: 1000, product: "pro" },
      { amount: 333, product: "seats" },
    ];
    const half = { percent: 5_000, duration: "forever" } as const;
    expect(afterDiscounts(lines, [half])).toEqual([500, 166]);
    expect(afterDiscounts(lines, [{ ...half, only: "seats" }])).toEqual([1000, 166]);
    expect(afterDiscounts(lines, [half, { amount: 100, duration: "once" }])).toEqual([425, 141]);
    expect(afterDiscounts(lines, [{ amount: 9999, duration: "once" }])).toEqual([0, 0]);
  });

  it.each([
    [100, 0, { due: 100, balance: 0 }],
    [49, 0, { due: 0, balance: 49 }],
    [49, 49, { due: 98, balance: 0 }],
    [-500, 0, { due: 0, balance: -500 }],
    [600, -500, { due: 100, balance: 0 }],
    [540, -500, { due: 0, balance: 40 }],
  ])("%i with a balance of %i leaves %j", (total, balance, left) => {
    expect(settle(total, balance)).toEqual(left);
  });
});

describe("the ledger", () => {
  /** April has 30 days, so that half of the period is 15 of them. */
  const start = at("2027-04-01T00:00:00Z");
  const join: Act = {
    kind: "join",
    plan: "basic",
    cycle: "month",
    seats: 0,
    trialDays: 0,
    coupons: [],
    itemized: false,
    metered: false,
  };
  const account = (until: number, ...acts: (Act & { day: number })[]) => {
    const begin: Act & { day: number } = { kind: "sign up", card: "good", day: 0 };
    const timed = [begin, ...acts].map(
      ({ day, ...act }): Timed => ({ ...act, at: start + day * DAY, customer: 0 }),
    );
    return accountOf(timed, start + until * DAY);
  };
  const upgrade = { kind: "plan", plan: "pro", behaviour: "always_invoice", day: 15 } as const;

  it("credits the half that is not used and charges the other half", () => {
    const { bills } = account(16, { ...join, day: 0 }, upgrade);
    // 990 / 2 and 2999 / 2, half a cent up.
    expect(bills.map(({ total }) => total)).toEqual([990, 1500 - 495]);
  });

  it("credits with the coupon that the debit had, and charges without it", () => {
    const { bills } = account(16, { ...join, coupons: ["half-once"], day: 0 }, upgrade);
    expect(bills.map(({ total }) => total)).toEqual([495, 1500 - 248]);
  });

  it("keeps a coupon for one invoice until after the trial", () => {
    const trial = { ...join, trialDays: 7, coupons: ["half-once"], day: 0 };
    const { bills } = account(40, trial);
    expect(bills.map(({ total, reason }) => [total, reason])).toEqual([
      [0, "subscription_create"],
      [495, "subscription_cycle"],
      [990, "subscription_cycle"],
    ]);
  });

  it("ends a subscription after the last retry, and leaves its invoice open", () => {
    const { bills, outcomes } = account(99, { ...join, day: 0 }, { kind: "card breaks", day: 1 });
    expect(bills.map(({ status, due }) => [status, due])).toEqual([
      ["paid", 990],
      ["open", 990],
    ]);
    expect(outcomes).toEqual({
      renewed: 1,
      "failed to collect": 4,
      "ended for want of payment": 1,
    });
  });
});
