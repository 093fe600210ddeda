// What follows from the record of an entity's checkout pages.
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import {
  handing,
  isLeased,
  isPageOfAll,
  judgePage,
  LEAST_LIFE,
  NO_GUARD,
  orderOf,
  pagesOf,
  type Session,
  unrecorded,
} from "../../../src/core/links/guard/guard.js";

const NOW = 1_000_000;
const page = { sessionId: "cs_1", customerId: "cus_1", order: "a" };
const wanted = { customerId: "cus_1", order: "a", now: NOW };
const session = (changes: Partial<Session> = {}): Session => ({
  id: "cs_1",
  mode: "subscription",
  status: "open",
  created: NOW,
  expires_at: NOW + 3_600,
  url: "https://checkout.example/cs_1",
  client_secret: null,
  subscription: null,
  customer: "cus_1",
  ...changes,
});
const DELETED = { id: "cus_1", object: "customer", deleted: true } as const;
const paid = (status: string): Session =>
  session({ status: "complete", url: null, subscription: { status } as Stripe.Subscription });

describe("a page that was handed out", () => {
  it.each([
    ["that Stripe does not know", undefined, {}, "over"],
    ["that has expired", session({ status: "expired" }), {}, "over"],
    ["of a customer who is deleted", session({ customer: DELETED }), {}, "over"],
    ["of the same order", session(), {}, "same"],
    ["of the same order, embedded", session({ url: null, client_secret: "cs_s" }), {}, "same"],
    ["of the same order without an address", session({ url: null }), {}, "open"],
    ["of another order", session(), { order: "b" }, "open"],
    ["of another customer", session(), { customerId: "cus_2" }, "open"],
    ["that just lasts long enough", session({ expires_at: NOW + LEAST_LIFE }), {}, "same"],
    ["that ends too soon", session({ expires_at: NOW + LEAST_LIFE - 1 }), {}, "open"],
    ["that was paid", paid("active"), {}, "subscribed"],
    ["that was paid and is past due", paid("past_due"), {}, "subscribed"],
    ["that was paid and whose subscription has ended", paid("canceled"), {}, "over"],
    ["whose first payment came to nothing", paid("incomplete_expired"), {}, "over"],
    ["of another order that was paid", paid("active"), { order: "b" }, "subscribed"],
  ])("%s", (_, found, changes, verdict) => {
    expect(judgePage(page, found, { ...wanted, ...changes })).toBe(verdict);
  });
});

describe("the record", () => {
  const main = new Set(["main"]);
  const both = new Set(["main", "extras"]);
  it("has a page for each group of a cart, and counts the pages that were made", () => {
    const one = handing(NO_GUARD, both, page, { isTrialUsed: false, isLate: false });
    expect(one).toMatchObject({ made: 1, trials: [] });
    expect(pagesOf(one, both)).toEqual([page]);
    expect(isPageOfAll(one, both, "cs_1")).toBe(true);
    const two = handing(
      one,
      main,
      { ...page, sessionId: "cs_2" },
      { isTrialUsed: true, isLate: false },
    );
    expect(two).toMatchObject({ made: 2, trials: ["main"] });
    expect(pagesOf(two, both).map(({ sessionId }) => sessionId)).toEqual(["cs_2", "cs_1"]);
    expect(isPageOfAll(two, both, "cs_2")).toBe(false);
    expect(pagesOf(two, new Set(["other"]))).toEqual([]);
  });

  it("names the open pages for subscriptions that it does not know", () => {
    const guard = handing(NO_GUARD, new Set(["extras"]), page, {
      isTrialUsed: false,
      isLate: false,
    });
    const sessions = [
      session(),
      session({ id: "cs_2" }),
      session({ id: "cs_3", mode: "payment" }),
      session({ id: "cs_4", status: "complete" }),
    ];
    expect(unrecorded(guard, sessions).map(({ id }) => id)).toEqual(["cs_2"]);
  });

  it("is held until a time that a sound clock can have written", () => {
    expect(isLeased({ ...NO_GUARD, leasedUntil: 10 }, 9)).toBe(true);
    expect(isLeased({ ...NO_GUARD, leasedUntil: 10 }, 10)).toBe(false);
    expect(isLeased({ ...NO_GUARD, leasedUntil: 10 ** 9 }, 10)).toBe(false);
  });
});

it("an order is the same whatever the order of its parameters", async () => {
  const [one, two] = [
    { a: 1, b: [{ c: 2, d: 3 }] },
    { b: [{ d: 3, c: 2 }], a: 1 },
  ];
  expect(await orderOf(one)).toBe(await orderOf(two));
  expect(await orderOf(one)).not.toBe(await orderOf({ ...one, a: 2 }));
});
