// @module-tag slow
// What `status` and `doctor` show of entities that are to be erased and cannot be yet.
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

it("counts those that wait, and says why one failed", async () => {
  const keep = (entityId: string, failure: object) =>
    pool.query(
      "INSERT INTO billing.backend_billing_records VALUES ('erased', $1, 1, NULL, 5, $2)",
      [`entity ${entityId}`, { since: 1, customer: "delete", ...failure }],
    );
  await keep("calm", {});
  expect((await app.run("doctor")).stdout).not.toContain("erasures_failing");
  await keep("failing", { tries: 3, reason: "more_permissions_required" });
  const shown = /2 erasures \(1 failing: more_permissions_required\)/;
  expect((await app.run("status")).stdout).toMatch(shown);
  const { code, stdout } = await app.run("doctor");
  expect(code).toBe(3);
  expect(stdout).toContain("erasures_failing");
  expect(stdout).toContain("more_permissions_required");
});
