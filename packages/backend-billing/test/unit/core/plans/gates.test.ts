import { describe, expect, it } from "vitest";
import { defineCatalogue, usd } from "../../../../src/catalogue/index.js";
import {
  checkFeature,
  type Granted,
  grantedBy,
  isOn,
  limitOf,
  planFor,
} from "../../../../src/core/plans/gates.js";
import { featureMetadata, valuesIn } from "../../../../src/core/plans/metadata.js";
import { ownKey, planOfProduct } from "../../../../src/core/plans/names.js";

const prices = { monthly: usd("20").monthly() };
const catalogue = defineCatalogue({
  app: "acme",
  features: {
    sso: "boolean",
    projects: "limit",
    members: { limit: "highest" },
    calls: { meter: "api_calls" },
  },
  plans: {
    free: { name: "Free", default: true, features: { projects: 3, members: 1 } },
    pro: {
      name: "Pro",
      prices,
      features: { sso: true, projects: 100, members: 10, calls: { overage: usd("0.01") } },
    },
    business: { name: "Business", was: "team", prices, features: { projects: 50, members: 50 } },
    more: { name: "More", group: "extra", prices, features: { projects: 20, members: 2 } },
    all: { name: "All", group: "all", prices, features: { projects: "unlimited" } },
  },
});
const granted = (...products: string[]) => grantedBy(catalogue, products);

describe("gates by a catalogue", () => {
  it("knows a plan by its product, under the name that it had at first", () => {
    expect(planOfProduct(catalogue, "acme_pro")).toBe("pro");
    expect(planOfProduct(catalogue, "acme_team")).toBe("business");
    expect(planOfProduct(catalogue, "acme_business")).toBeUndefined();
    expect(planOfProduct(catalogue, "other_pro")).toBeUndefined();
    expect(planOfProduct(catalogue, "acme_constructor")).toBeUndefined();
  });

  it("answers the plan of a group, else its default, else null", () => {
    expect(planFor(catalogue, [])).toBe("free");
    expect(planFor(catalogue, ["acme_pro", "acme_team"])).toBe("pro");
    expect(planFor(catalogue, ["acme_more"])).toBe("free");
    expect(planFor(catalogue, ["acme_more"], "extra")).toBe("more");
    expect(planFor(catalogue, ["acme_pro"], "extra")).toBeNull();
  });

  it("gives the default plan where no other of its group is held", () => {
    expect(limitOf(granted(), "projects", "limit")).toBe(3);
    expect(limitOf(granted("acme_pro"), "projects", "limit")).toBe(100);
    expect(isOn(granted(), "sso")).toBe(false);
    expect(isOn(granted("acme_pro"), "sso")).toBe(true);
    expect(isOn(granted("acme_pro"), "calls")).toBe(true);
    expect(isOn(granted("acme_team"), "calls")).toBe(false);
  });

  it("takes the highest in a group, and adds up over groups unless the highest counts", () => {
    const held = granted("acme_pro", "acme_team", "acme_more", "prod_of_another");
    expect(limitOf(held, "projects", "limit")).toBe(120);
    expect(limitOf(held, "members", { limit: "highest" })).toBe(50);
    expect(limitOf(granted("acme_more"), "projects", "limit")).toBe(23);
    expect(limitOf(granted("acme_all"), "projects", "limit")).toBe(Number.POSITIVE_INFINITY);
    expect(limitOf(granted("acme_all"), "members", { limit: "highest" })).toBe(1);
  });

  it("says which features there are, and of which kind", () => {
    expect(checkFeature(catalogue, "sso", "can")).toBeUndefined();
    expect(checkFeature(catalogue, "calls", "can")).toBeUndefined();
    expect(checkFeature(catalogue, "projects", "limit")).toBeUndefined();
    expect(checkFeature(catalogue, "ssso", "can")).toContain("has no feature ssso");
    expect(checkFeature(catalogue, "sso", "limit")).toContain("Ask `can`");
    expect(checkFeature(catalogue, "projects", "can")).toContain("Ask `limit`");
    expect(checkFeature(defineCatalogue({}), "anything", "can")).toBeUndefined();
  });

  it("writes keys as the application does", () => {
    expect(ownKey(catalogue, "acme:pro:monthly")).toBe("pro:monthly");
    expect(ownKey(catalogue, "other:pro:monthly")).toBe("other:pro:monthly");
    expect(ownKey(undefined, "acme:pro:monthly")).toBe("acme:pro:monthly");
    expect(ownKey(catalogue, null)).toBeNull();
  });
});

describe("gates by metadata", () => {
  it("reads what was written", () => {
    for (const { features = {} } of Object.values(catalogue.plans)) {
      expect(JSON.stringify(valuesIn(featureMetadata(features)))).toBe(
        JSON.stringify(
          Object.fromEntries(
            Object.entries(features).map(([name, value]) => [
              name,
              typeof value === "object" ? { included: 0, ...value } : value,
            ]),
          ),
        ),
      );
    }
  });

  it("leaves out what cannot be read", () => {
    const values = valuesIn({
      feature_sso: "yes",
      feature_projects: "1.5",
      other: "true",
      feature_x: " true ",
    });
    expect(values).toEqual({ x: true });
    const held: readonly Granted[] = [{ group: "main", values }];
    expect(isOn(held, "x")).toBe(true);
    expect(isOn(held, "sso")).toBe(false);
  });
});
