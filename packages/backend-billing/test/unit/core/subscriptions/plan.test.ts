// Which plan a state shows, and under which names, by a catalogue in code.
import { describe, expect, it } from "vitest";
import type { SubscriptionFacts } from "../../../../src/core/mirror/store.js";
import { defineCatalogue } from "../../../../src/core/plans/define.js";
import { usd } from "../../../../src/core/plans/money.js";
import { groupsOf } from "../../../../src/core/subscriptions/group.js";
import {
  type SubscriptionState,
  subscriptionState,
  subscriptionStates,
} from "../../../../src/core/subscriptions/state.js";
import { END, facts, item, phase, price, product, schedule, subscription } from "./kit.js";

const prices = { monthly: usd("20").monthly() };
const catalogue = defineCatalogue({
  app: "acme",
  features: { calls: { meter: "calls" } },
  plans: {
    free: { name: "Free", default: true },
    pro: { name: "Pro", prices },
    team: { name: "Team", prices, was: "crew" },
    extra: { name: "Extra", group: "extras", prices },
  },
});

const sold = (productId: string, more: object = {}) =>
  subscription({
    id: `sub_${productId}`,
    items: [item(`price_${productId}`, { product: productId })],
    ...more,
  });
const stateOf = (known: Partial<SubscriptionFacts>, group?: string): SubscriptionState =>
  subscriptionState(facts(known), { entityId: "user_1", catalogue, group });

describe("the plan of a state", () => {
  it.each([
    ["acme_pro", "main", "pro"],
    ["acme_crew", "main", "team"],
    ["acme_extra", "extras", "extra"],
    ["acme_extra", "main", "free"],
    ["acme_team", "main", "free"],
    ["other_pro", "main", "free"],
    ["other_pro", "extras", null],
  ])("with the product %s in the group %s is %s", (productId, group, plan) => {
    expect(stateOf({ subscriptions: [sold(productId)] }, group)).toMatchObject({ plan, group });
  });
  it("without access is the default plan of the group", () => {
    for (const status of ["unpaid", "incomplete", "canceled", "paused"]) {
      const state = stateOf({ subscriptions: [sold("acme_pro", { status })] });
      expect(state).toMatchObject({ status, plan: "free", productId: "acme_pro" });
    }
    const none = facts({ subscriptions: [] });
    expect(stateOf(none)).toMatchObject({ status: "none", plan: "free" });
    expect(stateOf(none, "extras")).toMatchObject({ status: "none", plan: null });
  });
  it("is that of the newest subscription that is a plan, and of each by itself where all are listed", () => {
    const subscriptions = [
      sold("acme_pro", { created: 1 }),
      sold("acme_crew", { created: 2 }),
      sold("other", { created: 3 }),
      sold("acme_pro", { id: "sub_4", created: 4, status: "unpaid" }),
    ];
    expect(stateOf({ subscriptions })).toMatchObject({ plan: "team", productId: "other" });
    const listed = subscriptionStates(facts({ subscriptions }), { entityId: "user_1", catalogue });
    expect(listed.map(({ plan }) => plan)).toEqual(["free", "free", "team", "pro"]);
  });
  it("that comes next is that of the coming phase", () => {
    const subscriptions = [sold("acme_crew", { schedule: "sub_sched_1" })];
    const coming = price("price_next", { product: "acme_pro", lookup_key: "acme:pro:monthly" });
    const schedules = [schedule({ phases: [phase(END, [{ price: "price_next", quantity: 1 }])] })];
    expect(stateOf({ subscriptions, schedules, prices: [coming] })).toMatchObject({
      plan: "team",
      next: { plan: "pro", lookupKey: "pro:monthly", priceId: "price_next" },
    });
    expect(stateOf({ subscriptions, schedules })).toMatchObject({ next: { plan: "free" } });
  });
  it("is null without plans in code", () => {
    const bare = { entityId: "user_1", catalogue: defineCatalogue({}) };
    const known = facts({ subscriptions: [sold("acme_pro")] });
    expect(subscriptionState(known, bare).plan).toBeNull();
    expect(subscriptionState(known, { entityId: "user_1" }).plan).toBeNull();
  });
});

describe("names by a catalogue", () => {
  it("are those of the application, of keys", () => {
    const keyed = (lookup_key: string | null) =>
      subscription({
        items: [item("price_1", { price: price("price_1", { product: "acme_pro", lookup_key }) })],
      });
    const keyOf = (key: string | null) => {
      const state = stateOf({ subscriptions: [keyed(key)] });
      expect(state.items.map(({ lookupKey }) => lookupKey)).toEqual([state.lookupKey]);
      return state.lookupKey;
    };
    expect(keyOf("acme:pro:monthly")).toBe("pro:monthly");
    expect(keyOf("other:pro:monthly")).toBe("other:pro:monthly");
    expect(keyOf(null)).toBeNull();
  });
  it("are those of plans, of groups, whatever the metadata of a product say", () => {
    const two = subscription({
      items: [item("a", { product: "acme_extra" }), item("b", { product: "prod_2" })],
    });
    const products = [product("acme_extra", "support"), product("prod_2", "support")];
    expect(groupsOf(two, products, catalogue)).toEqual(new Set(["extras", "support"]));
  });
  it("say that what a plan bills by usage is of the plan's group, being of its product", () => {
    const usage = item("u", { product: "acme_extra", metered: true });
    const both = subscription({ items: [item("a", { product: "acme_extra" }), usage] });
    expect(groupsOf(both, [], catalogue)).toEqual(new Set(["extras"]));
  });
});
