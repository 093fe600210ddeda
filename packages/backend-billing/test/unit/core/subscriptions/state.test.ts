// What an entity's subscription is, from what the mirror knows: every status and shape.
import { describe, expect, it } from "vitest";
import type { SubscriptionFacts } from "../../../../src/core/mirror/store.js";
import type { AccessPolicy } from "../../../../src/core/plans/access.js";
import { defineCatalogue } from "../../../../src/core/plans/define.js";
import { groupsOf, namedGroup } from "../../../../src/core/subscriptions/group.js";
import {
  isLive,
  type SubscriptionState,
  subscriptionState,
  subscriptionStates,
} from "../../../../src/core/subscriptions/state.js";
import {
  END,
  facts,
  invoice,
  item,
  lapse,
  phase,
  price,
  product,
  START,
  schedule,
  subscription,
} from "./kit.js";

const state = (
  known: Partial<SubscriptionFacts> = {},
  options: { readonly group?: string; readonly policy?: AccessPolicy } = {},
): SubscriptionState => {
  const { policy, ...more } = options;
  const catalogue = policy && defineCatalogue({ access: policy });
  return subscriptionState(facts(known), { entityId: "user_1", catalogue, ...more });
};
const of = (more: object, known: Partial<SubscriptionFacts> = {}) =>
  state({ subscriptions: [subscription({ ...more })], ...known });

describe("a state", () => {
  it("has all that was bought", () => {
    expect(state()).toEqual({
      entityId: "user_1",
      group: "main",
      plan: null,
      access: true,
      status: "active",
      subscriptionId: "sub_1",
      priceId: "price_1",
      productId: "prod_1",
      lookupKey: null,
      quantity: 1,
      items: [
        {
          itemId: "si_price_1",
          priceId: "price_1",
          productId: "prod_1",
          lookupKey: null,
          quantity: 1,
        },
      ],
      trialEndsAt: null,
      renewsAt: END * 1000,
      endsAt: null,
      pastDueSince: null,
      next: null,
    });
  });

  it("is `none` for an entity that never had one", () => {
    expect(state({ subscriptions: [] })).toEqual({
      entityId: "user_1",
      group: "main",
      plan: null,
      access: false,
      status: "none",
      items: [],
      subscriptionId: null,
      priceId: null,
      productId: null,
      lookupKey: null,
      quantity: null,
      trialEndsAt: null,
      renewsAt: null,
      endsAt: null,
      pastDueSince: null,
      next: null,
    });
  });

  const renews = END * 1000;
  const ended = (START + 5) * 1000;
  const began = START * 1000;
  it.each([
    ["active", { access: true, live: true, renewsAt: renews, endsAt: null, pastDueSince: null }],
    ["trialing", { access: true, live: true, renewsAt: renews, endsAt: null, pastDueSince: null }],
    ["past_due", { access: true, live: true, renewsAt: renews, endsAt: null, pastDueSince: began }],
    ["unpaid", { access: false, live: true, renewsAt: renews, endsAt: null, pastDueSince: began }],
    ["paused", { access: false, live: true, renewsAt: null, endsAt: null, pastDueSince: null }],
    ["incomplete", { access: false, live: true, renewsAt: null, endsAt: null, pastDueSince: null }],
    [
      "incomplete_expired",
      { access: false, live: false, renewsAt: null, endsAt: ended, pastDueSince: null },
    ],
    ["canceled", { access: false, live: false, renewsAt: null, endsAt: ended, pastDueSince: null }],
  ] as const)("%s", (status, { live, ...expected }) => {
    const over = live ? {} : { ended_at: START + 5 };
    expect(of({ status, ...over })).toMatchObject({ status, ...expected });
    expect(isLive(status)).toBe(live);
  });
});

describe("times", () => {
  const soon = START + 86_400;
  it.each([
    ["at a time within the period", { cancel_at: soon }, soon, null],
    ["at a time after the period", { cancel_at: END + 5 }, END + 5, END],
    ["at the end of the period", { cancel_at_period_end: true }, END, null],
    ["as Stripe shows both", { cancel_at_period_end: true, cancel_at: END }, END, null],
  ] as const)("an end %s", (_, more, endsAt, renewsAt) => {
    expect(of(more)).toMatchObject({
      access: true,
      endsAt: endsAt * 1000,
      renewsAt: renewsAt && renewsAt * 1000,
    });
  });
  it("of an end are those of the end, not of the wish for it", () => {
    const over = { status: "canceled", canceled_at: START, ended_at: soon };
    expect(of(over)).toMatchObject({ endsAt: soon * 1000, renewsAt: null });
    expect(of({ ...over, ended_at: null })).toMatchObject({ endsAt: START * 1000 });
  });
  it("of a trial are told while it lasts", () => {
    expect(of({ status: "trialing", trial_end: END })).toMatchObject({ trialEndsAt: END * 1000 });
    expect(of({ status: "active", trial_end: START })).toMatchObject({ trialEndsAt: null });
  });
  it("a trial that will not go on ends and does not renew", () => {
    expect(of({ status: "trialing", trial_end: END, cancel_at_period_end: true })).toMatchObject({
      access: true,
      trialEndsAt: END * 1000,
      endsAt: END * 1000,
      renewsAt: null,
    });
  });
  it("a pause of the collection keeps access", () => {
    expect(of({ pause_collection: { behavior: "void" } })).toMatchObject({
      access: true,
      status: "active",
      renewsAt: END * 1000,
    });
  });
});

describe("what was bought", () => {
  const addOn = item("price_seats", { quantity: 7 });
  const usage = item("price_calls", { metered: true });
  it("is the licensed item, wherever the metered ones are", () => {
    const found = of({ items: [usage, addOn] });
    expect(found).toMatchObject({ priceId: "price_seats", quantity: 7 });
    expect(found.items.map(({ priceId, quantity }) => [priceId, quantity])).toEqual([
      ["price_calls", null],
      ["price_seats", 7],
    ]);
  });
  it("is the metered item where there is no other", () => {
    expect(of({ items: [usage] })).toMatchObject({ priceId: "price_calls", quantity: 1 });
  });
  it("is the item of the group that is asked for", () => {
    const items = [item("price_1"), item("price_2", { product: "prod_2", quantity: 3 })];
    const products = [product("prod_1"), product("prod_2", "support")];
    const known = { subscriptions: [subscription({ items })], products };
    expect(state(known)).toMatchObject({ priceId: "price_1", group: "main" });
    expect(state(known, { group: "support" })).toMatchObject({
      priceId: "price_2",
      quantity: 3,
      group: "support",
    });
    expect(state(known, { group: "other" })).toMatchObject({ status: "none", group: "other" });
  });
});

describe("groups", () => {
  it("are in a product's metadata; one that is not known has the default", () => {
    expect(namedGroup(product("p"))).toBe("main");
    expect(namedGroup(product("p", ""))).toBe("main");
    expect(namedGroup(product("p", "support"))).toBe("support");
    expect(namedGroup(undefined)).toBe("main");
  });
  it("of a subscription are those of all its items", () => {
    const two = subscription({ items: [item("a"), item("b", { product: "prod_2" })] });
    expect(groupsOf(two, [product("prod_2", "support")], undefined)).toEqual(
      new Set(["main", "support"]),
    );
  });
});

describe("of several subscriptions", () => {
  const at = (id: string, created: number, status: string) =>
    subscription({ id, created, status, ended_at: START });
  it.each([
    [
      "the newest, also if it is past due and in its grace",
      ["sub_a active 1", "sub_b past_due 2"],
      "sub_b",
    ],
    ["access before live", ["sub_a active 1", "sub_b unpaid 2"], "sub_a"],
    ["live before ended", ["sub_a unpaid 1", "sub_b canceled 2"], "sub_a"],
    ["the newest of those with access", ["sub_a active 1", "sub_b trialing 2"], "sub_b"],
    ["the newest of the ended", ["sub_b canceled 1", "sub_a incomplete_expired 2"], "sub_a"],
    ["the same one, made in the same second", ["sub_b active 1", "sub_a active 1"], "sub_b"],
  ])("%s", (_, all, chosen) => {
    const subscriptions = all.map((text) => {
      const [id = "", status = "", created = ""] = text.split(" ");
      return at(id, Number(created), status);
    });
    expect(state({ subscriptions }).subscriptionId).toBe(chosen);
    expect(state({ subscriptions: [...subscriptions].reverse() }).subscriptionId).toBe(chosen);
  });
  it("all are listed, newest first, each in the group of what was bought", () => {
    const subscriptions = [
      at("sub_a", 1, "canceled"),
      subscription({ id: "sub_b", created: 3, items: [item("p", { product: "prod_2" })] }),
      at("sub_c", 2, "active"),
    ];
    const products = [product("prod_2", "support")];
    const known = facts({ subscriptions, products });
    const listed = subscriptionStates(known, { entityId: "user_1" });
    expect(listed.map(({ subscriptionId, group }) => [subscriptionId, group])).toEqual([
      ["sub_b", "support"],
      ["sub_c", "main"],
      ["sub_a", "main"],
    ]);
  });
});

describe("past due", () => {
  const late = { subscriptions: [subscription({ status: "past_due" })] };
  const since = (START + 100) * 1000;
  const invoices = [invoice(START + 200), invoice(START + 100), invoice(START, "sub_2")];

  it("since the oldest open invoice was finalised", () => {
    expect(state({ ...late, invoices })).toMatchObject({ pastDueSince: since, access: true });
    expect(state({ ...late, invoices: [invoice(null)] })).toMatchObject({
      pastDueSince: (START + 1) * 1000,
    });
    expect(state(late)).toMatchObject({ pastDueSince: START * 1000 });
    expect(of({ status: "unpaid" }, { invoices })).toMatchObject({
      pastDueSince: since,
      access: false,
    });
    expect(of({ status: "active" }, { invoices })).toMatchObject({ pastDueSince: null });
  });
  it.each([
    ["until a record says that the grace is over", [lapse(since)], false],
    ["while the record says that it is not", [lapse(since, false)], true],
    ["whatever a record says of another time", [lapse(since - 1)], true],
    ["whatever is recorded of others", [{ ...lapse(since), id: "sub_2" }], true],
  ])("keeps access %s", (_, lapses, access) => {
    expect(state({ ...late, invoices, lapses })).toMatchObject({ access, pastDueSince: since });
  });
  it("always or never keeps access where the policy says so", () => {
    const over = { ...late, invoices, lapses: [lapse(since)] };
    expect(state(over, { policy: { past_due: true } }).access).toBe(true);
    expect(state(late, { policy: { past_due: false } }).access).toBe(false);
  });
  it("of an active subscription says nothing", () => {
    expect(state({ invoices, lapses: [lapse(since)] }).access).toBe(true);
  });
});

describe("a schedule", () => {
  const scheduled = (phases: readonly object[], more: object = {}, known = {}) =>
    of({ schedule: "sub_sched_1" }, { schedules: [schedule({ phases, ...more })], ...known });
  const now = phase(START, [{ price: "price_1", quantity: 1 }]);

  it("says what comes next, with its lookup key", () => {
    const phases = [now, phase(END, [{ price: "price_2", quantity: 4 }])];
    const prices = [price("price_2", { lookup_key: "yearly" })];
    expect(scheduled(phases, {}, { prices }).next).toEqual({
      at: END * 1000,
      plan: null,
      priceId: "price_2",
      lookupKey: "yearly",
      quantity: 4,
    });
  });
  it("says another quantity alone", () => {
    const phases = [now, phase(END, [{ price: "price_1", quantity: 2 }])];
    expect(scheduled(phases).next).toMatchObject({ priceId: "price_1", quantity: 2 });
  });
  it("says nothing where a coming phase is as it is now", () => {
    const same = phase(END, [{ price: "price_1", quantity: 1 }]);
    expect(scheduled([now, same]).next).toBeNull();
    const later = phase(END + 100, [{ price: "price_2", quantity: 1 }]);
    expect(scheduled([now, same, later]).next).toMatchObject({ at: (END + 100) * 1000 });
  });
  it("passes over phases that were, and over add-ons and metered prices", () => {
    const before = phase(START - 100, [{ price: "price_0", quantity: 9 }]);
    const coming = phase(END, [
      { price: "price_calls" },
      { price: "price_addon", quantity: 1 },
      { price: "price_2", quantity: 1 },
    ]);
    const items = [item("price_1"), item("price_addon")];
    const prices = [price("price_calls", { recurring: { usage_type: "metered" } })];
    const found = of(
      { schedule: "sub_sched_1", items },
      { schedules: [schedule({ phases: [before, now, coming] })], prices },
    );
    expect(found.next).toMatchObject({ priceId: "price_2", quantity: 1 });
  });
  it("counts only while it is in force", () => {
    const phases = [now, phase(END, [{ price: "price_2", quantity: 1 }])];
    for (const status of ["released", "canceled", "completed"]) {
      expect(scheduled(phases, { status }).next).toBeNull();
    }
    expect(scheduled(phases, { status: "not_started", current_phase: null }).next).not.toBeNull();
    expect(of({}, { schedules: [schedule({ phases })] }).next).toBeNull();
    const over = { status: "canceled", ended_at: START, schedule: "sub_sched_1" };
    expect(of(over, { schedules: [schedule({ phases })] }).next).toBeNull();
  });
  it("may end the subscription", () => {
    expect(scheduled([now], { end_behavior: "cancel" })).toMatchObject({
      endsAt: END * 1000,
      renewsAt: null,
    });
    expect(scheduled([now])).toMatchObject({ endsAt: null, renewsAt: END * 1000 });
  });
});
