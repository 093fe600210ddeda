// Where the tables are: in a schema of their own, unless an installation from before that has them
// in `public`. Which of the two is never guessed.
import type pg from "pg";
import Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { createPool } from "../../../../support/postgres/database.js";
import { migrate } from "../../src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../src/postgres/store/store.js";
import type { StripeDouble } from "../../src/testing/index.js";
import { installationOfEachTest } from "./installation-kit.js";
import { billingError } from "./service/kit.js";
import { event } from "./service/webhook-kit.js";

const own = installationOfEachTest();
let pool: pg.Pool;
let double: StripeDouble;
beforeEach(() => {
  ({ pool, double } = own);
});

const open = (settings: { readonly schema?: string } = {}, db = pool) => own.open(db, settings);

const schemasWithTables = async () =>
  (
    await pool.query(
      "SELECT DISTINCT schemaname AS name FROM pg_tables WHERE starts_with(tablename, 'backend_billing_')",
    )
  ).rows.map(({ name }) => name);

describe("without a setting", () => {
  it("a new installation is in a schema of its own", async () => {
    const { store, setup } = open();
    await store.migrate();
    await setup({ entityId: "user_1" });
    expect(await schemasWithTables()).toEqual(["billing"]);
    expect(await store.customerOf("user_1")).toBeDefined();
  });

  describe("and tables in `public`", () => {
    beforeEach(async () => {
      const before = open({ schema: "public" });
      await before.store.migrate();
      await before.setup({ entityId: "user_1" });
    });

    it.each([
      ["setup", () => open().setup({ entityId: "user_1" })],
      ["a read", () => open().store.plans()],
      ["sync", () => open().sync()],
      ["migrate", () => open().store.migrate()],
      ["the store alone", () => createPostgresStore({ pool }).records("claim", "", 1)],
    ])("%s is refused, and says what to set", async (_, call) => {
      const error = await billingError(call());
      expect(error.code).toBe("invalid_config");
      expect(error.message).toContain('set `schema: "public"`');
      expect(error.message).toContain("SET SCHEMA billing");
      expect(double.objects("customer")).toHaveLength(1);
      expect(await schemasWithTables()).toEqual(["public"]);
    });

    it("a delivery is refused with 500, so that Stripe sends it again", async () => {
      const payload = JSON.stringify(event());
      const header = await new Stripe(double.secretKey).webhooks.generateTestHeaderStringAsync({
        payload,
        secret: "whsec_1",
      });
      const request = new Request("http://localhost:3000/stripe/webhook", {
        method: "POST",
        headers: { "Stripe-Signature": header },
        body: payload,
      });
      expect((await open().billing.fetch(request)).status).toBe(500);
    });

    it("is refused even where the default schema has tables too", async () => {
      await migrate(pool, { schema: "billing" });
      expect((await billingError(open().setup({ entityId: "user_1" }))).code).toBe(
        "invalid_config",
      );
      await open({ schema: "billing" }).setup({ entityId: "user_1" });
    });

    it('`schema: "public"` goes on with them', async () => {
      const { store, setup } = open({ schema: "public" });
      expect(await store.migrate()).toEqual({ applied: [] });
      await setup({ entityId: "user_1" });
      expect(double.objects("customer")).toHaveLength(1);
    });

    it("moved as the upgrading guide says, they are found without a setting", async () => {
      await pool.query("CREATE SCHEMA billing");
      const { rows } = await pool.query(
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND starts_with(tablename, 'backend_billing_')",
      );
      for (const { name } of rows)
        await pool.query(`ALTER TABLE public.${name} SET SCHEMA billing`);
      const { store, setup } = open();
      expect(await store.migrate()).toEqual({ applied: [] });
      await setup({ entityId: "user_1" });
      expect(double.objects("customer")).toHaveLength(1);
    });
  });
});

describe("the check", () => {
  it("is made again while there are no tables, and once when there are", async () => {
    const texts: string[] = [];
    const watched = createPool(own.url);
    watched.on("connect", (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      Object.assign(client, {
        query: (...args: unknown[]) => {
          texts.push(JSON.stringify(args[0]));
          return query(...args);
        },
      });
    });
    const checks = () => texts.filter((text) => text.includes("pg_namespace")).length;
    try {
      const store = createPostgresStore({ pool: watched });
      await expect(store.record("claim", "x")).rejects.toThrow(/does not exist/);
      await migrate(pool);
      await Promise.all([store.record("claim", "x"), store.record("claim", "y")]);
      expect(checks()).toBe(2);
      texts.length = 0;
      await store.record("claim", "x");
      await createPostgresStore({ pool: watched }).record("claim", "x"); // a call's own pool
      expect(texts).toHaveLength(2);
    } finally {
      await watched.end();
    }
  });
});
