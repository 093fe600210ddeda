// What a purchase gives by what was paid, refunded and lost: named cases, and random ones against a
// count unit by unit; and what a page says of what it sells.
import { describe, expect, it } from "vitest";
import { stream } from "../../../../../stripe-double/src/world/random.js";
import { defineCatalogue, usd } from "../../../../src/catalogue/index.js";
import { creditsMetadata, soldBy } from "../../../../src/core/usage/credits/mark.js";
import { type CreditsFacts, creditsOf } from "../../../../src/core/usage/credits/target.js";

const catalogue = defineCatalogue({
  app: "acme",
  features: { credits: "credits", calls: { meter: "api_calls" } },
  packs: {
    small: { name: "Small", price: usd("5"), credits: { credits: 100 } },
    large: { name: "Large", price: usd("50"), credits: { credits: 1_500, calls: 7 } },
    poster: { name: "Poster", price: usd("9") },
  },
});
const prices = [
  { id: "price_s", product: "acme_pack_small" },
  { id: "price_l", product: "acme_pack_large" },
  { id: "price_p", product: "acme_pack_poster" },
  { id: "price_x", product: "other_pack_small" },
];
const metadata = creditsMetadata(catalogue, prices, "org_1")?.page ?? {};

type Charge = CreditsFacts["charges"][number];
type Dispute = CreditsFacts["disputes"][number];

const line = (priceId: string, quantity = 1) => ({ priceId, lookupKey: null, quantity });
const charge = (of: Partial<Charge> = {}): Charge => ({
  id: "ch_1",
  status: "succeeded",
  amount: 1_000,
  amount_refunded: 0,
  currency: "usd",
  ...of,
});
const dispute = (of: Partial<Dispute> = {}): Dispute => ({
  charge: "ch_1",
  status: "lost",
  amount: 1_000,
  currency: "usd",
  ...of,
});
const facts = (of: Partial<CreditsFacts> = {}): CreditsFacts => ({
  session: { mode: "payment", status: "complete", payment_status: "paid", metadata },
  charges: [charge()],
  disputes: [],
  lines: [line("price_s")],
  ...of,
});
/** What is left of the credits. */
const left = (of: Partial<CreditsFacts>) => {
  const found = creditsOf(facts(of), "acme");
  return typeof found === "string" ? found : found.map(({ amount }) => amount);
};

describe("the credits of a purchase", () => {
  it("are those of each line, times its quantity, by feature", () => {
    const lines = [line("price_l", 2), line("price_s", 3), line("price_p", 9), line("price_x")];
    expect(creditsOf(facts({ lines }), "acme")).toEqual([
      { entityId: "org_1", feature: "calls", units: 14, amount: 14 },
      { entityId: "org_1", feature: "credits", units: 3_300, amount: 3_300 },
    ]);
  });

  it("are given where nothing was to be paid, and not before it is paid", () => {
    const page = facts().session;
    const paid = (payment_status: "unpaid" | "no_payment_required") =>
      left({ session: { ...page, payment_status }, charges: [] });
    expect(paid("no_payment_required")).toEqual([100]);
    expect(paid("unpaid")).toEqual([]);
    expect(left({ session: { ...page, status: "open" } })).toEqual([]);
    expect(left({ session: { ...page, mode: "setup" } })).toEqual([]);
  });

  it.each([
    ["a refund of a third, rounded up", [charge({ amount_refunded: 333 })], [], 66],
    ["a refund of the smallest unit", [charge({ amount_refunded: 1 })], [], 99],
    ["all of it", [charge({ amount_refunded: 1_000 })], [], 0],
    ["an attempt that failed", [charge({ id: "ch_0", status: "failed" }), charge()], [], 100],
    ["a dispute that is open", [charge()], [dispute({ status: "under_review" })], 100],
    ["one that is lost", [charge()], [dispute()], 0],
    ["one that is lost, under appeal", [charge()], [dispute({ status: "appeal_under_review" })], 0],
    ["one that is won", [charge()], [dispute({ status: "won" })], 100],
    ["one of a part", [charge()], [dispute({ amount: 250 })], 75],
    ["one in another currency", [charge()], [dispute({ amount: 9, currency: "eur" })], 0],
    ["a refund and a dispute", [charge({ amount_refunded: 500 })], [dispute({ amount: 250 })], 25],
    ["more than was paid", [charge({ amount_refunded: 500 })], [dispute()], 0],
    ["a dispute of another charge", [charge()], [dispute({ charge: "ch_2" })], 100],
    ["a payment that is not stored yet", [], [dispute()], 100],
  ] as const)("%s", (_, charges, disputes, expected) => {
    expect(left({ charges, disputes })).toEqual([expected]);
  });

  it("wait for what was bought, and are none on another application's page", () => {
    expect(left({ lines: null })).toBe("lines");
    expect(creditsOf(facts(), "other")).toBe("foreign");
    expect(left({ session: { ...facts().session, metadata: {} } })).toBe("foreign");
  });

  it("are exact however many there are", () => {
    const sold = { billing_credits: '["acme",{"price_s":{"credits":9007199254740991}}]' };
    const session = { ...facts().session, metadata: { ...metadata, ...sold } };
    const charges = [charge({ amount: 99_999_999, amount_refunded: 1 })];
    expect(left({ session, charges })).toEqual([9007199164668997]);
  });

  it("are what a count unit by unit says", () => {
    const chance = stream("credits", 1);
    const below = (end: number) => Math.floor(chance() * end);
    for (let time = 0; time < 5_000; time++) {
      const amount = 1 + below(40);
      const refunded = below(amount + 1);
      const lost = below(3) === 0 ? 1 + below(amount) : 0;
      const quantity = 1 + below(3);
      const disputes = lost === 0 ? [] : [dispute({ amount: lost })];
      const charges = [charge({ amount, amount_refunded: refunded })];
      // A unit is kept if all of it is paid for by money that did not go back.
      const kept = Math.max(0, amount - refunded - lost);
      const units = 100 * quantity;
      let expected = 0;
      while (expected < units && (expected + 1) * amount <= units * kept) expected++;
      expect(left({ charges, disputes, lines: [line("price_s", quantity)] })).toEqual([expected]);
    }
  });
});

describe("what a page says", () => {
  it("is read as it was written", () => {
    expect(soldBy(metadata)).toEqual({
      app: "acme",
      entityId: "org_1",
      prices: { price_s: { credits: 100 }, price_l: { credits: 1_500, calls: 7 } },
    });
  });

  it("is nothing where no pack with credits is sold", () => {
    expect(creditsMetadata(catalogue, prices.slice(2), "org_1")).toBeUndefined();
    expect(creditsMetadata(undefined, prices, "org_1")).toBeUndefined();
  });

  it.each([
    "",
    "{",
    "[]",
    '["acme"]',
    '["acme",null]',
    '["acme",{"p":{"c":-1}}]',
    '["acme",{"p":{"c":0.5}}]',
  ])("is nothing if it cannot be read: %s", (billing_credits) => {
    expect(soldBy({ ...metadata, billing_credits })).toBeUndefined();
  });
});
