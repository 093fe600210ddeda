// Gates over a small read: who has access, in which order, and what is refused.
import { describe, expect, it } from "vitest";
import { defineCatalogue, usd } from "../../../../src/catalogue/index.js";
import type { Held, HeldOptions } from "../../../../src/core/mirror/store.js";
import type { AnyCatalogue } from "../../../../src/core/plans/catalogue.js";
import { BillingError } from "../../../../src/core/runtime/errors.js";
import { gateReads } from "../../../../src/core/subscriptions/gates.js";
import { readHeld } from "../../../../src/core/subscriptions/held.js";
import { invoice, item, lapse, START, subscription } from "./kit.js";

const prices = { monthly: usd("20").monthly() };
const catalogue = defineCatalogue({
  app: "acme",
  features: { sso: "boolean", projects: "limit", calls: { meter: "calls" } },
  plans: {
    free: { name: "Free", default: true, features: { projects: 3 } },
    pro: { name: "Pro", prices, features: { sso: true, projects: 100, calls: { included: 5 } } },
    help: { name: "Help", group: "support", prices, features: { projects: "unlimited" } },
  },
});

type Described = { readonly metadata?: Held["products"][number]["metadata"] } & {
  readonly features?: readonly string[];
};
const held = (product: string, more: Partial<Held> & Described = {}): Held => {
  const { metadata = {}, features = [], ...rest } = more;
  const products = [{ id: product, metadata, features }];
  return { id: "sub_1", status: "active", created: 1, isLapsed: false, products, ...rest };
};

const gates = (all: readonly Held[], by?: AnyCatalogue, asked: HeldOptions[] = []) =>
  gateReads(
    {
      held: async (_, options = {}) => {
        asked.push(options);
        return all;
      },
    },
    by,
  );

describe("gates by a catalogue in code", () => {
  it("answer what the plan includes", async () => {
    const own = gates([held("acme_pro"), held("acme_help", { id: "sub_2" })], catalogue);
    expect(await own.planOf("e")).toBe("pro");
    expect(await own.planOf("e", { group: "support" })).toBe("help");
    expect(await own.planOf("e", { group: "none" })).toBeNull();
    expect(await own.can("e", "sso")).toBe(true);
    expect(await own.can("e", "calls")).toBe(true);
    expect(await own.limit("e", "projects")).toBe(Number.POSITIVE_INFINITY);
  });
  it("have the default plan for those without access", async () => {
    const lost = [
      held("acme_pro", { status: "past_due", isLapsed: true }),
      held("acme_pro", { status: "unpaid", id: "sub_2" }),
    ];
    for (const all of [[], lost]) {
      const own = gates(all, catalogue);
      expect(await own.planOf("e")).toBe("free");
      expect(await own.can("e", "sso")).toBe(false);
      expect(await own.limit("e", "projects")).toBe(3);
    }
  });
  it.each([
    [true, true, true],
    [false, false, false],
    [{ days: 14 }, false, true],
    [{ days: 14 }, true, false],
  ])(
    "with the policy %j, for one past due whose grace is over: %s",
    async (past_due, isLapsed, is) => {
      const { app, features, plans } = catalogue;
      const by = defineCatalogue({ app: app ?? "", features, plans, access: { past_due } });
      const own = gates([held("acme_pro", { status: "past_due", isLapsed })], by);
      expect(await own.can("e", "sso")).toBe(is);
    },
  );
  it("go by the newest subscription first, whatever the order in which they are read", async () => {
    const two = defineCatalogue({
      app: "acme",
      plans: { a: { name: "A", prices }, b: { name: "B", prices } },
    });
    const all = [held("acme_a", { id: "sub_1", created: 5 }), held("acme_b", { id: "sub_2" })];
    const tied = [held("acme_a", { id: "sub_1" }), held("acme_b", { id: "sub_2" })];
    for (const [each, plan] of [
      [all, "a"],
      [tied, "b"],
    ] as const) {
      expect(await gates(each, two).planOf("e")).toBe(plan);
      expect(await gates([...each].reverse(), two).planOf("e")).toBe(plan);
    }
  });
  it("refuse a feature that there is not, and one of another kind, before anything is read", async () => {
    const asked: HeldOptions[] = [];
    const own = gates([], catalogue, asked);
    for (const [call, text] of [
      [
        () => own.can("e", "ssso"),
        "The catalogue has no feature ssso. It has sso, projects, calls.",
      ],
      [
        () => own.can("e", "projects"),
        "The feature projects is a limit. Ask `limit` for its number.",
      ],
      [() => own.limit("e", "sso"), "The feature sso is no limit. Ask `can` for it."],
    ] as const) {
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BillingError);
      expect(error).toMatchObject({ code: "invalid_argument", message: text });
    }
    expect(asked).toEqual([]);
  });
  it("read no more than they need, and lock for a limit alone", async () => {
    const asked: HeldOptions[] = [];
    const own = gates([], catalogue, asked);
    await own.planOf("e");
    await own.can("e", "sso");
    await own.limit("e", "projects");
    expect(asked).toEqual([
      { described: false },
      { described: false, locked: false },
      { described: false, locked: true },
    ]);
  });
});

describe("gates without plans in code", () => {
  const metadata = { feature_sso: "true", feature_projects: "100", billing_plan: "gold" };
  const all = [
    held("prod_1", { metadata, features: ["chat", "audit"] }),
    held("prod_2", { id: "sub_2", metadata: { billing_group: "x", feature_projects: "5" } }),
  ];
  it.each([
    ["none", undefined],
    ["one without features", defineCatalogue({})],
    [
      "one with features alone",
      defineCatalogue({ features: { sso: "boolean", projects: "limit", chat: "boolean" } }),
    ],
  ])("read the metadata of products, and Stripe's features: %s", async (_, by) => {
    const asked: HeldOptions[] = [];
    const own = gates(all, by, asked);
    expect(await own.can("e", "sso")).toBe(true);
    expect(await own.can("e", "chat")).toBe(true);
    expect(await own.limit("e", "projects")).toBe(105);
    expect(await own.planOf("e")).toBe("gold");
    expect(await own.planOf("e", { group: "x" })).toBeNull();
    expect(asked.every(({ described }) => described)).toBe(true);
  });
  it("have nothing without access", async () => {
    const own = gates(all.map((each) => ({ ...each, status: "unpaid" })));
    expect(await own.can("e", "sso")).toBe(false);
    expect(await own.limit("e", "projects")).toBe(0);
    expect(await own.planOf("e")).toBeNull();
  });
  it("go by the metadata where both name a feature", async () => {
    const own = gates([held("p", { metadata: { feature_chat: "false" }, features: ["chat"] })]);
    expect(await own.can("e", "chat")).toBe(false);
  });
  it("take the plans of a catalogue without features, and the rest from products", async () => {
    const by = defineCatalogue({ app: "acme", plans: { pro: { name: "Pro", prices } } });
    const own = gates(
      [held("acme_pro", { metadata: { feature_sso: "true", billing_plan: "x" } })],
      by,
    );
    expect(await own.planOf("e")).toBe("pro");
    expect(await own.can("e", "sso")).toBe(true);
  });
});

describe("what is held", () => {
  const read = (
    status: string,
    known: {
      readonly lapses?: readonly ReturnType<typeof lapse>[];
      readonly invoices?: number[];
    } = {},
  ) => {
    const asked: string[] = [];
    const reads = {
      product: async (id: string) => ({ id, metadata: { name: id } }) as never,
      features: async () => [{ entitlement_feature: { lookup_key: "chat" } }] as never,
      lapse: async () => {
        asked.push("lapse");
        return known.lapses?.[0];
      },
      invoices: async () => {
        asked.push("invoices");
        return (known.invoices ?? []).map((at) => invoice(at));
      },
    };
    const subscriptions = [
      subscription({ status, items: [item("a"), item("b", { product: "p" })] }),
    ];
    return { asked, of: (described = false) => readHeld(subscriptions, reads, { described }) };
  };
  it("is what may give access", async () => {
    for (const status of ["unpaid", "incomplete", "canceled", "paused", "incomplete_expired"]) {
      expect(await read(status).of()).toEqual([]);
    }
    const { asked, of } = read("active");
    const products = ["prod_1", "p"].map((id) => ({ id, metadata: {}, features: [] }));
    const sub = { id: "sub_1", status: "active", created: START, isLapsed: false };
    expect(await of()).toEqual([{ ...sub, products }]);
    expect(asked).toEqual([]);
    const described = ["prod_1", "p"].map((id) => ({
      id,
      metadata: { name: id },
      features: ["chat"],
    }));
    expect(await of(true)).toEqual([{ ...sub, products: described }]);
  });
  it("is lapsed by the record of this very grace, and reads invoices only if there is one", async () => {
    const invoices = [START + 200, START + 100];
    const since = (START + 100) * 1000;
    for (const [lapses, isLapsed, reads] of [
      [[], false, ["lapse"]],
      [[lapse(since, false)], false, ["lapse"]],
      [[lapse(since)], true, ["lapse", "invoices"]],
      [[lapse(since - 1)], false, ["lapse", "invoices"]],
    ] as const) {
      const { asked, of } = read("past_due", { lapses, invoices });
      expect(await of()).toMatchObject([{ isLapsed }]);
      expect(asked).toEqual(reads);
    }
    expect(await read("past_due", { lapses: [lapse(START * 1000)] }).of()).toMatchObject([
      { isLapsed: true },
    ]);
  });
});
