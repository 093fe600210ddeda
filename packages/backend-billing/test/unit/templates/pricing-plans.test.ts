// The pure part of the generated pricing page: what a person may do with each plan next.
import { describe, expect, it } from "vitest";
import { money as amountOf } from "../../../src/core/plans/money.js";
import {
  boughtPlan,
  cardsFor,
  currentInterval,
  intervals,
  intervalText,
  money,
  type PricingState,
  type Step,
  standing,
  termsText,
} from "../../../templates/pricing-page/page/pricing-plans.js";

const NOTHING: PricingState = {
  status: "none",
  productId: null,
  lookupKey: null,
  trialEndsAt: null,
  renewsAt: null,
  endsAt: null,
  next: null,
  payUrl: null,
};
const has = (key: string, more: Partial<PricingState> = {}): PricingState => ({
  ...NOTHING,
  status: "active",
  productId: `acme_${key.split(":")[0]}`,
  lookupKey: `acme:${key}`,
  ...more,
});
const pro = (more: Partial<PricingState> = {}) => has("pro:monthly", more);

/** What each plan offers, by name, at monthly prices. */
const steps = (state: PricingState | null, interval = "1 month"): { [name: string]: Step } =>
  Object.fromEntries(cardsFor(state, interval).map(({ name, step }) => [name, step]));

const [start, change, nothing] = [
  (key: string) => ({ do: "start", key }),
  (key: string) => ({ do: "switch", key }),
  { do: "nothing" },
];
const [current, resume] = [{ do: "current" }, { do: "resume" }];
const trial = { do: "try", key: "pro:monthly" };

describe("what may be done next", () => {
  it.each<[string, PricingState | null, object]>([
    ["a visitor", null, { free: nothing, pro: trial, team: start("team:monthly") }],
    ["a newcomer", NOTHING, { free: current, pro: trial, team: start("team:monthly") }],
    [
      "one whose plan has ended",
      pro({ status: "canceled", endsAt: 1 }),
      { free: current, pro: start("pro:monthly"), team: start("team:monthly") },
    ],
    [
      "one whose first payment failed",
      pro({ status: "incomplete" }),
      { free: current, pro: start("pro:monthly"), team: start("team:monthly") },
    ],
    [
      "one who has it",
      pro(),
      { free: { do: "cancel" }, pro: current, team: change("team:monthly") },
    ],
    [
      "one in a trial",
      pro({ status: "trialing", trialEndsAt: 5 }),
      { free: { do: "cancel" }, pro: current, team: change("team:monthly") },
    ],
    [
      "one whose plan ends",
      pro({ endsAt: 5 }),
      { free: { do: "wait", until: 5 }, pro: resume, team: nothing },
    ],
    [
      "one whose plan changes",
      pro({ next: { at: 5, lookupKey: "acme:team:monthly" } }),
      { free: { do: "cancel" }, pro: resume, team: { do: "wait", until: 5 } },
    ],
    [
      "one who owes",
      pro({ status: "past_due", payUrl: "https://pay" }),
      { free: nothing, pro: { do: "pay", url: "https://pay" }, team: nothing },
    ],
    [
      "one who owes, without a page to pay on",
      pro({ status: "unpaid" }),
      { free: nothing, pro: { do: "manage" }, team: nothing },
    ],
    ["one who is paused", pro({ status: "paused" }), { free: nothing, pro: resume, team: nothing }],
    [
      "one with a price that is sold no more",
      pro({ lookupKey: null }),
      { free: { do: "cancel" }, pro: current, team: change("team:monthly") },
    ],
    [
      "one with a plan that is sold no more",
      has("legacy:monthly"),
      {
        ...{ free: { do: "cancel" }, pro: change("pro:monthly"), team: change("team:monthly") },
        legacy: current,
      },
    ],
    [
      "one with something else",
      { ...pro(), productId: "prod_1", lookupKey: "pro_monthly" },
      { free: { do: "cancel" }, pro: change("pro:monthly"), team: change("team:monthly") },
    ],
  ])("by %s", (_, state, expected) => {
    expect(steps(state)).toEqual(expected);
  });

  it("the same plan for another interval is a change", () => {
    expect(steps(pro(), "1 year")).toMatchObject({ pro: change("pro:yearly") });
    expect(cardsFor(pro(), "1 year").some(({ isCurrent }) => isCurrent)).toBe(false);
  });
});

describe("what is shown", () => {
  it("is the intervals that there are, first that of what one has", () => {
    expect(intervals(NOTHING)).toEqual(["1 month", "1 year"]);
    expect(currentInterval(has("team:yearly"))).toBe("1 year");
    expect(currentInterval(NOTHING)).toBeUndefined();
  });

  it("is a plan at another interval, where it has no price for this one", () => {
    const cards = cardsFor(has("legacy:monthly"), "1 year");
    expect(cards.at(-1)).toMatchObject({ name: "legacy", price: { amount: 900 } });
    expect(cards[0]).toMatchObject({ name: "free", price: undefined });
  });

  it("is the features in words", () => {
    const [free, paid, team] = cardsFor(NOTHING, "1 month").map(({ features }) => features);
    expect(free).toEqual(["3 projects"]);
    expect(paid).toEqual(["100 projects", "10,000 api calls, then $0.01 each"]);
    expect(team).toEqual(["Unlimited projects", "Priority support"]);
  });

  it("is how things stand, in a sentence", () => {
    const at = Date.UTC(2026, 4, 7, 12);
    const told = [
      NOTHING,
      pro({ renewsAt: at }),
      pro({ status: "trialing", trialEndsAt: at, renewsAt: at }),
      pro({ endsAt: at }),
      pro({ next: { at, lookupKey: null }, renewsAt: at }),
      pro({ status: "past_due", renewsAt: at }),
    ].map(standing);
    expect(told).toEqual([
      "Choose a plan. You can change or cancel it at any time.",
      "You have Pro. It renews on May 7, 2026.",
      "You are trying Pro, until May 7, 2026.",
      "You have Pro. It ends on May 7, 2026.",
      "You have Pro. It changes on May 7, 2026.",
      "Your last invoice is not paid yet.",
    ]);
  });

  it("is how often", () => {
    const every = { amount: 1, currency: "usd", interval: "month", isPerSeat: true } as const;
    expect(["1 month", "1 year", "1 day", "3 month"].map(intervalText)).toEqual([
      "Monthly",
      "Yearly",
      "Daily",
      "Every 3 months",
    ]);
    expect(termsText({ ...every, intervalCount: 1 })).toBe("per seat and month");
    expect(termsText({ ...every, intervalCount: 3 })).toBe("per seat every 3 months");
  });
});

describe("money", () => {
  it.each([
    [2000, "usd", "$20"],
    [1250, "usd", "$12.50"],
    [0.1, "usd", "$0.001"],
    [500, "jpy", "¥500"],
    [-1250, "eur", "-€12.50"],
    [1500, "kwd", "KWD 1.500"],
  ])("%s of %s is %s", (amount, currency, text) => {
    expect(money(amount, currency).replaceAll("\u00a0", " ")).toBe(text);
  });

  it("has the decimals of every currency as the library has them", () => {
    const format = (value: number, currency: string) =>
      new Intl.NumberFormat("en", { style: "currency", currency }).formatToParts(value);
    for (const currency of Intl.supportedValuesOf("currency").map((each) => each.toLowerCase())) {
      const [whole] = format(7, currency).filter(({ type }) => type === "integer");
      const text = money(amountOf("7", currency).amount, currency);
      expect([currency, /\d.*$/.exec(text)?.[0]]).toEqual([currency, whole?.value]);
    }
  });
});

it("a plan is known by its product, whatever its key", () => {
  expect(boughtPlan(pro())).toEqual({ name: "pro", key: "pro:monthly" });
  expect(boughtPlan(pro({ lookupKey: "pro:monthly" }))).toEqual({
    name: "pro",
    key: "pro:monthly",
  });
  expect(boughtPlan(pro({ lookupKey: "other" }))).toEqual({ name: "pro", key: null });
  expect(boughtPlan(pro({ productId: "acme_gone" }))).toBeNull();
});
