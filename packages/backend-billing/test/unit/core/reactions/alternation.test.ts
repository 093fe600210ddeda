// What is told of a subscription over any of its states, however few of them were looked at: the
// events alternate, and what was told last is what is.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { namedEvents } from "../../../../src/core/reactions/named.js";
import { item } from "../subscriptions/kit.js";
import { type Content, follow, SALES, standing } from "./listener.js";

const unpaidPause = { paused: { subscription: { type: "final_payment_failure" } } };
const contentOf = (status: fc.Arbitrary<string>): fc.Arbitrary<NonNullable<Content>> =>
  fc.record({
    status,
    cancel_at: fc.constantFrom(null, 1_780_000_000),
    cancel_at_period_end: fc.boolean(),
    pause_collection: fc.constantFrom(null, { behavior: "void" }),
    status_details: fc.constantFrom(null, unpaidPause),
    items: fc.subarray(["price_1", "price_2"]).chain((prices) =>
      fc.record({
        data: fc.tuple(
          ...prices.map((price) =>
            fc.integer({ min: 1, max: 2 }).map((quantity) => item(price, { quantity })),
          ),
        ),
      }),
    ),
  });

const STATUSES = [
  "incomplete",
  "incomplete_expired",
  "trialing",
  "active",
  "past_due",
  "unpaid",
  "paused",
  "canceled",
];

/** Where Stripe lets each status go. */
const NEXT: { readonly [status: string]: readonly string[] } = {
  incomplete: ["incomplete", "active", "incomplete_expired", "canceled"],
  trialing: ["trialing", "active", "past_due", "paused", "canceled"],
  active: ["active", "trialing", "past_due", "paused", "canceled"],
  past_due: ["past_due", "active", "unpaid", "paused", "canceled"],
  unpaid: ["unpaid", "active", "canceled"],
  paused: ["paused", "active", "past_due", "canceled"],
};

/** A life as Stripe leads it, with the steps at which something looks. */
const life = fc
  .record({
    first: fc.constantFrom("incomplete", "trialing", "active"),
    turns: fc.array(
      fc.record({
        turn: fc.nat(),
        isLooked: fc.boolean(),
        content: contentOf(fc.constant("")),
      }),
      { minLength: 1, maxLength: 20 },
    ),
  })
  .map(({ first, turns }) => {
    let status: string = first;
    return turns.map(({ turn, isLooked, content }, index) => {
      const next = NEXT[status];
      if (index > 0 && next) status = next[turn % next.length] ?? status;
      return { isLooked, content: { ...content, status } };
    });
  });

describe("what is told of a subscription", () => {
  it("alternates and ends in what is, for any states in any order", () => {
    const contents = fc.array(
      fc.option(contentOf(fc.constantFrom(...STATUSES)), { freq: 8, nil: null }),
      { maxLength: 30 },
    );
    const judge = (all: readonly Content[]) => {
      follow(all);
    };
    fc.assert(fc.property(contents, judge), { numRuns: 1_000 });
  });

  it("is one start and one end at most, whichever steps of a life are looked at", () => {
    const judge = (steps: readonly { isLooked: boolean; content: Content }[]) => {
      const seen = steps.filter(({ isLooked }) => isLooked).map(({ content }) => content);
      const told = follow(seen);
      const count = (name: string) => told.filter((event) => event === name).length;
      const hasRun = seen.some((content) => standing(content).runs);
      const isOver = hasRun && !standing(seen.at(-1) ?? null).runs;
      expect(count("subscription.started")).toBe(hasRun ? 1 : 0);
      expect(count("subscription.ended")).toBe(isOver ? 1 : 0);
    };
    fc.assert(fc.property(life, judge), { numRuns: 1_000 });
  });

  it("is nothing where nothing changed", () => {
    const content = contentOf(fc.constantFrom(...STATUSES));
    fc.assert(
      fc.property(content, (same) => {
        expect(namedEvents("subscriptions", same, structuredClone(same))).toEqual([]);
      }),
    );
  });

  it("is another price, or else another quantity, as the items say", () => {
    const active = contentOf(fc.constant("active"));
    const sellsOf = (content: NonNullable<Content>) =>
      (content.items as { data: readonly { price: { id: string }; quantity: number }[] }).data;
    fc.assert(
      fc.property(active, active, (before, after) => {
        const [was, is] = [sellsOf(before), sellsOf(after)];
        const quantities = new Map(was.map(({ price, quantity }) => [price.id, quantity]));
        const isSame =
          was.length === is.length && is.every(({ price }) => quantities.has(price.id));
        const isAsMuch = is.every(({ price, quantity }) => quantities.get(price.id) === quantity);
        const events = namedEvents("subscriptions", before, after);
        expect(events.filter((event) => SALES.includes(event))).toEqual(
          isSame ? (isAsMuch ? [] : ["subscription.resized"]) : ["subscription.changed"],
        );
      }),
    );
  });
});
