// @module-tag slow
// What `status` and `doctor` show of usage on its way to Stripe's meters, and what `usage` does about it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createPool } from "../../../../support/postgres/database.js";
import { catalogue } from "../../../../support/usage/world.js";
import { type Application, createApplication } from "./kit.js";

let app: Application;
let pool: pg.Pool;
let folder: string;
let file: string;
beforeAll(async () => {
  app = await createApplication();
  pool = createPool(app.databaseUrl);
  folder = await mkdtemp(join(tmpdir(), "backend-billing-usage-"));
  file = join(folder, "catalogue.mjs");
  await writeFile(file, `export const catalogue = ${JSON.stringify(catalogue)};`);
});
beforeEach(() => pool.query("DELETE FROM billing.backend_billing_records"));
afterAll(async () => {
  await rm(folder, { recursive: true });
  await pool.end();
  await app.close();
});

const keep = (
  kind: string,
  id: string,
  data: object,
  due: number | null = null,
  ref: string | null = null,
) =>
  pool.query("INSERT INTO billing.backend_billing_records VALUES ($1, $2, 1, $3, $4, $5)", [
    kind,
    id,
    ref,
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
  expect(doctor.stdout).toContain("npx backend-billing usage send");
});

/** A customer whose usage is in a batch that was reported. */
async function reported(problem: string) {
  const customer = await app.stripe.customers.create();
  const minute = Math.floor(Date.now() / 60_000) * 60 - 3600;
  const id = `batch_${customer.id}`;
  const place = { entityId: customer.id, feature: "calls", customerId: customer.id };
  const batch = { ...place, meter: "api_calls", value: 7, timestamp: minute, closesAt: null };
  const data = { ...batch, firstAt: minute * 1000, tries: 0, problem };
  await keep("batch", id, data, null, `calls ${customer.id}`);
  await pool.query(
    `INSERT INTO billing.backend_billing_usage_records
     VALUES ($1, 'calls', 'a', 7, 7, true, $2, $3), ($1, 'calls', 'b', 2, 2, true, $2, NULL)`,
    [customer.id, minute * 1000, id],
  );
  return { id, customer: customer.id };
}

const meter = () =>
  app.stripe.billing.meters.create({
    display_name: "Calls",
    event_name: "api_calls",
    default_aggregation: { formula: "sum" },
  });

const recordsOf = (customer: string) =>
  app.query<{ key: string; billed: boolean; batch: string | null }>(
    "SELECT key, billed, batch FROM billing.backend_billing_usage_records WHERE entity_id = $1 ORDER BY key",
    [customer],
  );

it("shows what an entity has", async () => {
  const { id, customer } = await reported("missing");
  await pool.query(
    `INSERT INTO billing.backend_billing_usage_grants
     VALUES ($1, 'credits', 'given welcome', 'given', 5, 5, 0, 0, 1, NULL, true, false)`,
    [customer],
  );
  await pool.query(
    `INSERT INTO billing.backend_billing_usage_balances
     VALUES ($1, 'credits', 5, 0, 0, 0, 0, 0, '', false, 0, '')`,
    [customer],
  );
  const { stdout, code } = await app.run("usage", customer, "--catalogue", file);
  expect(code).toBe(0);
  expect(stdout).toMatch(/credits +15 +0 +0 +15 +0/);
  expect(stdout).toMatch(/credits +given welcome +5/);
  expect(stdout).toContain("calls: 2 units in 1 record to be sent");
  expect(stdout).toMatch(new RegExp(`${id} .*missing`));
  const { lines } = await app.runJson("usage", customer, "--catalogue", file);
  expect(lines).toMatchObject([
    {
      entityId: customer,
      features: [
        { feature: "credits", balance: { remaining: 15 } },
        { feature: "calls", unsent: { records: 1, units: 2 }, batches: [{ id, value: 7 }] },
      ],
    },
  ]);
});

it("lists batches, sends one anew, and drops one", async () => {
  const missing = await reported("missing");
  const late = await reported("late");
  const listed = await app.runJson("usage", "batches");
  expect(listed.lines).toMatchObject([{ batches: [{ problem: expect.any(String) }, {}] }]);
  const { stdout } = await app.run("usage", "batches");
  expect(stdout).toMatch(new RegExp(`${missing.id} .* 7 .*missing`));
  expect(stdout).toContain("Batches: 2, of which 2 reported.");

  const asked = await app.run("usage", "send", missing.id);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  const refused = await app.runJson("usage", "send", missing.id, "--yes"); // there is no meter
  expect(refused).toMatchObject({ code: 3, lines: [{ resent: { outcome: "refused" } }] });
  const [again] = await recordsOf(missing.customer);
  expect(again?.batch).not.toBe(missing.id);
  await meter();
  const sent = await app.run("usage", "send", again?.batch ?? "", "--yes");
  expect([sent.code, sent.stdout]).toEqual([0, expect.stringContaining("It was sent")]);
  expect((await app.run("usage", "send", missing.id, "--yes")).code).toBe(2);

  expect((await app.run("usage", "send", late.id, "--yes")).code).toBe(2);
  const dropped = await app.runJson("usage", "drop", late.id, "--yes");
  expect(dropped.lines).toMatchObject([{ counted: true, dropped: { id: late.id } }]);
  expect(await recordsOf(late.customer)).toMatchObject([{ billed: true }, { billed: true }]);
  const other = await reported("refused");
  expect((await app.run("usage", "drop", other.id, "--yes")).stdout).toContain("not billed");
  expect(await recordsOf(other.customer)).toMatchObject([{ billed: false }, { billed: true }]);
  expect((await app.run("usage", "batches")).stdout).toContain("No batch");
});

it("verify shows days of which Stripe has counted something else", async () => {
  await meter().catch(() => undefined); // another test may have made it
  const { id } = await app.stripe.customers.create();
  expect((await app.run("sync")).code).toBe(0);
  await pool.query(
    "UPDATE billing.backend_billing_customers SET entity_id = customer_id WHERE customer_id = $1",
    [id],
  );
  const at = Date.now() - 4 * 86_400_000;
  await pool.query(
    `INSERT INTO billing.backend_billing_usage_records VALUES ($1, 'calls', 'a', 1200, 1200, true, $2, 'sent')`,
    [id, at],
  );
  await pool.query(
    `INSERT INTO billing.backend_billing_usage_balances
     VALUES ($1, 'calls', 0, 0, 0, 0, 0, 0, '', true, 0, '')`,
    [id],
  );
  expect((await app.run("verify")).stdout).not.toContain("usage"); // there is no catalogue here
  const { code, stdout } = await app.run("verify", "--catalogue", file);
  expect(code).toBe(3);
  const day = new Date(at).toISOString().slice(0, 10);
  expect(stdout).toContain("Drift: 1 day of usage");
  expect(stdout).toContain(`usage ${id} api_calls ${day}: 1,200 sent, 0 counted by Stripe`);
  expect(stdout).not.toContain("reconcile");
  const { lines } = await app.runJson("verify", "--catalogue", file);
  expect(lines.at(-1)).toMatchObject({ drift: 1, usage: { differing: 1, rows: 1 } });
});
