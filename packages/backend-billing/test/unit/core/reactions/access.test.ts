// What an entity gains and loses over all of its subscriptions, and what an event shows of one.
import { describe, expect, it } from "vitest";
import type { SubscriptionFacts } from "../../../../src/core/mirror/store.js";
import {
  type AccessByGroup,
  accessEvents,
  statesByGroup,
} from "../../../../src/core/reactions/access.js";
import { subscriptionStep } from "../../../../src/core/reactions/step.js";
import { facts, item, lapse, product, START, subscription } from "../subscriptions/kit.js";

const options = { entityId: "user_1" };
const products = [product("prod_1"), product("prod_2", "support")];
const support = item("price_2", { product: "prod_2" });
const of = (...subscriptions: SubscriptionFacts["subscriptions"][number][]) =>
  statesByGroup(facts({ subscriptions, products }), options);
const told = (before: AccessByGroup, after: AccessByGroup) =>
  accessEvents(before, after).map(({ name, group }) => `${name} ${group}`);

describe("access", () => {
  const main = subscription();
  const ended = subscription({ status: "canceled" });
  const other = subscription({ id: "sub_2", items: [support] });
  const both = subscription({ items: [item("price_1"), support] });

  it.each([
    ["comes with a subscription", of(), of(main), ["access.granted main"]],
    ["goes with it", of(main), of(ended), ["access.lost main"]],
    [
      "does not come with one that is not paid",
      of(),
      of(subscription({ status: "incomplete" })),
      [],
    ],
    ["goes with a row that is gone", of(main), of(), ["access.lost main"]],
    ["stays with a second one", of(main, subscription({ id: "sub_2" })), of(main), []],
    ["passes from one to the next", of(main), of(ended, subscription({ id: "sub_2" })), []],
    ["is of each group", of(main), of(main, other), ["access.granted support"]],
    [
      "of two groups is told of each",
      of(),
      of(both),
      ["access.granted main", "access.granted support"],
    ],
    [
      "of a new group is told before that of the old one",
      of(main),
      of(subscription({ items: [support] })),
      ["access.granted support", "access.lost main"],
    ],
    ["stays while past due", of(main), of(subscription({ status: "past_due" })), []],
    ["is told once", of(main), of(main), []],
  ])("%s", (_, before, after, expected) => {
    expect(told(before, after)).toEqual(expected);
  });

  it("goes by time, when the grace is over", () => {
    const subscriptions = [subscription({ status: "past_due" })];
    const graceful = statesByGroup(facts({ subscriptions }), options);
    const over = statesByGroup(facts({ subscriptions, lapses: [lapse(START * 1000)] }), options);
    expect(told(graceful, over)).toEqual(["access.lost main"]);
    expect(told(over, graceful)).toEqual(["access.granted main"]);
  });

  it("alternates over any states, and ends in what is", () => {
    const states = [of(), of(main), of(ended), of(both), of(other), of(ended, other)];
    const has = new Set<string>();
    let before: AccessByGroup = new Map();
    for (const pair of states.flatMap((a) => states.map((b) => [a, b]))) {
      for (const after of pair) {
        for (const { name, group } of accessEvents(before, after)) {
          expect(has.has(group)).toBe(name === "access.lost");
          if (name === "access.lost") has.delete(group);
          else has.add(group);
        }
        const is = [...after].filter(([, { access }]) => access).map(([group]) => group);
        expect([...has].sort()).toEqual(is.sort());
        before = after;
      }
    }
  });
});

describe("what an event shows of a subscription", () => {
  const step = (before: object | null, after: object | null, known = {}) =>
    subscriptionStep(
      facts({ products, ...known }),
      { before: before && subscription({ ...before }), after: after && subscription({ ...after }) },
      options,
    );

  it("is what applications read, before and after", () => {
    const { before, after } = step({}, { cancel_at_period_end: true, items: [item("price_9")] });
    expect(before).toMatchObject({ priceId: "price_1", endsAt: null, access: true });
    expect(after).toMatchObject({ priceId: "price_9", endsAt: expect.any(Number) });
  });

  it("was nothing before a row that is new", () => {
    expect(step(null, {}).before).toBeNull();
  });

  it("is canceled after a row that is gone", () => {
    expect(step({}, null).after).toMatchObject({ status: "canceled", access: false });
    expect(() => step(null, null)).toThrow(RangeError);
  });

  it("has one group, also where the product of before is not known any more", () => {
    const gone = item("price_0", { product: "prod_gone" });
    const { before, after } = step({ items: [gone] }, { items: [support] });
    expect([before?.group, after.group]).toEqual(["support", "support"]);
  });
});
