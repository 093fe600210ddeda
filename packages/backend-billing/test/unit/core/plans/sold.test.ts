import { describe, expect, it } from "vitest";
import { defineCatalogue, usd } from "../../../../src/catalogue/index.js";
import { isChoice, soldBy } from "../../../../src/core/plans/sold.js";

const prices = { monthly: usd("20").monthly(), yearly: usd("200").yearly() };
const catalogue = defineCatalogue({
  app: "acme",
  features: { calls: { meter: "calls" }, tokens: { meter: "tokens" }, sso: "boolean" },
  plans: {
    pro: {
      name: "Pro",
      prices,
      trialDays: 14,
      features: {
        sso: true,
        calls: { included: 5, overage: usd("0.01") },
        tokens: { included: 9 },
      },
    },
    old: { name: "Old", prices, retired: true },
    extra: { name: "Extra", group: "extras", prices },
  },
  packs: { small: { name: "Small", price: usd("5"), credits: { tokens: 100 } } },
});

describe("what a key sells", () => {
  it("is the plan's price, with what the plan bills by usage", () => {
    expect(soldBy(catalogue, "pro:yearly")).toEqual({
      key: "acme:pro:yearly",
      usage: ["acme:pro:yearly:calls"],
      trialDays: 14,
      isOwn: true,
    });
    expect(soldBy(catalogue, "small")).toMatchObject({ key: "acme:small", usage: [], isOwn: true });
  });

  it("is refused for a plan that is retired", () => {
    expect(soldBy(catalogue, "old:monthly").refusal).toContain("The plan old is retired");
  });

  it.each(["pro", "pro:weekly", "pro:yearly:calls", "constructor", "pro:constructor", "x:y", ""])(
    "is a key of Stripe's own if the catalogue has none such: %s",
    (key) => {
      expect(soldBy(catalogue, key)).toMatchObject({ key, usage: [], isOwn: false });
    },
  );

  it("is what people may change to, in the main group", () => {
    expect(isChoice(catalogue, "acme:pro:monthly")).toBe(true);
    for (const key of ["acme:old:monthly", "acme:extra:monthly", "acme:pro:weekly", null]) {
      expect(isChoice(catalogue, key)).toBe(false);
    }
    expect(isChoice(undefined, null)).toBe(true);
    expect(isChoice(defineCatalogue({}), "any")).toBe(true);
  });
});
