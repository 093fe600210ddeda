// The pure plan, over an account of plain objects that earlier plans were applied to.
import { describe, expect, it } from "vitest";
import type { AnyCatalogue } from "../../../src/catalogue/index.js";
import { defineCatalogue, usd } from "../../../src/catalogue/index.js";
import { desiredOf } from "../../../src/push/desired.js";
import type { Observed, ObservedPrice, ObservedProduct } from "../../../src/push/observed.js";
import type { Operation } from "../../../src/push/operations.js";
import { planOf } from "../../../src/push/plan.js";
import { after, edit } from "./account.js";

const EMPTY: Observed = { products: [], prices: [], meters: [], subscribed: new Set() };

const catalogue = (amount = "20", more: object = {}) =>
  defineCatalogue({
    app: "acme",
    features: { sso: "boolean", calls: { meter: "calls" } },
    plans: {
      pro: {
        name: "Pro",
        prices: { monthly: usd(amount).monthly(), yearly: usd("200").yearly() },
        features: { sso: true, calls: { included: 5, overage: usd("0.001") } },
        ...more,
      },
    },
  });

const plan = (wanted: AnyCatalogue, observed: Observed, overwrites = false) =>
  planOf(desiredOf(wanted, "acme"), observed, { overwrites });

const pushed = (wanted: AnyCatalogue, observed = EMPTY, overwrites = false): Observed =>
  plan(wanted, observed, overwrites).operations.reduce(after, observed);

const steps = ({ operations }: { readonly operations: readonly Operation[] }) =>
  operations.map((each) => {
    if (each.do === "create_price" || each.do === "update_price") return `${each.do} ${each.key}`;
    if (each.do === "archive_price") return `${each.do} ${each.id}`;
    return each.do === "set_default" ? `${each.do} ${each.product}` : each.do;
  });

const heldBy = ({ prices }: Observed, key: string) => prices.find((each) => each.key === key)?.id;

describe("a plan of push", () => {
  it("makes everything in an empty account, in an order that Stripe takes", () => {
    expect(steps(plan(catalogue(), EMPTY))).toEqual([
      "create_meter",
      "create_product",
      "create_price acme:pro:monthly",
      "create_price acme:pro:yearly",
      "create_price acme:pro:monthly:calls",
      "create_price acme:pro:yearly:calls",
      "set_default acme_pro",
    ]);
  });

  it("is empty after it was done", () => {
    const { operations, drift, conflicts } = plan(catalogue(), pushed(catalogue()));
    expect({ operations, drift, conflicts }).toEqual({ operations: [], drift: [], conflicts: [] });
  });

  it("replaces a price whose amount changes: key, then default, then archive", () => {
    expect(steps(plan(catalogue("25"), pushed(catalogue())))).toEqual([
      "create_price acme:pro:monthly",
      "set_default acme_pro",
      "archive_price price_0",
    ]);
  });

  it("goes back to the price that was, with no new one", () => {
    const back = plan(catalogue(), pushed(catalogue("25"), pushed(catalogue())));
    expect(steps(back)).toEqual([
      "update_price acme:pro:monthly",
      "set_default acme_pro",
      "archive_price price_4",
    ]);
  });

  it("takes a price by the seat for another one, because its subscribers would pay otherwise", () => {
    const seats = catalogue("20", { prices: { monthly: usd("20").perSeat().monthly() } });
    const made = pushed(catalogue("20", { prices: { monthly: usd("20").monthly() } }));
    expect(steps(plan(seats, made))).toEqual([
      "create_price acme:pro:monthly",
      "set_default acme_pro",
      "archive_price price_0",
    ]);
  });

  it("ends, wherever it is interrupted, in the same place", () => {
    const before = pushed(catalogue());
    const { operations } = plan(catalogue("25"), before);
    for (let done = 0; done <= operations.length; done += 1) {
      const halfway = operations.slice(0, done).reduce(after, before);
      const end = pushed(catalogue("25"), halfway);
      expect(plan(catalogue("25"), halfway).drift).toEqual([]);
      expect(end).toEqual(pushed(catalogue("25"), before));
    }
  });

  it("keeps the product and the prices of a plan with a new name, and moves their keys", () => {
    const { pro } = catalogue().plans;
    const renamed = defineCatalogue({
      ...{ app: "acme", features: catalogue().features },
      plans: { team: { ...pro, was: "pro" } },
    });
    const made = pushed(catalogue());
    expect(steps(plan(renamed, made))).toEqual([
      "update_product",
      "update_price acme:team:monthly",
      "update_price acme:team:yearly",
      "update_price acme:team:monthly:calls",
      "update_price acme:team:yearly:calls",
    ]);
    const end = pushed(renamed, made);
    expect(heldBy(end, "acme:team:monthly")).toBe(heldBy(made, "acme:pro:monthly"));
    expect(plan(renamed, end).operations).toEqual([]);
  });

  it("lets two plans change their names with each other", () => {
    const named = (first: string, second: string) =>
      defineCatalogue({
        app: "acme",
        plans: {
          [first]: { name: "X", was: "x", prices: { monthly: usd("1").monthly() } },
          [second]: { name: "Y", was: "y", prices: { monthly: usd("2").monthly() } },
        },
      });
    const end = pushed(named("b", "a"), pushed(named("a", "b")));
    expect(plan(named("b", "a"), end)).toMatchObject({ operations: [], drift: [] });
    const byProduct = end.prices.map(({ product, key, active }) => [product, key, active]);
    expect(byProduct).toEqual([
      ["acme_x", "acme:b:monthly", true],
      ["acme_y", "acme:a:monthly", true],
    ]);
  });

  it("archives the product of a retired plan, and touches none of its prices", () => {
    const made = pushed(catalogue());
    const retired = pushed(catalogue("99", { retired: true }), made);
    expect(retired.products).toMatchObject([{ id: "acme_pro", active: false }]);
    expect(retired.prices).toEqual(made.prices);
    expect(plan(catalogue("99", { retired: true }), retired).operations).toEqual([]);
  });

  it("refuses to drop a plan with subscribers, and puts away one without", () => {
    const none = defineCatalogue({ app: "acme" });
    const made = pushed(catalogue());
    const refused = plan(none, { ...made, subscribed: new Set(["acme_pro"]) });
    expect(refused.operations).toEqual([]);
    expect(refused.conflicts).toMatchObject([{ place: "plans.pro", id: "acme_pro" }]);
    expect(refused.conflicts[0]?.message).toMatch(/retired: true.*was: "pro"/);
    const end = pushed(none, made);
    expect(end.products).toMatchObject([{ active: false, defaultPrice: null }]);
    expect(end.prices.every(({ active }) => !active)).toBe(true);
    expect(plan(none, end).operations).toEqual([]);
    expect(plan(catalogue(), pushed(catalogue(), end)).operations).toEqual([]);
  });

  it("refuses a retired plan with subscribers that leaves, too", () => {
    const retired = pushed(catalogue("20", { retired: true }), pushed(catalogue()));
    const subscribed = new Set(["acme_pro"]);
    const left = plan(defineCatalogue({ app: "acme" }), { ...retired, subscribed });
    expect(left.conflicts).toHaveLength(1);
  });
});

describe("what was edited by hand", () => {
  const made = pushed(catalogue());
  const monthly = String(heldBy(made, "acme:pro:monthly"));
  const cases: readonly [string, Observed][] = [
    ["a name", edit<ObservedProduct>(made, "acme_pro", () => ({ name: "Best" }))],
    ["a product archived", edit<ObservedProduct>(made, "acme_pro", () => ({ active: false }))],
    [
      "a feature",
      edit<ObservedProduct>(made, "acme_pro", ({ metadata }) => ({
        metadata: { ...metadata, feature_sso: "false" },
      })),
    ],
    [
      "the default price",
      edit<ObservedProduct>(made, "acme_pro", () => ({
        defaultPrice: heldBy(made, "acme:pro:yearly") ?? null,
      })),
    ],
    ["a price archived", edit<ObservedPrice>(made, monthly, () => ({ active: false }))],
    ["a key removed", edit<ObservedPrice>(made, monthly, () => ({ key: null }))],
    [
      "a key moved to another price",
      edit<ObservedPrice>(
        edit<ObservedPrice>(made, monthly, () => ({ key: null })),
        "price_1",
        () => ({ key: "acme:pro:monthly" }),
      ),
    ],
    [
      "the mark of seats",
      edit<ObservedPrice>(made, monthly, ({ metadata }) => ({
        metadata: { ...metadata, billing_per_seat: "true" },
      })),
    ],
  ];

  it.each(cases)("is shown, not overwritten: %s", (_, edited) => {
    const seen = plan(catalogue(), edited);
    expect(seen.drift.length).toBeGreaterThan(0);
    expect(seen.operations).toEqual([]);
    const still = pushed(catalogue(), edited);
    expect(plan(catalogue(), still).drift.length).toBeGreaterThan(0);
  });

  it.each(cases)("is overwritten when that is asked for: %s", (_, edited) => {
    const end = pushed(catalogue(), edited, true);
    const { operations, drift, conflicts } = plan(catalogue(), pushed(catalogue(), end));
    expect({ operations, drift, conflicts }).toEqual({ operations: [], drift: [], conflicts: [] });
    expect(end.products).toMatchObject([{ name: "Pro", active: true }]);
    expect(end.prices.filter(({ active }) => active)).toHaveLength(4);
  });

  it("is no drift if it is what the catalogue says: it is only recorded", () => {
    const edited = edit<ObservedProduct>(made, "acme_pro", () => ({ name: "Best" }));
    const wanted = catalogue("20", { name: "Best" });
    expect(steps(plan(wanted, edited))).toEqual(["update_product"]);
    expect(plan(wanted, pushed(wanted, edited))).toMatchObject({ operations: [], drift: [] });
  });

  it("is left alone where push manages nothing: other metadata, other prices", () => {
    const noted = edit<ObservedProduct>(made, "acme_pro", ({ metadata }) => ({
      metadata: { ...metadata, colour: "red" },
    }));
    const [first] = made.prices;
    if (first === undefined) throw new Error("There is no price");
    const byHand = { ...first, id: "price_hand", key: null, metadata: {} };
    const seen = plan(catalogue(), { ...noted, prices: [...noted.prices, byHand] });
    expect(seen).toMatchObject({ operations: [], drift: [] });
    expect(seen.unmanaged).toMatchObject([{ object: "price", id: "price_hand" }]);
  });

  it("of an old price that is active again is shown", () => {
    const changed = pushed(catalogue("25"), made);
    const edited = edit<ObservedPrice>(changed, monthly, () => ({ active: true }));
    expect(plan(catalogue("25"), edited)).toMatchObject({
      operations: [],
      drift: [{ object: "price", id: monthly }],
    });
  });
});

describe("what is not the application's", () => {
  const foreign: ObservedProduct = {
    ...{ id: "acme_pro", name: "Theirs", active: true, defaultPrice: null },
    metadata: { billing_app: "other" },
  };

  it("is never taken: a product", () => {
    for (const metadata of [{ billing_app: "other" }, {}]) {
      const observed = { ...EMPTY, products: [{ ...foreign, metadata }] };
      const seen = plan(catalogue(), observed, true);
      expect(steps(seen)).toEqual(["create_meter"]);
      expect(seen.conflicts).toMatchObject([{ place: "plans.pro", id: "acme_pro" }]);
    }
  });

  it("is never taken: a lookup key", () => {
    const [price] = pushed(catalogue()).prices;
    if (price === undefined) throw new Error("There is no price");
    const theirs = { ...foreign, id: "prod_theirs" };
    const held = { ...price, product: theirs.id, metadata: {} };
    const observed = { ...EMPTY, products: [theirs], prices: [held] };
    const seen = plan(catalogue(), observed, true);
    expect(steps(seen)).not.toContain("create_price acme:pro:monthly");
    expect(steps(seen)).toContain("create_price acme:pro:yearly");
    expect(seen.conflicts).toMatchObject([{ id: price.id }]);
    expect(seen.unmanaged).toMatchObject([{ id: "prod_theirs", app: "other" }]);
  });

  it("is used if it fits: a meter; and awoken if it sleeps", () => {
    const meter = { id: "mtr_calls", eventName: "calls", active: true, isPlain: true };
    expect(steps(plan(catalogue(), { ...EMPTY, meters: [meter] }))).not.toContain("create_meter");
    const asleep = plan(catalogue(), { ...EMPTY, meters: [{ ...meter, active: false }] });
    expect(steps(asleep)[0]).toBe("reactivate_meter");
    const other = plan(catalogue(), { ...EMPTY, meters: [{ ...meter, isPlain: false }] });
    expect(other.conflicts).toMatchObject([{ place: "features.calls" }]);
    expect(steps(other)).not.toContain("create_price acme:pro:monthly:calls");
  });
});
