// What a subscription included until it changed, and which changes leave something of it.
import { describe, expect, it } from "vitest";
import { defineCatalogue, usd } from "../../../../src/catalogue/index.js";
import { formerBy } from "../../../../src/core/mirror/shares.js";
import type { Snapshot } from "../../../../src/core/mirror/store.js";
import { includesAny } from "../../../../src/core/plans/usage.js";
import { sharesBefore } from "../../../../src/core/usage/shares/settle.js";

const prices = { monthly: usd("20").monthly(), yearly: usd("200").yearly() };
const catalogue = defineCatalogue({
  app: "acme",
  features: { credits: "credits" },
  plans: {
    free: { name: "Free", default: true, features: { credits: { included: 5 } } },
    basic: { name: "Basic", prices, features: { credits: { included: 100 } } },
    pro: { name: "Pro", prices, features: { credits: { included: 500 } } },
  },
});

const second = (month: number, day = 10) => Date.UTC(2026, month, day) / 1000;

interface Of {
  readonly plan?: "basic" | "pro";
  readonly status?: string;
  readonly start?: number;
  readonly interval?: "month" | "year";
}

function subscription({
  plan = "pro",
  status = "active",
  start = second(0),
  interval = "month",
}: Of) {
  const end = interval === "month" ? second(1) : second(12);
  const price = { product: `acme_${plan}`, recurring: { interval, interval_count: 1 } };
  return {
    id: "sub_1",
    customer: "cus_1",
    status,
    created: second(0),
    billing_cycle_anchor: start,
    cancel_at: null,
    cancel_at_period_end: false,
    metadata: { much: "more" },
    items: { data: [{ current_period_start: start, current_period_end: end, price }] },
  };
}

const at = (told: number, of: Of): Snapshot =>
  ({ resource: "subscriptions", content: subscription(of), lo: told - 1, hi: told + 1 }) as never;

describe("a change that leaves something to be given", () => {
  const told = second(0, 20);
  const left = (before: Of, after: Of) =>
    formerBy(subscription(before), at(told, after), told * 1000 + 5_000);

  it("is one to another plan, or to another status, within the period", () => {
    expect(left({}, { plan: "basic" })).toMatchObject({ at: told * 1000 - 1 });
    expect(left({ status: "trialing" }, { status: "paused" })).toBeDefined();
  });

  it("is none of a period that moved or is not paid for, of what gave nothing, or of what has ended", () => {
    expect(left({}, { status: "past_due" })).toBeUndefined();
    expect(left({}, { plan: "basic", status: "past_due" })).toBeUndefined();
    expect(left({}, {})).toBeUndefined();
    expect(left({}, { plan: "basic", start: told })).toBeUndefined();
    expect(left({ status: "past_due" }, { plan: "basic" })).toBeUndefined();
    expect(left({}, { status: "canceled" })).toBeUndefined();
  });

  it("keeps no more than is needed, and the time of the application where Stripe's is not known", () => {
    const unknown = { ...at(0, { plan: "basic" }), lo: 0, hi: Number.MAX_SAFE_INTEGER };
    const former = formerBy(subscription({}), unknown, told * 1000);
    expect(former?.at).toBe(told * 1000 - 1);
    expect(JSON.stringify(former)).not.toContain("much");
  });
});

describe("what it included", () => {
  const before = (of: Of, until: number, now: number) =>
    sharesBefore(
      catalogue,
      "credits",
      { entityId: "org_1", before: subscription(of), at: until * 1000 - 1 },
      now * 1000,
    ).map(({ key, amount }) => `${key}: ${amount}`);

  it("is the share of the period of a subscription, and not of the default plan", () => {
    const key = `sub_1 ${second(0) * 1000}`;
    expect(before({}, second(0, 20), second(0, 21))).toEqual([`${key}: 500`]);
    expect(before({ status: "paused" }, second(0, 20), second(0, 21))).toEqual([]);
    expect(before({}, second(0, 20), second(1))).toEqual([]);
  });

  it("is that of the month in a year that is paid at once, also if it is given later", () => {
    const key = `sub_1 ${second(4) * 1000}`;
    const yearly = { interval: "year" } as const;
    expect(before(yearly, second(4, 11), second(5, 9))).toEqual([`${key}: 500`]);
    expect(before(yearly, second(5), second(5))).toEqual([]);
    expect(before(yearly, second(5) + 1, second(5) + 1)).toEqual([
      `sub_1 ${second(5) * 1000}: 500`,
    ]);
  });
});

it("whether plans include anything is known from the catalogue", () => {
  expect(includesAny(catalogue)).toBe(true);
  expect(includesAny(undefined)).toBe(false);
  const features = { credits: "credits", seats: "limit" } as const;
  const limited = { name: "Team", prices, features: { seats: 5, credits: { included: 0 } } };
  expect(includesAny(defineCatalogue({ app: "acme", features, plans: { limited } }))).toBe(false);
});
