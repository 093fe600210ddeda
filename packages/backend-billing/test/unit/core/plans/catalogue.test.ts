// What a catalogue may say: each thing that cannot be is refused when the file is loaded, with its
// place and what to change.
import { describe, expect, it } from "vitest";
import {
  CatalogueError,
  defineCatalogue,
  eur,
  type Features,
  type Packs,
  type Plans,
  usd,
} from "../../../../src/catalogue/index.js";

interface Loose {
  readonly app?: string;
  readonly features?: unknown;
  readonly plans?: unknown;
  readonly packs?: unknown;
  readonly access?: unknown;
  readonly taxBehavior?: unknown;
}

/** A definition as JavaScript would give it, past the types. */
function problems(definition: Loose): readonly string[] {
  try {
    defineCatalogue(definition as { features: Features; plans: Plans; packs: Packs });
  } catch (error) {
    if (error instanceof CatalogueError) return error.problems;
    throw error;
  }
  return [];
}

const pro = { name: "Pro", prices: { monthly: usd("20").monthly() } };
const features = {
  sso: "boolean",
  projects: "limit",
  tokens: "credits",
  calls: { meter: "api_calls" },
};
const plan = (more: object) => ({ app: "acme", features, plans: { pro: { ...pro, ...more } } });
const value = (feature: string, said: unknown) => plan({ features: { [feature]: said } });

describe("what a catalogue says", () => {
  it("is completed with the defaults, and has the keys of its prices", () => {
    const catalogue = defineCatalogue({
      app: "acme",
      features: { sso: "boolean", projects: { limit: "highest" }, calls: { meter: "api_calls" } },
      plans: {
        free: { name: "Free", default: true, features: { projects: 3 } },
        pro: {
          name: "Pro",
          prices: { monthly: usd("20").monthly(), yearly: usd("200").yearly() },
          trialDays: 14,
          features: {
            sso: true,
            projects: "unlimited",
            calls: { included: 50_000, overage: usd("0.0001"), cap: 500_000 },
          },
        },
        seats: { name: "Seats", group: "extra", prices: { m: usd("5").perSeat().monthly() } },
      },
      packs: { small: { name: "Small", price: usd("5"), credits: { calls: 100 } } },
    });
    expect(catalogue.keys.pro).toEqual({ monthly: "pro:monthly", yearly: "pro:yearly" });
    expect(catalogue.keys.free).toEqual({});
    expect(catalogue.access).toEqual({ past_due: { days: 14 } });
    expect(catalogue.isKey("pro:yearly")).toBe(true);
    expect(["pro:weekly", "pro", "free:", "constructor", null].map(catalogue.isKey)).toEqual(
      Array(5).fill(false),
    );
  });

  it("may leave out the prices of a retired plan, which its subscribers have", () => {
    const features = { calls: { included: 1, overage: usd("1") } };
    const old = { name: "Old", retired: true, trialDays: 7, features } as const;
    const made = defineCatalogue({
      app: "acme",
      features: { calls: { meter: "calls" } },
      plans: { old },
    });
    expect(made.keys).toEqual({ old: {} });
  });

  it("may be nothing but who keeps access", () => {
    const catalogue = defineCatalogue({ access: { past_due: false } });
    expect(catalogue).toMatchObject({ app: null, plans: {}, access: { past_due: false } });
  });

  const refused: readonly (readonly [Loose, string])[] = [
    [{ plans: { pro } }, "app: give the catalogue a name"],
    [{ app: "a b", plans: { pro } }, 'app: "a b" must have'],
    [{ app: "-a", plans: { pro } }, "app:"],
    [{ access: { past_due: { days: -1 } } }, "access.past_due.days: -1 must be"],
    [{ access: { past_due: { days: 366 } } }, "For more, `past_due: true` keeps access"],
    [{ taxBehavior: "none" }, "taxBehavior:"],
    [{ features: { "api calls": "boolean" } }, "features.api calls: a feature's name"],
    [{ features: { x: "number" } }, 'features.x: "number" is no kind of feature'],
    [{ features: { x: { limit: "most" } } }, "is no kind of feature"],
    [{ features: { x: { meter: "a b" } } }, "features.x.meter"],
    [{ features: { x: { meter: "a" }, y: { meter: "a" } } }, "features.y.meter"],
    [{ app: "acme", plans: { a_b: pro } }, "plans.a_b: its name in the catalogue"],
    [plan({ name: "" }), "plans.pro.name: give it a name"],
    [plan({ group: "a b" }), "plans.pro.group"],
    [plan({ prices: { "a:b": usd("1").monthly() } }), "plans.pro.prices.a:b: the name of a price"],
    [plan({ prices: { once: usd("1") } }), "plans.pro.prices.once: say how often it is charged"],
    [plan({ prices: { m: usd("1").every(37, "month") } }), "every 37 months is not possible"],
    [plan({ prices: { m: usd("1").every(0, "week") } }), "every 0 weeks is not possible"],
    [plan({ prices: { m: usd("0.001").monthly() } }), "0.1 of the smallest unit"],
    [plan({ prices: { m: usd("1000000").monthly() } }), "up to 99999999"],
    [plan({ trialDays: 0 }), "plans.pro.trialDays: 0 must be"],
    [plan({ trialDays: 731 }), "from 1 to 730"],
    [plan({ prices: undefined, trialDays: 7 }), "a plan without prices has no trial"],
    [plan({ default: true }), "plans.pro.default: entities have this plan without paying"],
    [plan({ prices: undefined, default: true, retired: true }), "plans.pro.retired"],
    [value("nope", true), "plans.pro.features.nope: there is no such feature"],
    [value("constructor", true), "there is no such feature"],
    [value("sso", 1), "plans.pro.features.sso: 1 must be true or false"],
    [value("projects", -1), "plans.pro.features.projects: -1 must be a whole number"],
    [value("projects", 1.5), "must be a whole number"],
    [value("tokens", 5), "plans.pro.features.tokens: write { included: 100 }"],
    [value("calls", 5), "plans.pro.features.calls: write { included: 1000 }"],
    [value("calls", { included: -1 }), "features.calls.included"],
    [value("calls", { included: 1, cap: 5 }), "features.calls.cap: without `overage`"],
    [value("calls", { included: 9, overage: usd("1"), cap: 5 }), "at least `included`"],
    [value("calls", { overage: eur("1") }), "it is in eur and the price monthly in usd"],
    [value("calls", { overage: usd("1").perSeat() }), "usage has no seats"],
    [
      plan({ prices: undefined, features: { calls: { overage: usd("1") } } }),
      "a plan without prices has no invoice",
    ],
    [
      { app: "a", plans: { x: { name: "X", default: true }, y: { name: "Y", default: true } } },
      "plans.y.default: x is the default of the plans already",
    ],
    [plan({ was: "pro" }), "plans.pro.was: it is the plan's own name"],
    [plan({ was: "a b" }), "plans.pro.was"],
    [{ app: "a", plans: { pro, old: { ...pro, was: "pro" } } }, "pro is a plan of this catalogue"],
    [{ app: "a", plans: { x: { ...pro, was: "z" }, y: { ...pro, was: "z" } } }, "z is what x was"],
    [{ app: "a", packs: { p: { name: "P", price: usd("1").monthly() } } }, "paid once"],
    [{ app: "a", packs: { p: { name: "P", price: usd("1").perSeat() } } }, "a pack has no seats"],
    [
      { app: "a", features, packs: { p: { name: "P", price: usd("1"), credits: { sso: 1 } } } },
      'packs.p.credits.sso: only "credits"',
    ],
    [
      { app: "a", features, packs: { p: { name: "P", price: usd("1"), credits: { calls: 0 } } } },
      "packs.p.credits.calls: 0 must be",
    ],
  ];
  it.each(refused)("refuses %j: %s", (definition, part) => {
    const found = problems(definition);
    expect(found.join("\n")).toContain(part);
    expect(found).toHaveLength(1);
  });

  it("refuses more features than the metadata of a product can hold", () => {
    const names = Array.from({ length: 41 }, (_, i) => `f${i}`);
    const all = Object.fromEntries(names.map((name) => [name, "boolean"]));
    const on = Object.fromEntries(names.map((name) => [name, true]));
    const [problem] = problems({
      app: "a",
      features: all,
      plans: { pro: { ...pro, features: on } },
    });
    expect(problem).toContain("Stripe can hold 40");
  });

  it("lists all problems at once", () => {
    const both = plan({ trialDays: 0, features: { sso: 1 } });
    expect(problems(both)).toHaveLength(2);
    expect(() => defineCatalogue(both as never)).toThrow(/^The catalogue has 2 problems:\n- plans/);
  });
});
