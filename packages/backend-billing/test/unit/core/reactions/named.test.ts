// What follows from two contents of a row: what the double does not show, and what a row cannot tell.
import { describe, expect, expectTypeOf, it } from "vitest";
import { resourceNames } from "../../../../src/core/catalogue/catalogue.js";
import type { PurchaseFacts } from "../../../../src/core/mirror/store.js";
import type { BillingEvent, EventName } from "../../../../src/core/reactions/event.js";
import { namedEvents } from "../../../../src/core/reactions/named.js";
import { eventNames, eventOrigins } from "../../../../src/core/reactions/names.js";
import { isCollectedBy } from "../../../../src/core/reactions/payments.js";
import { TRIAL_NOTICE, trialNotice } from "../../../../src/core/reactions/trial.js";
import type { SubscriptionState } from "../../../../src/core/subscriptions/state.js";
import { item, START, subscription } from "../subscriptions/kit.js";

const DAY = 86_400;

describe("a subscription", () => {
  const told = (before: object | null, after: object | null) =>
    namedEvents(
      "subscriptions",
      before && subscription({ ...before }),
      after && subscription({ ...after }),
    ).map((name) => name.replace("subscription.", ""));
  const failed = { paused: { subscription: { type: "final_payment_failure" } } };
  const asked = { paused: { subscription: { type: "pause_requested" } } };

  it.each([
    ["first seen as active", null, {}, ["started"]],
    ["first seen past due", null, { status: "past_due" }, ["started", "past_due"]],
    ["first seen incomplete", null, { status: "incomplete" }, []],
    ["first seen when it was over", null, { status: "canceled" }, []],
    ["over before it was seen to run", { status: "incomplete" }, { status: "canceled" }, []],
    ["a row that is gone", {}, null, ["ended"]],
    ["a row that is gone after its end", { status: "canceled" }, null, []],
    ["an end of one that was to end", { cancel_at: 5 }, { status: "canceled" }, ["ended"]],
    ["unpaid after it was past due", { status: "past_due" }, { status: "unpaid" }, []],
    ["unpaid at once", {}, { status: "unpaid" }, ["past_due"]],
    [
      "paused because it was never paid: no recovery",
      { status: "past_due" },
      { status: "paused", status_details: failed },
      ["paused"],
    ],
    [
      "paid after such a pause",
      { status: "paused", status_details: failed },
      {},
      ["recovered", "resumed"],
    ],
    ["paused on request", {}, { status: "paused", status_details: asked }, ["paused"]],
    ["a status that Stripe may add", {}, { status: "suspended" }, []],
    [
      "all at once",
      { status: "past_due", pause_collection: {} },
      { cancel_at_period_end: true, items: [item("price_2")] },
      ["changed", "canceling", "recovered", "resumed"],
    ],
  ])("%s", (_, before, after, expected) => {
    expect(told(before, after)).toEqual(expected);
  });

  describe("what it sells", () => {
    const sells = (...items: readonly object[]) => ({ items });
    it.each([
      [
        "the same items in another order and with other ids",
        [
          [item("price_1"), item("price_2")],
          [item("price_2", { id: "si_new" }), item("price_1")],
        ],
        [],
      ],
      [
        "another product of the same price",
        [[item("price_1")], [item("price_1", { product: "prod_2" })]],
        ["changed"],
      ],
      ["an item less", [[item("price_1"), item("price_2")], [item("price_1")]], ["changed"]],
      ["another quantity", [[item("price_1")], [item("price_1", { quantity: 2 })]], ["resized"]],
      [
        "the quantities of two items exchanged",
        [
          [item("price_1", { quantity: 1 }), item("price_2", { quantity: 2 })],
          [item("price_1", { quantity: 2 }), item("price_2", { quantity: 1 })],
        ],
        ["resized"],
      ],
      [
        "a quantity of what is metered",
        [[item("price_1", { metered: true })], [item("price_1", { metered: true, quantity: 4 })]],
        [],
      ],
      [
        "a product that is shown whole",
        [
          [item("price_1")],
          [{ ...item("price_1"), price: { id: "price_1", product: { id: "prod_1" } } }],
        ],
        [],
      ],
      [
        "a plan, as old items have it",
        [
          [{ plan: { id: "price_1", product: "prod_1", usage_type: "licensed" }, quantity: 1 }],
          [item("price_1")],
        ],
        [],
      ],
    ] as const)("%s", (_, [before, after], expected) => {
      expect(told(sells(...before), sells(...after))).toEqual(expected);
    });

    it("is unknown where items are missing", () => {
      const [cut, none] = [{ items: { data: [], has_more: true } }, { items: undefined }];
      for (const part of [cut, none]) {
        const partial = { ...subscription(), ...part };
        expect(namedEvents("subscriptions", partial, subscription())).toEqual([]);
        expect(namedEvents("subscriptions", subscription(), partial)).toEqual([]);
      }
    });
  });
});

describe("an invoice", () => {
  const open = (attempt_count = 0) => ({ status: "open", attempt_count });
  it.each([
    ["first seen paid", null, { status: "paid", attempt_count: 1 }, ["paid"]],
    ["paid", open(1), { status: "paid", attempt_count: 1 }, ["paid"]],
    [
      "paid after failures that nothing saw",
      open(),
      { status: "paid", attempt_count: 3 },
      ["paid"],
    ],
    ["paid although it was given up", { status: "uncollectible" }, { status: "paid" }, ["paid"]],
    ["still paid", { status: "paid" }, { status: "paid", attempt_count: 2 }, []],
    ["finalised", { status: "draft", attempt_count: 0 }, open(), []],
    ["first seen after a failure", null, open(1), ["payment_failed"]],
    ["a failure", open(), open(1), ["payment_failed"]],
    ["a second one", open(1), open(2), ["payment_failed"]],
    ["two at once", open(1), open(3), ["payment_failed"]],
    [
      "a failure and given up",
      open(1),
      { ...open(2), status: "uncollectible" },
      ["payment_failed"],
    ],
    ["given up", open(1), { ...open(1), status: "uncollectible" }, []],
    ["void", open(), { ...open(1), status: "void" }, []],
    ["a deleted draft", { status: "draft" }, null, []],
    ["a content without a count", {}, { status: "open" }, []],
  ])("%s", (_, before, after, expected) => {
    const names = expected.map((name) => `invoice.${name}`);
    expect(namedEvents("invoices", before, after)).toEqual(names);
  });

  it("is no failure while a bank has not answered", () => {
    expect(namedEvents("invoices", open(), open(1), { isProcessing: true })).toEqual([]);
  });

  const AT = 1_700_000_000;
  const owed = { amount_remaining: 500, currency: "usd", status_transitions: { finalized_at: AT } };
  const asked = { amount: 500, currency: "usd", created: AT };
  it.each([
    ["made with it", owed, [asked], true],
    ["made with it, beside others", owed, [{ ...asked, amount: 1 }, asked], true],
    ["made a moment later", owed, [{ ...asked, created: AT + 2 }], true],
    ["of another amount", owed, [{ ...asked, amount: 501 }], false],
    ["of another currency", owed, [{ ...asked, currency: "eur" }], false],
    ["made long before", owed, [{ ...asked, created: AT - 3_600 }], false],
    ["made long after", owed, [{ ...asked, created: AT + 3_600 }], false],
    ["of none", owed, [], false],
    ["of a draft", { ...owed, status_transitions: { finalized_at: null } }, [asked], false],
    ["of an old content", {}, [asked], false],
  ])("is collected by a payment: %s", (_, invoice, processing, expected) => {
    expect(isCollectedBy(invoice as never, processing)).toBe(expected);
  });
});

describe("a page of checkout", () => {
  const session = (more: object) => ({
    mode: "payment",
    status: "complete",
    payment_status: "unpaid",
    ...more,
  });
  const paid = session({ payment_status: "paid" });
  const free = session({ payment_status: "no_payment_required" });
  it.each([
    ["paid at once", session({ status: "open" }), paid, true],
    ["paid once the bank has answered", session({}), paid, true],
    ["first seen paid", null, paid, true],
    ["nothing to pay", session({ status: "open" }), free, true],
    ["nothing to pay, still open", null, { ...free, status: "open" }, false],
    ["still paid", free, paid, false],
    ["complete, and the bank has not answered", session({ status: "open" }), session({}), false],
    ["expired", session({ status: "open" }), session({ status: "expired" }), false],
    ["for a subscription", null, { ...paid, mode: "subscription" }, false],
    ["for a card on file", null, { ...free, mode: "setup" }, false],
  ])("%s", (_, before, after, isTold) => {
    expect(namedEvents("checkout_sessions", before, after)).toEqual(
      isTold ? ["purchase.paid"] : [],
    );
  });

  describe("whose payment is declined later", () => {
    const intent = (status: string, charge: string | null = "py_1", isFailed = true) => ({
      status,
      latest_charge: charge,
      last_payment_error: isFailed ? { charge } : null,
    });
    const processing = intent("processing", "py_1", false);
    const declined = intent("requires_payment_method");
    const fresh = intent("requires_payment_method", null, false);
    const purchase = (now: object | null, more: object = {}) =>
      ({
        entityId: "user_1",
        session: { ...session({ id: "cs_1", created: START, expires_at: START }), ...more },
        intent: now,
        charges: [],
        data: null,
      }) as unknown as PurchaseFacts;
    const told = (before: object | null, after: object | null, facts: PurchaseFacts | null) =>
      namedEvents("payment_intents", before, after, { purchase: facts });
    const FAILED = ["purchase.failed"];

    it("is told by the payment", () => {
      expect(told(processing, declined, purchase(declined))).toEqual(FAILED);
      expect(told(null, declined, purchase(declined))).toEqual(FAILED);
      expect(told(fresh, declined, purchase(declined))).toEqual(FAILED);
      const canceled = intent("canceled", "py_1", false);
      expect(told(processing, canceled, purchase(canceled))).toEqual(FAILED);
    });

    it("is told once", () => {
      const canceled = intent("canceled");
      expect(told(declined, canceled, purchase(canceled))).toEqual([]);
      // A card that was declined before, told late.
      const card = intent("requires_payment_method", "ch_0");
      expect(told(null, card, purchase(declined))).toEqual([]);
      expect(told(card, processing, purchase(declined))).toEqual([]);
      expect(told(card, declined, purchase(declined))).toEqual(FAILED);
    });

    it("is none on an open page, of a page that was paid since, or without a page", () => {
      expect(told(null, declined, purchase(declined, { status: "open" }))).toEqual([]);
      expect(told(null, declined, purchase(declined, { payment_status: "paid" }))).toEqual([]);
      expect(told(null, declined, purchase(processing))).toEqual([]);
      expect(told(null, declined, purchase(declined, { mode: "subscription" }))).toEqual([]);
      expect(told(null, declined, null)).toEqual([]);
      expect(told(declined, null, purchase(null))).toEqual([]);
    });
  });
});

describe("refunds, disputes and customers", () => {
  it.each([
    ["refunds", "pending", "refund.created"],
    ["refunds", "succeeded", "refund.created"],
    ["refunds", "requires_action", "refund.created"],
    ["refunds", "failed", null],
    ["refunds", "canceled", null],
    ["disputes", "needs_response", "dispute.opened"],
    ["disputes", "warning_needs_response", "dispute.opened"],
    ["disputes", "lost", "dispute.opened"],
    ["disputes", "won", null],
    ["disputes", "warning_closed", null],
  ] as const)("%s first seen as %s", (resource, status, name) => {
    expect(namedEvents(resource, null, { status })).toEqual(name === null ? [] : [name]);
    expect(namedEvents(resource, { status: "pending" }, { status })).toEqual([]);
    expect(namedEvents(resource, { status }, null)).toEqual([]);
  });

  it("a customer is told to be gone, and nothing else", () => {
    expect(namedEvents("customers", {}, null)).toEqual(["customer.deleted"]);
    expect(namedEvents("customers", null, {})).toEqual([]);
    expect(namedEvents("customers", {}, { name: "Ada" })).toEqual([]);
  });
});

describe("the notice of a trial's end", () => {
  const END = START + 14 * DAY;
  const trial = (more: object = {}) =>
    subscription({ status: "trialing", trial_start: START, trial_end: END, ...more });
  const dueAt = END * 1000 - TRIAL_NOTICE;

  it("is due three days before", () => {
    expect(trialNotice(trial())).toEqual({ dueAt, until: END * 1000 });
    expect(trialNotice(trial({ trial_start: undefined }))?.dueAt).toBe(dueAt);
  });

  it.each([
    ["without a row", null],
    ["without a trial", subscription()],
    ["after the trial", trial({ status: "active" })],
    ["after an end", trial({ status: "canceled" })],
    ["for a trial that is no longer than the notice", trial({ trial_end: START + 3 * DAY - 1 })],
  ])("is not due %s", (_, row) => {
    expect(trialNotice(row)).toBeNull();
  });

  it("is due for a trial of exactly three days, at once", () => {
    expect(trialNotice(trial({ trial_end: START + 3 * DAY }))?.dueAt).toBe(START * 1000);
  });

  it("is told once, unless the trial has left the window in which it was told", () => {
    const toldAt = dueAt + 60_000;
    expect(trialNotice(trial(), toldAt)).toBeNull();
    // Moved within the window, either way.
    expect(trialNotice(trial({ trial_end: END - DAY }), toldAt)).toBeNull();
    expect(trialNotice(trial({ trial_end: END + 60 }), toldAt)).toBeNull();
    const longer = trial({ trial_end: END + 7 * DAY });
    expect(trialNotice(longer, toldAt)?.dueAt).toBe(dueAt + 7 * DAY * 1000);
  });
});

describe("the origin of each name", () => {
  it("is a resource of which it can be told, and that must be mirrored", () => {
    for (const name of eventNames) {
      const { raisedBy, needs } = eventOrigins[name];
      expect(needs, name).toContain("customers");
      for (const resource of needs) expect(resourceNames).toContain(resource);
      expect(raisedBy.some((resource) => needs.includes(resource)) || raisedBy.length === 0).toBe(
        true,
      );
    }
  });

  it("is right for every name that follows from a row", () => {
    const states = [
      null,
      {},
      ...["open", "paid", "succeeded", "needs_response", "active"].map((status) => ({
        status,
        attempt_count: 1,
      })),
    ];
    for (const resource of resourceNames) {
      for (const before of states) {
        for (const after of states) {
          for (const name of namedEvents(resource, before, after)) {
            expect(eventOrigins[name].raisedBy).toContain(resource);
          }
        }
      }
    }
  });
});

it("an event has a type of its own by its name", () => {
  const lost = (event: BillingEvent<"access.lost">) => event.after.access;
  expectTypeOf(lost).returns.toEqualTypeOf<boolean>();
  expectTypeOf<BillingEvent<"customer.linked">["customerId"]>().toEqualTypeOf<string>();
  expectTypeOf<BillingEvent["name"]>().toEqualTypeOf<EventName>();
  expectTypeOf<BillingEvent["subscription"]>().toEqualTypeOf<SubscriptionState>();
  const narrowed = (event: BillingEvent) =>
    event.name === "invoice.paid" ? event.after.amount_paid : 0;
  expectTypeOf(narrowed).returns.toEqualTypeOf<number>();
});
