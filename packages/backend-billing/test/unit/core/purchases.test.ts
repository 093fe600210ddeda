// What became of a purchase, from what the mirror has of it: the states that no card brings about.
import { describe, expect, it } from "vitest";
import { linesOf } from "../../../src/core/events/session.js";
import type { PurchaseFacts } from "../../../src/core/mirror/store.js";
import { purchaseFrom, thatCounts } from "../../../src/core/purchases/purchase.js";

const AT = 1_780_000_000;

type Loose<T> = { readonly [K in keyof T]?: unknown };

function facts(
  session: Loose<PurchaseFacts["session"]>,
  more: {
    readonly intent?: Loose<NonNullable<PurchaseFacts["intent"]>>;
    readonly charges?: readonly Loose<PurchaseFacts["charges"][number]>[];
    readonly data?: PurchaseFacts["data"];
  } = {},
): PurchaseFacts {
  const made = {
    id: "cs_1",
    created: AT,
    expires_at: AT + 3_600,
    status: "complete",
    payment_status: "unpaid",
    payment_intent: "pi_1",
    client_reference_id: null,
    metadata: {},
    amount_total: 4_000,
    currency: "eur",
    url: null,
    ...session,
  };
  const { intent = null, charges = [], data = null } = more;
  return { entityId: "user_1", session: made, intent, charges, data } as unknown as PurchaseFacts;
}

const charge = (more: object = {}) => ({
  status: "succeeded",
  created: AT + 60,
  amount_refunded: 0,
  refunded: false,
  ...more,
});

describe("a page that is complete and not paid", () => {
  it.each([
    ["processing", "processing"],
    ["requires_capture", "processing"],
    ["requires_payment_method", "failed"],
    ["canceled", "failed"],
  ])("whose payment is %s is %s", (status, state) => {
    expect(purchaseFrom(facts({}, { intent: { status } })).state).toBe(state);
  });

  it("is processing as long as nothing is known of its payment", () => {
    expect(purchaseFrom(facts({})).state).toBe("processing");
  });
});

describe("a page that is paid", () => {
  it.each(["paid", "no_payment_required"])("by %s is paid", (payment_status) => {
    expect(purchaseFrom(facts({ payment_status }))).toMatchObject({
      state: "paid",
      paidAt: AT * 1000,
      lines: null,
    });
  });

  it("counts what was given back of the charges that succeeded", () => {
    const paid = { payment_status: "paid" };
    const declined = charge({ status: "failed", amount_refunded: 0 });
    const inPart = charge({ amount_refunded: 1_500 });
    expect(purchaseFrom(facts(paid, { charges: [declined, inPart] }))).toMatchObject({
      state: "paid",
      paidAt: (AT + 60) * 1000,
      refundedAmount: 1_500,
    });
    const whole = charge({ amount_refunded: 4_000, refunded: true });
    expect(purchaseFrom(facts(paid, { charges: [declined, whole] }))).toMatchObject({
      state: "refunded",
      refundedAmount: 4_000,
    });
  });

  it("has the reference of its session, or of its metadata", () => {
    const reference = (session: object) => purchaseFrom(facts(session)).referenceId;
    expect(reference({ client_reference_id: "order_1" })).toBe("order_1");
    expect(reference({ metadata: { referenceId: "order_2" } })).toBe("order_2");
    expect(reference({})).toBeNull();
  });
});

it("of several pages the paid one counts, then the one under way, then the newest", () => {
  const made = (id: string, session: object) => purchaseFrom(facts({ id, ...session }));
  const old = made("cs_old", { status: "open", created: AT - 100 });
  const open = made("cs_open", { status: "open" });
  const expired = made("cs_expired", { status: "expired", created: AT + 100 });
  const slow = made("cs_slow", {});
  const paid = made("cs_paid", { payment_status: "paid", created: AT - 200 });
  const counts = (...all: ReturnType<typeof made>[]) => thatCounts(all)?.sessionId;
  expect(counts(old, open, expired, slow, paid)).toBe("cs_paid");
  expect(counts(old, open, expired, slow)).toBe("cs_slow");
  expect(counts(old, open, expired)).toBe("cs_open");
  expect(counts()).toBeUndefined();
});

describe("the lines of a page", () => {
  const line = (more: object = {}) => ({
    price: { id: "price_1", lookup_key: "engine" },
    quantity: 2,
    adjustable_quantity: null,
    ...more,
  });
  const read = (session: object, items: readonly object[]) =>
    linesOf({ status: "open", optional_items: null, ...session } as never, items as never);

  it("are final where the buyer cannot change them", () => {
    expect(read({}, [line()])).toEqual({
      lines: [{ priceId: "price_1", lookupKey: "engine", quantity: 2 }],
      final: true,
    });
  });

  it.each([
    ["a quantity", {}, [line({ adjustable_quantity: { enabled: true } })]],
    ["what else is bought", { optional_items: [{ price: "price_2", quantity: 1 }] }, [line()]],
  ])("are not final while the buyer may choose %s", (_, session, items) => {
    expect(read(session, items).final).toBe(false);
    expect(read({ ...session, status: "complete" }, items).final).toBe(true);
  });

  it("leave out what has no price", () => {
    expect(read({}, [line({ price: null })]).lines).toEqual([]);
  });
});
