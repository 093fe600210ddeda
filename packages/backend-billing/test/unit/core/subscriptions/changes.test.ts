// Which items a change alters, which request goes out, and what takes back what is scheduled.
import { describe, expect, it } from "vitest";
import { isPerSeat } from "../../../../src/core/catalogue/seats.js";
import { BillingError } from "../../../../src/core/runtime/errors.js";
import {
  changesInterval,
  type Item,
  itemChanges,
  type Products,
  type Wanted,
} from "../../../../src/core/subscriptions/terms/items.js";
import {
  laterParams,
  mayTouch,
  quantityParams,
  type Schedule,
} from "../../../../src/core/subscriptions/terms/schedule.js";
import {
  cancelSteps,
  type Ending,
  isEnding,
  resumeSteps,
} from "../../../../src/core/subscriptions/terms/steps.js";
import {
  billsNow,
  type Standing,
  updateParams,
} from "../../../../src/core/subscriptions/terms/update.js";

type Price = Item["price"];

const recurring = (interval: string, meter: string | null = null) =>
  ({
    interval,
    interval_count: 1,
    usage_type: meter === null ? "licensed" : "metered",
    meter,
  }) as Price["recurring"];
const price = (id: string, product: string, more: Partial<Price> = {}): Price => ({
  id,
  product,
  metadata: {},
  recurring: recurring("month"),
  ...more,
});

const basic = price("basic", "prod_basic");
const pro = price("pro", "prod_pro");
const yearly = price("pro_year", "prod_pro", { recurring: recurring("year") });
const support = price("support", "addon_support");
const seat = price("seat", "prod_seat", { metadata: { billing_per_seat: "true" } });
const basicCalls = price("basic_calls", "prod_basic", { recurring: recurring("month", "calls") });
const proCalls = price("pro_calls", "prod_pro", { recurring: recurring("month", "calls") });
const yearlyCalls = price("year_calls", "prod_pro", { recurring: recurring("year", "calls") });
const item = (of: Price, quantity?: number): Item => ({ id: `si_${of.id}`, price: of, quantity });
const products: Products = {
  isInGroup: (id) => !id.startsWith("addon"),
  isPerSeat: (price) => isPerSeat(price, undefined),
};

describe("items", () => {
  const one = [item(basic, 3)];
  const metered = [item(basic, 2), item(basicCalls)];
  it.each<[string, readonly Item[], Wanted, object[]]>([
    ["keep their quantity", one, { price: pro }, [{ id: "si_basic", price: "pro", quantity: 3 }]],
    [
      "take another",
      one,
      { price: pro, quantity: 1 },
      [{ id: "si_basic", price: "pro", quantity: 1 }],
    ],
    ["keep their price", one, { quantity: 5 }, [{ id: "si_basic", price: "basic", quantity: 5 }]],
    ["may be so already", one, { price: basic }, []],
    [
      "of add-ons stay",
      [item(support, 9), ...one],
      { price: pro },
      [{ id: "si_basic", price: "pro", quantity: 3 }],
    ],
    [
      "of the same product first",
      [item(pro, 2), ...one],
      { price: yearly },
      [{ id: "si_pro", price: "pro_year", quantity: 2 }],
    ],
    [
      "per seat first",
      [item(basic, 1), item(seat, 4)],
      { quantity: 6 },
      [{ id: "si_seat", price: "seat", quantity: 6 }],
    ],
    [
      "per seat are one of a plan that is not",
      [item(seat, 4)],
      { price: pro, isPerSeat: false },
      [{ id: "si_seat", price: "pro", quantity: 1 }],
    ],
    [
      "per seat keep their number where both plans are",
      [item(seat, 4)],
      { price: pro, isPerSeat: true },
      [{ id: "si_seat", price: "pro", quantity: 4 }],
    ],
    [
      "that are named",
      [item(basic, 1), item(pro, 1)],
      { quantity: 6, itemId: "si_pro" },
      [{ id: "si_pro", price: "pro", quantity: 6 }],
    ],
    [
      "of a meter follow",
      metered,
      { price: pro, metered: [proCalls] },
      [
        { id: "si_basic", price: "pro", quantity: 2 },
        { id: "si_basic_calls", price: "pro_calls" },
      ],
    ],
    [
      "of a meter that the new plan lacks go",
      metered,
      { price: pro },
      [
        { id: "si_basic", price: "pro", quantity: 2 },
        { id: "si_basic_calls", deleted: true },
      ],
    ],
    [
      "of a meter stay where one item is named",
      metered,
      { price: pro, itemId: "si_basic" },
      [{ id: "si_basic", price: "pro", quantity: 2 }],
    ],
    [
      "of a meter follow to the new interval",
      [item(pro, 1), item(proCalls)],
      { price: yearly, metered: [proCalls, yearlyCalls] },
      [
        { id: "si_pro", price: "pro_year", quantity: 1 },
        { id: "si_pro_calls", price: "year_calls" },
      ],
    ],
    [
      "that the new plan is sold with are added",
      one,
      { price: yearly, metered: [proCalls, yearlyCalls], isWhole: true },
      [{ id: "si_basic", price: "pro_year", quantity: 3 }, { price: "year_calls" }],
    ],
    [
      "that the new plan is sold with are not added twice",
      metered,
      { price: pro, metered: [proCalls, yearlyCalls], isWhole: true },
      [
        { id: "si_basic", price: "pro", quantity: 2 },
        { id: "si_basic_calls", price: "pro_calls" },
      ],
    ],
    [
      "of a meter stay with the product",
      [item(pro, 1), item(proCalls)],
      { price: yearly },
      [{ id: "si_pro", price: "pro_year", quantity: 1 }],
    ],
  ])("%s", (_, items, wanted, changes) => {
    expect(itemChanges(items, wanted, products)).toEqual(changes);
  });

  it.each<[string, readonly Item[], Wanted]>([
    ["several plans", [item(basic, 1), item(pro, 1)], { price: seat }],
    ["several quantities", [item(basic, 1), item(pro, 1)], { quantity: 2 }],
    ["an item of nobody's", [item(basic, 1)], { quantity: 2, itemId: "si_none" }],
    ["nothing licensed", [item(basicCalls)], { quantity: 2 }],
    ["a quantity of usage", [item(basicCalls)], { quantity: 2, itemId: "si_basic_calls" }],
    ["two prices of one meter", metered, { price: pro, metered: [proCalls, proCalls] }],
  ])("%s are refused", (_, items, wanted) => {
    expect(() => itemChanges(items, wanted, products)).toThrow(BillingError);
  });

  it.each<[string, readonly Price[], readonly Price[], boolean]>([
    ["month to month", [basic], [pro], false],
    ["month to year", [pro], [yearly], true],
    [
      "twelve months to a year",
      [
        price("m", "p", {
          recurring: { ...recurring("month"), interval_count: 12 } as Price["recurring"],
        }),
      ],
      [yearly],
      false,
    ],
    ["mixed intervals", [pro, yearly], [basic, yearly], false],
  ])("%s begins a new period: see", (_, before, after, changes) => {
    const of = (prices: readonly Price[]) => prices.map((each) => ({ price: each }));
    expect(changesInterval(of(before), of(after))).toBe(changes);
  });
});

describe("the request", () => {
  const standing: Standing = {
    status: "active",
    collection_method: "charge_automatically",
    items: { data: [item(basic, 1)] },
    isScheduled: false,
  };
  const changes = [{ id: "si_basic", price: "pro", quantity: 1 }];
  const always = { proration: "always_invoice" } as const;
  it.each<[string, Partial<Standing>, Parameters<typeof updateParams>[2], string]>([
    ["waits until it is paid", {}, always, "pending_if_incomplete"],
    [
      "does not where invoices are sent",
      { collection_method: "send_invoice" },
      always,
      "error_if_incomplete",
    ],
    [
      "does not with usage, which could be lost",
      { items: { data: [item(basic, 1), item(basicCalls)] } },
      always,
      "error_if_incomplete",
    ],
    [
      "does not with phases ahead, which would overtake it",
      { isScheduled: true },
      always,
      "error_if_incomplete",
    ],
    [
      "does not where nothing is billed now",
      {},
      { proration: "create_prorations" },
      "error_if_incomplete",
    ],
  ])("%s", (_, more, terms, payment_behavior) => {
    expect(updateParams({ ...standing, ...more }, changes, terms)).toEqual({
      items: changes,
      proration_behavior: terms.proration,
      payment_behavior,
    });
  });

  it("names the moment of a quote, unless nothing is prorated", () => {
    const dated = (proration: "always_invoice" | "none") =>
      updateParams(standing, changes, { proration, prorationDate: 7 }).proration_date;
    expect([dated("always_invoice"), dated("none")]).toEqual([7, undefined]);
  });

  it.each([
    ["active", "always_invoice", pro, true],
    ["active", "create_prorations", pro, false],
    ["active", "none", yearly, true],
    ["trialing", "always_invoice", yearly, false],
  ] as const)("%s with %s bills at once: see", (status, proration, to, bills) => {
    expect(billsNow({ ...standing, status }, [{ price: to }], proration)).toBe(bills);
  });
});

const phase = (start: number, end: number, of: string, quantity: number) =>
  ({
    add_invoice_items: [
      {
        price: "extra",
        quantity: 1,
        discounts: [],
        metadata: null,
        period: {},
        discountable: null,
      },
    ],
    application_fee_percent: null,
    billing_cycle_anchor: null,
    billing_thresholds: null,
    collection_method: "send_invoice",
    currency: "usd",
    default_payment_method: "pm_1",
    default_tax_rates: [{ id: "txr_1" }],
    description: "As agreed",
    discounts: [{ coupon: null, discount: "di_1", promotion_code: null }],
    end_date: end,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      days_until_due: 9,
      description: null,
      footer: null,
      issuer: { type: "self" },
    },
    items: [
      {
        price: of,
        plan: of,
        quantity,
        metadata: { team: "blue" },
        discounts: [],
        billing_thresholds: null,
        tax_rates: [{ id: "txr_2" }],
      },
    ],
    metadata: { team: "red" },
    on_behalf_of: null,
    proration_behavior: "create_prorations",
    start_date: start,
    transfer_data: null,
    trial_end: null,
  }) as unknown as Schedule["phases"][number];

const schedule = (ahead: number, more: Partial<Schedule> = {}): Schedule =>
  ({
    id: "sub_sched_1",
    status: "active",
    end_behavior: "release",
    metadata: {},
    current_phase: { start_date: 100, end_date: 200 },
    phases: [
      phase(50, 100, "past", 1),
      phase(100, 200, "basic", 3),
      ...Array.from({ length: ahead }, (_, n) => phase(200 + n * 100, 300 + n * 100, "pro", 3)),
    ],
    ...more,
  }) as unknown as Schedule;
const ours = { metadata: { billing_change: "1" } } as Partial<Schedule>;

describe("a schedule", () => {
  it.each([
    ["of ours", schedule(5, ours), true],
    ["of others with nothing ahead", schedule(0), true],
    ["of others with one change ahead", schedule(1), true],
    ["of others with two", schedule(2), false],
  ])("%s may be touched: see", (_, each, may) => {
    expect(mayTouch(each)).toBe(may);
  });

  it("for a later change has this phase as it is and one more, with all their parameters", () => {
    const { phases, ...rest } = laterParams(
      schedule(1),
      [{ from: "basic", price: yearly, quantity: 3 }],
      180,
    );
    expect(rest).toEqual({
      end_behavior: "release",
      metadata: { billing_change: "1" },
      proration_behavior: "none",
    });
    const lasting = {
      collection_method: "send_invoice",
      currency: "usd",
      default_payment_method: "pm_1",
      default_tax_rates: ["txr_1"],
      description: "As agreed",
      discounts: [{ discount: "di_1" }],
      invoice_settings: { days_until_due: 9, issuer: { type: "self" } },
      metadata: { team: "red" },
    };
    const kept = { metadata: { team: "blue" }, tax_rates: ["txr_2"] };
    expect(phases).toEqual([
      {
        ...lasting,
        add_invoice_items: [{ price: "extra", quantity: 1 }],
        items: [{ ...kept, price: "basic", quantity: 3 }],
        proration_behavior: "create_prorations",
        start_date: 100,
        end_date: 180,
      },
      {
        ...lasting,
        items: [{ ...kept, price: "pro_year", quantity: 3 }],
        proration_behavior: "none",
        start_date: 180,
        duration: { interval: "year", interval_count: 1 },
      },
    ]);
  });

  it("gives another quantity to this phase and all later ones, and asks for nothing twice", () => {
    const isThat = (id: string) => id === "basic" || id === "pro";
    const params = quantityParams(schedule(2), 8, isThat);
    expect(params?.phases?.map(({ items }) => items[0]?.quantity)).toEqual([8, 8, 8]);
    expect(quantityParams(schedule(2), 3, isThat)).toBeUndefined();
  });
});

describe("an end", () => {
  const sub = (more: Partial<Ending> = {}): Ending => ({
    status: "active",
    cancel_at: null,
    cancel_at_period_end: false,
    pause_collection: null,
    items: { data: [{ ...item(basic, 1), current_period_end: 200 }] },
    ...more,
  });
  const release = { do: "release", schedule: "sub_sched_1" };
  const end = { do: "update", params: { cancel_at_period_end: true } };
  const keep = { do: "update", params: { cancel_at_period_end: false } };
  const mixed = {
    items: { data: [...sub().items.data, { ...item(yearly, 1), current_period_end: 900 }] },
  };
  const used = {
    items: { data: [...sub().items.data, { ...item(basicCalls), current_period_end: 200 }] },
  };

  it.each<[string, Ending, Schedule | null, "now" | "period_end", unknown]>([
    ["with the period", sub(), null, "period_end", [end]],
    ["that is decided already", sub({ cancel_at_period_end: true }), null, "period_end", []],
    ["that is decided for a time within it", sub({ cancel_at: 200 }), null, "period_end", []],
    ["that is decided for later", sub({ cancel_at: 201 }), null, "period_end", [end]],
    [
      "of different intervals",
      sub(mixed),
      null,
      "period_end",
      [{ do: "update", params: { cancel_at: "max_period_end" } }],
    ],
    ["with a schedule of ours", sub(), schedule(1, ours), "period_end", [release, end]],
    [
      "with a schedule that has let go",
      sub(),
      schedule(1, { status: "released" }),
      "period_end",
      [end],
    ],
    ["with a schedule of others", sub(), schedule(2), "period_end", "schedule_not_ours"],
    ["now", sub(), schedule(2), "now", [{ do: "cancel", params: {} }]],
    [
      "now, with what was used",
      sub(used),
      null,
      "now",
      [{ do: "cancel", params: { invoice_now: true } }],
    ],
    [
      "of what was never paid",
      sub({ status: "incomplete" }),
      null,
      "period_end",
      [{ do: "cancel", params: {} }],
    ],
  ])("%s", (_, subscription, of, at, steps) => {
    expect(cancelSteps(subscription, of, at)).toEqual(steps);
  });

  const ends = { end_behavior: "cancel" } as const;
  it.each<[string, Ending, Schedule | null, boolean]>([
    ["by nothing", sub(), null, false],
    ["with the period", sub({ cancel_at_period_end: true }), null, true],
    ["at a time", sub({ cancel_at: 150 }), null, true],
    ["by a schedule", sub(), schedule(1, ends), true],
    ["by no schedule that goes on", sub(), schedule(1, ours), false],
    ["by no schedule that has let go", sub(), schedule(1, { ...ends, status: "released" }), false],
  ])("is decided %s", (_, subscription, of, is) => {
    expect(isEnding(subscription, of)).toBe(is);
  });

  it.each<[string, Ending, Schedule | null, unknown]>([
    ["nothing", sub(), null, []],
    ["an end with the period", sub({ cancel_at_period_end: true, cancel_at: 200 }), null, [keep]],
    [
      "an end at a time",
      sub({ cancel_at: 150 }),
      null,
      [{ do: "update", params: { cancel_at: "" } }],
    ],
    ["a scheduled change", sub(), schedule(1, ours), [release]],
    ["the portal's scheduled change", sub(), schedule(1), [release]],
    ["a schedule's end", sub({ cancel_at: 200 }), schedule(0, ours), [release]],
    ["nothing of a schedule that plans nothing", sub(), schedule(0, ours), []],
    ["not what others have planned", sub(), schedule(2), "schedule_not_ours"],
    ["a pause", sub({ status: "paused" }), null, [{ do: "resume" }]],
    [
      "a pause of the collection",
      sub({ pause_collection: {} }),
      null,
      [{ do: "update", params: { pause_collection: "" } }],
    ],
  ])("is taken back: %s", (_, subscription, of, steps) => {
    expect(resumeSteps(subscription, of)).toEqual(steps);
  });
});
