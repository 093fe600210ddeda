// @module-tag slow
// The real command, as a process, where several applications share the Stripe account.
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { PATIENCE } from "../../../../support/patience.js";
import { createPool } from "../../../../support/postgres/database.js";
import type { StampReport } from "../../src/core/customers/stamp.js";
import { createBilling } from "../../src/postgres/index.js";
import { runCommand } from "./command.js";
import { examine, type Healthy, healthy } from "./doctor-kit.js";

const timeout = 120_000;

describe("several applications on one account", { timeout }, () => {
  let setup: Healthy;
  let pool: pg.Pool;
  beforeAll(async () => {
    setup = await healthy();
    pool = createPool(setup.databaseUrl);
  }, timeout);
  afterAll(async () => {
    await pool.end();
    await setup.close();
  }, timeout);

  const billing = (app?: string) =>
    createBilling({
      app,
      secret_key: setup.double.secretKey,
      webhook_secret: undefined,
      db: pool,
      base_url: setup.url,
      stripe_options: setup.double.stripeConfig,
    });
  const codes = async (env: { readonly [name: string]: string } = {}) =>
    (await examine(setup, { env })).findings.map(({ code }) => code);
  const fix = async (env: { readonly [name: string]: string }) => {
    const args = [...setup.args, "--fix", "--json"];
    const { code, stdout } = await runCommand(args, { env: { ...setup.env, ...env } });
    return { code, ...(JSON.parse(stdout) as { readonly mended?: StampReport }) };
  };

  it("are told, and what was linked before the name is given it by --fix", async () => {
    const { setup: setUp, sync } = billing();
    const { customerId } = await setUp({ entityId: "user_1" });
    await setUp({ entityId: "user_2" });
    const metadata = { entityId: "user_1", billingApp: "other" };
    await setup.stripe.customers.create({ metadata });
    await setup.stripe.customers.create({ metadata: { entityId: "user\u0007" } });
    await sync();

    const before = await examine(setup);
    expect(before.code).toBe(0);
    expect(before.findings).toMatchObject([
      { code: "app_missing", what: /other/, fix: /doctor --fix/ },
      { code: "customers_malformed" },
    ]);

    const acme = { BILLING_APP: "acme" };
    expect(await codes(acme)).toEqual(["customers_unmarked", "customers_malformed"]);
    const mended = await fix(acme);
    expect(mended).toMatchObject({ code: 0, mended: { stamped: 2, theirs: [], refused: [] } });
    expect(await setup.stripe.customers.retrieve(customerId)).toMatchObject({
      metadata: { entityId: "user_1", billingApp: "acme" },
    });
    expect(await fix(acme)).toMatchObject({ mended: { stamped: 0 } });
    // Where both were written within a second, only a later look tells which is the newer one.
    await vi.waitFor(
      async () => {
        await billing("acme").sync();
        expect(await codes(acme)).toEqual(["customers_malformed"]);
      },
      { timeout: PATIENCE },
    );

    // The name is stored by now.
    expect(await codes()).toContain("app_mismatch");
    const other = await fix({ BILLING_APP: "other" });
    expect(other).toMatchObject({ code: 3 });
    expect(other.mended).toBeUndefined();
  });

  it("that share a linked customer are told", async () => {
    const acme = billing("acme");
    const { customerId } = await acme.setup({ entityId: "user_3" });
    await setup.stripe.customers.update(customerId, { metadata: { billingApp: "other" } });
    await vi.waitFor(
      async () => {
        await acme.sync();
        const { code, findings } = await examine(setup, { env: { BILLING_APP: "acme" } });
        const found = findings.find((each) => each.code === "customers_of_others");
        expect(found?.what).toContain(customerId);
        expect(code).toBe(3);
      },
      { timeout: PATIENCE },
    );
  });

  it("--fix is not for Convex", async () => {
    const { code, stderr } = await runCommand([...setup.args, "--fix", "--convex"], {
      env: setup.env,
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain("--fix works on PostgreSQL");
  });
});
