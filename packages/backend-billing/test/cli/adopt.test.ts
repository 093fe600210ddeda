// @module-tag slow
// The command `adopt` as a process: a file of pairs, of which some cannot be taken over.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseCsv } from "../../src/cli/adopt/csv.js";
import { type Application, createApplication } from "./kit.js";

let app: Application;
const folder = mkdtempSync(join(tmpdir(), "backend-billing-adopt-"));
const [file, report] = [join(folder, "pairs.csv"), join(folder, "refused.csv")];
beforeAll(async () => {
  app = await createApplication();
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const made = async (metadata: { [key: string]: string } = {}) =>
  (await app.stripe.customers.create({ metadata })).id;
const links = async () =>
  Object.fromEntries(
    (
      await app.query<{ id: string; ref: string }>(
        "SELECT id, ref FROM billing.backend_billing_records WHERE kind = 'claim' AND ref IS NOT NULL",
      )
    ).map(({ id, ref }) => [id, ref]),
  );
const reported = () =>
  parseCsv(readFileSync(report, "utf8")).map(({ fields: [line, entity, , code] }) =>
    [line, entity, code].join(" "),
  );

it("says what would be done, does it, and does the same again for nothing", async () => {
  const [one, two, theirs, gone, twice] = [
    await made(),
    await made({ entityId: "user_2" }),
    await made({ entityId: "somebody" }),
    await made(),
    await made(),
  ] as const;
  await app.stripe.customers.del(gone);
  const rows = [
    ["user_1", one],
    ["user_2", two],
    ["user_3", theirs],
    ["user_4", gone],
    ["user_5", "cus_none"],
    ["user_6", twice],
    ["user_7", twice],
    ["user_8", ""],
  ];
  const text = ["entityId,customerId", ...rows.map((row) => row.join(","))].join("\n");
  writeFileSync(file, text);
  const refused = [
    "line entityId code",
    "4 user_3 already_linked",
    "5 user_4 customer_not_found",
    "6 user_5 customer_not_found",
    "7 user_6 duplicate",
    "8 user_7 duplicate",
    "9 user_8 malformed",
  ];

  const dry = await app.run("adopt", file, "--dry-run", "--report", report);
  expect(dry.code, dry.stderr).toBe(3);
  expect(dry.stdout).toContain("2 pairs could be linked");
  expect(reported()).toEqual(refused);
  expect(await links()).toEqual({});
  expect(app.double.objects("customer").find(({ id }) => id === one)?.metadata).toEqual({});

  const real = await app.run("adopt", file, "--report", report);
  expect(real.code, real.stderr).toBe(3);
  expect(real.stdout).toContain("2 pairs linked");
  expect(real.stdout).toContain("6 pairs refused");
  expect(real.stdout).toContain(`line 5: user_4, ${gone}: customer_not_found: `);
  expect(reported()).toEqual(refused);
  expect(await links()).toEqual({ user_1: one, user_2: two });
  expect(app.double.objects("customer").find(({ id }) => id === one)?.metadata).toEqual({
    entityId: "user_1",
  });

  writeFileSync(file, `entityId,customerId\nuser_1,${one}\nuser_2,${two}\n`);
  const { code, lines } = await app.runJson("adopt", file);
  expect([code, lines.at(-1)]).toMatchObject([0, { linked: 2, refused: [], failed: 0, left: 0 }]);
});

it("is refused without a file, and without its columns", async () => {
  expect((await app.run("adopt", join(folder, "none.csv"))).code).toBe(2);
  writeFileSync(file, "user_1,cus_1\n");
  const headless = await app.run("adopt", file);
  expect([headless.code, headless.stderr]).toEqual([
    2,
    expect.stringContaining("entityId,customerId"),
  ]);
});

it("reports what Stripe fails at apart, and ends with 1; the same command goes on", async () => {
  const id = await made();
  writeFileSync(file, `entityId,customerId\nuser_20,${id}\n`);
  const fault = { fault: "error_before", on: "GET /v1/customers/:customer", times: 12 } as const;
  app.double.faults.add(fault);
  const failed = await app.run("adopt", file, "--report", report);
  expect(failed.code, failed.stdout).toBe(1);
  expect(failed.stdout).toContain("Run the same command again");
  expect(reported()[1]).toBe("2 user_20 provider_error");
  app.double.faults.clear();
  expect((await app.run("adopt", file)).code).toBe(0);
  expect(await links()).toMatchObject({ user_20: id });
});
