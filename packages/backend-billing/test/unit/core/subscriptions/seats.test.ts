// Which subscriptions follow the seats, what is sent for them, and when they are counted.
import { describe, expect, it } from "vitest";
import type { StripeObject } from "../../../../src/core/catalogue/catalogue.js";
import type { Offer, Snapshot, SubscriptionFacts } from "../../../../src/core/mirror/store.js";
import {
  countedBy,
  followingIn,
  isToCount,
  seatsRequest,
  startRequest,
} from "../../../../src/core/runtime/commit/seats.js";
import { quantityOf } from "../../../../src/core/subscriptions/seats/count.js";
import {
  pauseAfter,
  seatedAmong,
  seatParams,
} from "../../../../src/core/subscriptions/seats/terms.js";

type Subscription = StripeObject<"subscriptions">;
const MARK = { billing_per_seat: "true" };

const price = (id: string, product: string, { metered = false, metadata = {} } = {}) => ({
  id,
  product,
  metadata,
  recurring: { usage_type: metered ? "metered" : "licensed" },
});
const seat = price("price_seat", "prod_team");
const flat = price("price_flat", "prod_solo");
const used = price("price_used", "prod_team", { metered: true });
const marked = price("price_marked", "prod_solo", { metadata: MARK });
const strange = price("price_strange", "prod_unknown");

const products = [
  { id: "prod_team", metadata: MARK },
  { id: "prod_solo", metadata: {} },
];

const subscription = (
  prices: readonly object[],
  { status = "active", schedule = null as string | null } = {},
): Subscription =>
  ({
    id: "sub_1",
    status,
    schedule,
    items: { data: prices.map((each, index) => ({ id: `si_${index}`, price: each, quantity: 2 })) },
  }) as unknown as Subscription;

const facts = (of: Subscription, planned: readonly string[] = []): SubscriptionFacts =>
  ({
    subscriptions: [of],
    products,
    prices: [seat, flat, used],
    schedules: [
      { id: "sub_sched_1", phases: [{ items: planned.map((each) => ({ price: each })) }] },
    ],
    invoices: [],
    lapses: [],
  }) as unknown as SubscriptionFacts;

describe("a subscription follows the seats", () => {
  it.each<[string, Subscription, string[], boolean]>([
    ["by its product", subscription([seat]), [], true],
    ["by its price", subscription([marked]), [], true],
    ["by one of its items", subscription([flat, seat]), [], true],
    ["if its product is not known yet: Stripe is asked", subscription([strange]), [], true],
    ["not if it is not marked", subscription([flat]), [], false],
    ["not if what is marked is metered", subscription([used]), [], false],
    ["past due", subscription([seat], { status: "past_due" }), [], true],
    ["unpaid", subscription([seat], { status: "unpaid" }), [], true],
    ["on trial", subscription([seat], { status: "trialing" }), [], true],
    ["not before it has begun", subscription([seat], { status: "incomplete" }), [], false],
    ["not while it is paused", subscription([seat], { status: "paused" }), [], false],
    ["not when it is over", subscription([seat], { status: "canceled" }), [], false],
    [
      "by what is planned",
      subscription([flat], { schedule: "sub_sched_1" }),
      ["price_flat", "price_seat"],
      true,
    ],
    [
      "not by what is planned if that is not marked",
      subscription([flat], { schedule: "sub_sched_1" }),
      ["price_flat"],
      false,
    ],
  ])("%s", (_, of, planned, expected) => {
    expect(seatedAmong(facts(of, planned))).toHaveLength(expected ? 1 : 0);
  });
});

describe("what is sent", () => {
  const isPerSeat = ({ product }: { product: unknown }) => product === "prod_team";
  it.each<[string, object[], number, object[] | undefined]>([
    ["is the quantity of the item by the seat", [seat], 5, [{ id: "si_0", quantity: 5 }]],
    ["is nothing if it is that already", [seat], 2, undefined],
    ["leaves the others alone", [flat, used, seat], 3, [{ id: "si_2", quantity: 3 }]],
    ["is nothing if none is by the seat", [flat, used], 3, undefined],
  ])("%s", (_, prices, quantity, items) => {
    const params = seatParams(subscription(prices).items.data as never, quantity, { isPerSeat });
    expect(params).toEqual(
      items && {
        items,
        proration_behavior: "always_invoice",
        payment_behavior: "allow_incomplete",
      },
    );
  });
});

describe("a commit has seats counted", () => {
  const offers = [
    { price: seat, product: products[0] },
    { price: flat, product: products[1] },
  ] as unknown as Offer[];
  it.each<[string, Subscription | null, Subscription, boolean]>([
    ["of a subscription that is new", null, subscription([seat]), true],
    [
      "of one that begins",
      subscription([seat], { status: "incomplete" }),
      subscription([seat]),
      true,
    ],
    ["of one that goes on", subscription([seat], { status: "paused" }), subscription([seat]), true],
    ["of one with another price", subscription([flat]), subscription([seat]), true],
    ["of one whose product is not known", null, subscription([strange]), true],
    ["not of one that is as it was", subscription([seat]), subscription([seat]), false],
    ["not of one that is not by the seat", null, subscription([flat]), false],
  ])("%s", (_, before, after, expected) => {
    expect(isToCount(before, after, offers)).toBe(expected);
  });

  it.each([
    [subscription([seat]), true],
    [subscription([seat], { status: "canceled" }), false],
    [null, false],
    [{ id: "sub_1", status: "active" }, false],
  ])("only of what can follow", (content, expected) => {
    const snapshot = { resource: "subscriptions", id: "sub_1", content } as unknown as Snapshot;
    expect(followingIn(snapshot) !== undefined).toBe(expected);
    expect(followingIn({ ...snapshot, resource: "customers" })).toBeUndefined();
  });
});

it("records are of an entity or of a subscription, whatever the entity is called", () => {
  for (const entityId of ["org_1", "subscription sub_1", "entity x"]) {
    expect(countedBy(seatsRequest(entityId, 1).id)).toEqual({ entityId });
  }
  expect(countedBy(startRequest("sub_1", 1).id)).toEqual({ subscriptionId: "sub_1" });
});

it("a count is a quantity from one on", () => {
  expect([0, 1, 7].map(quantityOf)).toEqual([1, 1, 7]);
  for (const wrong of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3", null, undefined, 3n]) {
    expect(() => quantityOf(wrong)).toThrow(/`seats` must answer a whole number/);
  }
});

it("failures are tried again less and less often, and at least every half hour", () => {
  expect([0, 1, 2, 3].map((tries) => pauseAfter(tries, 10_000))).toEqual([
    10_000, 20_000, 40_000, 80_000,
  ]);
  expect(pauseAfter(1_000, 10_000)).toBe(30 * 60_000);
});
