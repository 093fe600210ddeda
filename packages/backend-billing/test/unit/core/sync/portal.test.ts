// Which plans a portal offers, what it lets people do with them, and what counts as changed.
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { choicesOf, named, pricesNamed } from "../../../../src/core/sync/portal/plans.js";
import {
  changedFeatures,
  optionsOf,
  portalSettings,
} from "../../../../src/core/sync/portal/settings.js";

interface Made {
  readonly product?: string | object;
  readonly interval?: string;
  readonly count?: number;
  readonly usage?: string;
  readonly metadata?: object;
}

const PRODUCT = { id: "prod_1", active: true, metadata: {} };

const price = (id: string, { product, interval, count, usage, metadata }: Made = {}) =>
  ({
    id,
    active: true,
    metadata: metadata ?? {},
    product: product ?? PRODUCT,
    recurring: {
      interval: interval ?? "month",
      interval_count: count ?? 1,
      usage_type: usage ?? "licensed",
    },
  }) as unknown as Stripe.Price;

const choice = (...prices: string[]) => ({
  product: "prod_1",
  prices,
  adjustable_quantity: { enabled: true },
});
const seats = { metadata: { billing_per_seat: "true" } };

it.each(["null", "7", "{", "[]", '{"features":null}', '{"features":"all"}'])(
  "options that another role has written as %s are none",
  (stored) => {
    expect(optionsOf(stored)).toEqual({});
  },
);

describe("the plans of a portal", () => {
  it.each([
    ["a price", [price("a")], [choice("a")]],
    [
      "of each interval the newest",
      [price("new"), price("old"), price("year", { interval: "year" }), price("q", { count: 3 })],
      [choice("new", "year", "q")],
    ],
    [
      "the default price before a newer one",
      ["new", "chosen", "old"].map((id) =>
        price(id, { product: { ...PRODUCT, default_price: "chosen" } }),
      ),
      [choice("chosen")],
    ],
    [
      "the default price, shown whole",
      ["new", "chosen"].map((id) =>
        price(id, { product: { ...PRODUCT, default_price: { id: "chosen" } } }),
      ),
      [choice("chosen")],
    ],
    [
      "no number to choose for a price per seat",
      [price("a", seats), price("b", { interval: "year" })],
      [{ ...choice("a", "b"), adjustable_quantity: { enabled: false } }],
    ],
    [
      "no number to choose for a product per seat",
      [price("a", { product: { ...PRODUCT, ...seats } })],
      [{ ...choice("a"), adjustable_quantity: { enabled: false } }],
    ],
    [
      "nothing of another group's product",
      [
        price("more", { product: { ...PRODUCT, metadata: { billing_group: "extras" } } }),
        price("a", { product: { ...PRODUCT, metadata: { billing_group: "main" } } }),
      ],
      [choice("a")],
    ],
    ["no metered price", [price("a", { usage: "metered" })], []],
    ["nothing of an archived product", [price("a", { product: { id: "p", active: false } })], []],
    ["nothing of a product that was not shown", [price("a", { product: "prod_1" })], []],
    ["nothing that `sells` refuses", [price("theirs"), price("ours")], [choice("ours")]],
    ["nothing", [], []],
  ])("%s", (_, prices, expected) => {
    expect(choicesOf(prices, { sells: ({ id }) => id !== "theirs" })).toEqual(expected);
  });

  it("have a text, from which the prices can be read again", () => {
    const two = [choice("b", "a"), { ...choice("c"), product: "prod_2" }];
    expect(named(two)).toBe("prod_1 a b,prod_2 c");
    expect(named([...two].reverse())).toBe(named(two));
    expect(pricesNamed(named(two))).toEqual(["a", "b", "c"]);
    expect(pricesNamed("")).toEqual([]);
    const perSeat = { ...choice("a"), adjustable_quantity: { enabled: false } };
    expect(named([perSeat])).not.toBe(named([choice("a")]));
  });
});

describe("the settings of a portal", () => {
  it("let people change plans and numbers, and end with the period", () => {
    expect(portalSettings([choice("a")], {})).toEqual({
      metadata: { "backend-billing": "managed" },
      features: {
        customer_update: { enabled: true, allowed_updates: ["email", "address"] },
        invoice_history: { enabled: true },
        payment_method_update: { enabled: true },
        subscription_cancel: { enabled: true, mode: "at_period_end" },
        subscription_update: {
          enabled: true,
          default_allowed_updates: ["price", "quantity"],
          proration_behavior: "always_invoice",
          trial_update_behavior: "continue_trial",
          schedule_at_period_end: {
            conditions: [{ type: "decreasing_item_amount" }, { type: "shortening_interval" }],
          },
          products: [choice("a")],
        },
      },
    });
  });

  it("say nothing of plans where there are none", () => {
    expect(portalSettings(undefined, {}).features.subscription_update).toBeUndefined();
  });

  it("are the caller's where given, a feature at a time", () => {
    const products = [{ product: "prod_9", prices: ["z"] }];
    const { features, metadata, name } = portalSettings(undefined, {
      name: "Ours",
      metadata: { team: "billing" },
      features: {
        subscription_cancel: { enabled: true, mode: "immediately" },
        subscription_update: { enabled: true, proration_behavior: "none", products },
        invoice_history: { enabled: false },
      },
    });
    expect([name, metadata]).toEqual(["Ours", { team: "billing", "backend-billing": "managed" }]);
    expect(features).toMatchObject({
      subscription_cancel: { enabled: true, mode: "immediately" },
      subscription_update: {
        proration_behavior: "none",
        trial_update_behavior: "continue_trial",
        products,
      },
      invoice_history: { enabled: false },
      payment_method_update: { enabled: true },
    });
    const off = { subscription_update: { enabled: false } };
    expect(portalSettings([choice("a")], { features: off }).features).toMatchObject(off);
  });
});

describe("a change at Stripe", () => {
  const wanted = portalSettings([choice("a")], {}).features;
  const shown = (extra: object = {}) =>
    ({
      ...structuredClone(wanted),
      subscription_update: {
        ...wanted.subscription_update,
        products: undefined,
        billing_cycle_anchor: "unchanged",
      },
      ...extra,
    }) as unknown as Stripe.BillingPortal.Configuration["features"];

  it.each([
    ["nothing", shown(), []],
    [
      "the order of a list is none",
      shown({ customer_update: { enabled: true, allowed_updates: ["address", "email"] } }),
      [],
    ],
    [
      "a list that is longer",
      shown({ customer_update: { enabled: true, allowed_updates: ["address", "email", "name"] } }),
      ["customer_update"],
    ],
    [
      "a feature that was switched off",
      shown({ invoice_history: { enabled: false } }),
      ["invoice_history"],
    ],
    [
      "when a change is made",
      shown({
        subscription_update: {
          ...wanted.subscription_update,
          schedule_at_period_end: { conditions: [] },
        },
      }),
      ["subscription_update"],
    ],
    ["a feature that is gone", shown({ subscription_cancel: undefined }), ["subscription_cancel"]],
  ])("%s", (_, found, changed) => {
    expect(changedFeatures(wanted, found)).toEqual(changed);
  });
});
