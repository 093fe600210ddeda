// @module-tag slow
// The other commands as real processes: what they print, what they end with, and what they never say.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, createPool } from "../../../../support/postgres/database.js";
import { runCommand } from "./command.js";
import { type Application, createApplication, jsonLines } from "./kit.js";

let app: Application;
beforeAll(async () => {
  app = await createApplication();
  app.double.populate({ object: "customer", count: 120 });
  await app.stripe.products.create({ name: "Plan" });
  expect((await app.run("sync")).code).toBe(0);
});
afterAll(() => app.close());

describe("migrate", () => {
  it("prints SQL and nothing else, which a database takes as it is", async () => {
    const printed = await runCommand(["migrate", "--print", "--schema", "billing"]);
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    const database = await createDatabase();
    const pool = createPool(database.url);
    try {
      await pool.query(printed.stdout); // all statements at once, as psql sends a file
      const args = ["migrate", "--schema", "billing", "--database", database.url, "--json"];
      const { code, stdout } = await runCommand(args);
      expect(code).toBe(0);
      expect(jsonLines(stdout)).toEqual([{ applied: [] }]); // nothing was left to do
    } finally {
      await pool.end();
      await database.drop();
    }
  });

  it("finds the address in .env, and lets the environment win", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "backend-billing-cli-"));
    try {
      writeFileSync(join(cwd, ".env"), `DATABASE_URL=${app.databaseUrl}\n`);
      const found = await runCommand(["migrate"], { cwd });
      expect(found).toMatchObject({ code: 0, stdout: "✓ The tables are up to date.\n" });
      const other = "postgres://nobody:nothing-secret@127.0.0.1:1/none";
      const won = await runCommand(["migrate"], { cwd, env: { DATABASE_URL: other } });
      expect(won.code).toBe(1);
      expect(won.stderr).toContain("Nothing listens there");
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });
});

describe("verify and reconcile", () => {
  it("finds what was changed behind its back and ends with 3, until it is repaired", async () => {
    const right = await app.run("verify");
    expect(right).toMatchObject({ code: 0, stdout: expect.stringContaining("✓ No drift") });

    await app.query(
      `UPDATE billing.backend_billing_products SET stripe = stripe || '{"name": "Wrong"}'`,
    );
    const wrong = await app.run("verify");
    expect(wrong.code).toBe(3);
    expect(wrong.stdout).toContain("✗ Drift: 1 object");
    expect(wrong.stdout).toMatch(/products prod_\w+: different in name/);
    const { code, lines } = await app.runJson("verify", "--sample", "100");
    expect(code).toBe(3);
    expect(lines.at(-1)).toMatchObject({ drift: 1, state: "done" });

    const repaired = await app.run("reconcile");
    expect(repaired).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Repaired: 1 object"),
    });
    expect((await app.run("verify")).code).toBe(0);
  });

  it("refuses a sample that is none", async () => {
    expect((await app.run("verify", "--sample", "many")).code).toBe(2);
  });
});

describe("status", () => {
  it("tells of the endpoint what is wrong with it", async () => {
    const none = await app.run("status");
    expect(none.stdout).toContain("none at Stripe");
    const made = await app.stripe.webhookEndpoints.create({
      url: "https://app.example/stripe/webhook",
      enabled_events: ["customer.created"],
    });
    await app.stripe.webhookEndpoints.update(made.id, { disabled: true });
    const { code, stdout } = await app.run("status", "--runs", "20");
    expect(code).toBe(0);
    expect(stdout).toContain(`! disabled https://app.example/stripe/webhook (${made.id}`);
    expect(stdout).toMatch(/it does not send .* more/);
    expect(stdout).toMatch(/backfill +done/);
    const { lines } = await app.runJson("status");
    expect(lines).toEqual([
      expect.objectContaining({
        asks: { number: 0, oldestDue: null },
        refreshes: 0,
        seats: 0,
        endpoints: [expect.objectContaining({ id: made.id, status: "disabled" })],
        runs: expect.arrayContaining([expect.objectContaining({ state: "done" })]),
      }),
    ]);
    await app.stripe.webhookEndpoints.del(made.id);
  });

  it("counts what is outstanding", async () => {
    await app.query(
      "UPDATE billing.backend_billing_versions SET ask_at = 5 WHERE (resource, id) IN (SELECT resource, id FROM billing.backend_billing_versions LIMIT 3)",
    );
    await app.query(
      "INSERT INTO billing.backend_billing_records VALUES ('seats', 'entity org_1', 1, NULL, 5, '{}')",
    );
    const { stdout } = await app.run("status");
    expect(stdout).toMatch(
      /outstanding +3 asks \(the oldest is \d+ days late\), 0 refreshes, 1 counts of seats/,
    );
    await app.query("UPDATE billing.backend_billing_versions SET ask_at = NULL");
    await app.query("DELETE FROM billing.backend_billing_records WHERE kind = 'seats'");
  });

  it("works without a key, and says what it did not look at", async () => {
    const { code, stdout } = await runCommand(["status"], {
      env: { DATABASE_URL: app.databaseUrl },
    });
    expect(code).toBe(0);
    expect(stdout).toContain("there is no STRIPE_SECRET_KEY");
  });
});

describe("events", () => {
  it("replays what was missed, by the rule: an older event does not undo a newer one", async () => {
    const { id } = await app.stripe.customers.create({ name: "First" });
    await app.double.clock.advance({ minutes: 10 });
    await app.stripe.customers.update(id, { name: "Second" });
    const { lines } = await app.runJson("events", "list", "--missing");
    const { events } = lines[0] as { events: { id: string; type: string; objectId: string }[] };
    expect(events.map(({ type, objectId }) => [type, objectId])).toEqual([
      ["customer.updated", id],
      ["customer.created", id],
    ]);
    const [updated, created] = events;
    const replayed = await app.run("events", "replay", updated!.id, created!.id);
    expect(replayed.code).toBe(0);
    expect(replayed.stdout).toContain(`✓ ${updated!.id}: handled`);
    const sql =
      "SELECT stripe ->> 'name' AS name FROM billing.backend_billing_customers WHERE customer_id = $1";
    expect(await app.query(sql, [id])).toEqual([{ name: "Second" }]);

    const again = await app.run("events", "replay", updated!.id);
    expect(again.stdout).toContain("received before, left alone");
    expect((await app.run("events", "list", "--missing")).stdout).toContain("No such events");
    const shown = await app.run("events", "show", updated!.id);
    expect(shown.stdout).toMatch(/standing +received/);
    expect(shown.stdout).toMatch(/mirror +customers: live/);
  });

  it("writes out what a terminal would obey", async () => {
    await app.stripe.products.create({ name: "Clear \u009b2J and turn \u202e" });
    const { lines } = await app.runJson("events", "list", "--limit", "1");
    const [event] = (lines[0] as { events: { id: string }[] }).events;
    const { stdout } = await app.run("events", "show", event!.id);
    expect(stdout).toContain(String.raw`Clear \u009b2J and turn \u202e`);
    expect(stdout).not.toMatch(/[\u0080-\u009f\u202e]/);
  });

  it("ends with 1 for an event that Stripe does not know, and does the others", async () => {
    const product = await app.stripe.products.create({ name: "Late" });
    const { lines } = await app.runJson("events", "list", "--limit", "1");
    const { events } = lines[0] as { events: { id: string }[] };
    const { code, stdout } = await app.run("events", "replay", "evt_none", events[0]!.id);
    expect(code).toBe(1);
    expect(stdout).toContain("✗ evt_none: ");
    const sql = "SELECT product_id FROM billing.backend_billing_products WHERE product_id = $1";
    expect(await app.query(sql, [product.id])).toHaveLength(1);
  });
});

describe("sync", () => {
  const env = () => ({ ...app.env, STRIPE_HOST: app.double.url });

  it("finds Stripe by STRIPE_HOST and the application by BASE_URL", async () => {
    const address = { BASE_URL: "https://app.example" };
    const args = ["sync", "--no-data", "--webhook"];
    expect(await runCommand(args, { env: { ...env(), ...address } })).toMatchObject({ code: 0 });
    const { data } = await app.stripe.webhookEndpoints.list();
    expect(data.map(({ url }) => url)).toEqual(["https://app.example/stripe/webhook"]);
    await app.stripe.webhookEndpoints.del(data[0]!.id);
    const lost = await runCommand(args, { env: env() });
    expect(lost).toMatchObject({ code: 2, stderr: expect.stringContaining("BASE_URL") });
  });

  it("ends with 1 and says what to do if Stripe does not know the key", async () => {
    const wrong = { ...env(), STRIPE_SECRET_KEY: "sk_test_ofNoAccount" };
    const { code, stderr } = await runCommand(["sync"], { env: wrong });
    expect(code).toBe(1);
    expect(stderr).toContain("Check STRIPE_SECRET_KEY");
  });
});

describe("every command", () => {
  const commands = [
    ["migrate"],
    ["migrate", "--print"],
    ["sync"],
    ["status"],
    ["verify"],
    ["verify", "--sample", "5"],
    ["reconcile"],
    ["events", "list"],
    ["events", "show", "evt_none"],
    ["events", "replay", "evt_none"],
    ["sync", "--no-data"],
    ["sync", "--nonsense"],
    ["nonsense"],
  ];

  it.each(commands)("prints nothing but JSON under --json: %s %s %s", async (...args) => {
    const { lines } = await app.runJson(...args);
    for (const line of lines) expect(line).toBeTypeOf("object");
    expect(lines.length).toBeGreaterThan(0);
  });

  it.each([
    [["nonsense"], 2, "unknown command"],
    [["sync", "--nonsense"], 2, "unknown option"],
    [["sync", "--no-data"], 2, "Nothing to do"],
    [["sync", "--resources", "cats"], 2, "cats"],
    [["sync", "--rate", "fast"], 2, "--rate must be a number above 0"],
    [["events", "list", "--limit", "0"], 2, "--limit"],
    [["status", "--env", "nowhere"], 2, "There is no file nowhere"],
    [["status", "--schema", "nowhere"], 1, "npx backend-billing migrate"],
    [["sync", "--schema", "nowhere"], 1, "npx backend-billing migrate"],
  ])("says what is wrong: %s ends with %i", async (args, expected, words) => {
    const { code, stderr } = await app.run(...args);
    expect(stderr).toContain(words);
    expect(code).toBe(expected);
  });

  it("says which setting is missing", async () => {
    const nothing = await runCommand(["sync"], { cwd: tmpdir() });
    expect(nothing.code).toBe(2);
    expect(nothing.stderr).toContain("set DATABASE_URL");
    const keyless = await runCommand(["sync"], {
      cwd: tmpdir(),
      env: { DATABASE_URL: app.databaseUrl },
    });
    expect(keyless.code).toBe(2);
    expect(keyless.stderr).toContain("STRIPE_SECRET_KEY");
  });

  it("says what to do when Stripe does not know the key, without showing it", async () => {
    const env = { ...app.env, STRIPE_SECRET_KEY: "sk_test_thisIsNotAKeyOfAnybody" };
    const args = ["events", "list", "--stripe-host", app.double.url];
    const { code, stderr } = await runCommand(args, { env });
    expect(code).toBe(1);
    expect(stderr).toContain("Check STRIPE_SECRET_KEY");
    expect(stderr).not.toContain("thisIsNotAKeyOfAnybody");
  });

  it("keeps secrets to itself even when they are what it must complain about", async () => {
    const { secretKey } = app.double;
    for (const more of [[], ["--json"]]) {
      const wrong = await app.run("sync", "--rate", secretKey, ...more);
      expect(wrong.code).toBe(2);
      expect(wrong.stdout + wrong.stderr).toContain("sk_test_…"); // it would have been there
      const unknown = await app.run(secretKey, ...more);
      expect(unknown.stdout + unknown.stderr).toContain("sk_test_…");
      const place = await app.run("status", "--url", app.databaseUrl, ...more);
      expect(place.stdout + place.stderr).toContain("postgres:…@");
    }
  });

  it("shows its options, and its version", async () => {
    const help = await runCommand(["sync", "--help"]);
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("--stripe-host") });
    expect((await runCommand(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
