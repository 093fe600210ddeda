// @module-tag slow
// Two years of many customers, by a seed: every invoice is, to the cent, what an independent ledger
// says, and the same seed gives the same bytes. `npm run double:life` has more customers.
import { expect, it } from "vitest";
import { lifeOf } from "../../../../support/lives/life.js";

/** How often each must have happened at least, so that an empty life proves nothing. */
const LEAST: { readonly [kind: string]: number } = {
  join: 100,
  "join with a trial": 40,
  "join with coupons": 60,
  plan: 100,
  seats: 150,
  cycle: 40,
  always_invoice: 80,
  create_prorations: 80,
  none: 80,
  coupons: 80,
  extra: 80,
  "end trial": 10,
  "card breaks": 100,
  "card mended": 100,
  refund: 60,
  dispute: 20,
  use: 40,
  "usage billed": 30,
  "cancel now": 20,
  "cancel at period end": 30,
  stay: 10,
  renewed: 500,
  "failed to collect": 100,
  "recovered by a retry": 5,
  "paid by hand": 20,
  "first invoice never paid": 5,
  "ended for want of payment": 10,
  "ended with its period": 15,
  "last invoice at the end of a period": 2,
  "credit on the balance": 40,
  "covered by a balance, or too small to charge": 60,
};

it("every invoice of 60 customers over two years is the ledger's, and the same twice", async () => {
  const life = await lifeOf({ seed: 1, customers: 60, days: 730 });
  expect(life.differences).toEqual([]);
  expect(life.hashes[1]).toBe(life.hashes[0]);
  const rare = Object.entries(LEAST).filter(([kind, least]) => (life.counts[kind] ?? 0) < least);
  expect(rare, `too few, of ${JSON.stringify(life.counts)}`).toEqual([]);
  expect(life.invoices).toBeGreaterThan(1000);
});
