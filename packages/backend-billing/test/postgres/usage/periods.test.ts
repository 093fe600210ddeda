// @module-tag slow
// Random lives of two years: what plans include is what an independent reading of Stripe's own log and
// of the catalogue says, also before the mirror shows a renewal. `npm run chaos:usage -- --periods` looks
// at 500 of them.
import { expect, it } from "vitest";
import { judgePeriods } from "../../../../../support/periods/run.js";
import { createPool, databaseOfEachTest } from "../../../../../support/postgres/database.js";

const database = databaseOfEachTest();

it("what is included is what Stripe's log and the catalogue say", async () => {
  const pool = createPool(database.url, { max: 7 });
  const entities = [1, 4];
  const outcome = await judgePeriods({ seed: "7", entities, pool, schema: "periods" });
  await pool.end();
  expect(outcome.wrong).toEqual([]);
  // What would make it a proof of nothing.
  const circumstances = [
    ...["plan free", "plan basic", "plan pro", "plan team", "cycle 1 month", "cycle 1 year"],
    ...["past due, with access", "taken before the mirror had the renewal", "a leap day"],
  ];
  for (const what of circumstances) {
    expect(outcome.seen.get(what) ?? 0, what).toBeGreaterThan(0);
  }
});
