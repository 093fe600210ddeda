// @module-tag slow
// What `status` and `doctor` show of usage on its way to Stripe's meters.
import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPool } from "../../../../support/postgres/database.js";
import { type Application, createApplication } from "./kit.js";

let app: Application;
let pool: pg.Pool;
beforeAll(async () => {
  app = await createApplication();
  pool = createPool(app.databaseUrl);
});
afterAll(async () => {
  await pool.end();
  await app.close();
});

const keep = (kind: string, id: string, data: object, due: number | null = null) =>
  pool.query("INSERT INTO billing.backend_billing_records VALUES ($1, $2, 1, NULL, $3, $4)", [
    kind,
    id,
    due,
    data,
  ]);

it("shows what is under way, reported, and not counted", async () => {
  expect((await app.run("status")).stdout).not.toContain("usage");
  await keep("batch", "b1", { value: 3 }, 5);
  await keep("batch", "b2", { value: 4, problem: "missing" });
  const errors = [{ code: "no_meter", count: 2, batches: ["b3"] }];
  const reports = [{ eventId: "evt_1", at: Date.now(), meterId: null, errors }];
  await keep("setting", "meter errors", { count: 2, reports });
  const { stdout } = await app.run("status");
  expect(stdout).toMatch(/usage +1 under way, 1 reported, 2 events not counted/);
  const { lines } = await app.runJson("status");
  expect(lines[0]).toMatchObject({
    usage: {
      underWay: 1,
      reported: { number: 1, examples: ["missing b2"] },
      uncounted: { number: 2, lately: 2, codes: ["no_meter"] },
    },
  });
  const doctor = await app.run("doctor");
  expect(doctor.stdout).toContain("usage_reported");
  expect(doctor.stdout).toContain("missing b2");
  expect(doctor.stdout).toContain("usage_uncounted");
});
