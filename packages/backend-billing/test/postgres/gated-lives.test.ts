// @module-tag slow
// Random lives that are sold by a catalogue: whenever the mirror is settled, the gates answer what an
// independent reading of Stripe's state does. `npm run gates` looks at 500 of them.
import { expect, it } from "vitest";
import { judgeGates } from "../../../../support/gates/run.js";
import { createPool, databaseOfEachTest } from "../../../../support/postgres/database.js";

const database = databaseOfEachTest();

it("gates answer what Stripe's state and the catalogue say", async () => {
  const pool = createPool(database.url, { max: 10 });
  // Among them some whose grace ends, and one with several plans of a group.
  const entities = [3, 12, 18, 23];
  const outcome = await judgeGates({ seed: "7", entities, pool, schema: "gates" });
  await pool.end();
  expect(outcome.wrong).toEqual([]);
  // What would make it a proof of nothing.
  for (const what of ["plan pro", "plan basic", "plan help", "plan free", "past due, grace over"]) {
    expect(outcome.seen.get(what) ?? 0, what).toBeGreaterThan(0);
  }
});
