// Who sees the tables: their owner, the roles that are named, and nobody else. A role that would see
// empty tables is refused before it can make second customers.
import type pg from "pg";
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { createPool } from "../../../../support/postgres/database.js";
import { createRole, dropRoles, type TestRole } from "../../../../support/postgres/role.js";
import { defaultResources } from "../../src/core/catalogue/catalogue.js";
import type { PostgresConfig } from "../../src/postgres/index.js";
import { migrate, printMigrations } from "../../src/postgres/index.js";
import { applySteps } from "../../src/postgres/schema/migrations.js";
import { allSteps } from "../../src/postgres/schema/steps.js";
import type { StripeDouble } from "../../src/testing/index.js";
import { installationOfEachTest } from "./installation-kit.js";
import { billingError, eventually, listen } from "./service/kit.js";

// Hooks end in the reverse order: roles are removed when the database is gone.
afterEach(() =>
  dropRoles(
    inject("postgresUrl"),
    roles.map(({ name }) => name),
  ),
);
const own = installationOfEachTest();
const { open } = own;
let owner: pg.Pool;
let double: StripeDouble;
let roles: TestRole[];
let pools: pg.Pool[];

beforeEach(() => {
  ({ pool: owner, double } = own);
  roles = [];
  pools = [];
});
afterEach(async () => {
  for (const pool of pools) await pool.end();
});

/** A role without a privilege, and a pool of its connections. */
async function role(): Promise<TestRole & { readonly pool: pg.Pool }> {
  const made = await createRole(own, owner);
  const pool = createPool(made.url);
  roles.push(made);
  pools.push(pool);
  return { ...made, pool };
}

/** An installation with one customer in it. */
async function install(settings: Partial<PostgresConfig> = {}): Promise<void> {
  const { store, setup } = open(owner, settings);
  await store.migrate();
  await setup({ entityId: "victim", email: "victim@example.com" });
}

const grantAll = (name: string) =>
  owner.query(
    `GRANT USAGE ON SCHEMA billing TO ${name}; GRANT ALL ON ALL TABLES IN SCHEMA billing TO ${name}`,
  );

const tablesOf = async (schema: string): Promise<string[]> =>
  (
    await owner.query(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = $1",
      [schema],
    )
  ).rows.map(({ name }) => name);

/** What a role gets of every table, by each kind of statement: the error's code, or rows. */
async function attempts(pool: pg.Pool, schema: string): Promise<Set<unknown>> {
  const seen = new Set<unknown>();
  for (const table of await tablesOf(schema)) {
    for (const text of [
      `SELECT * FROM ${table}`,
      `INSERT INTO ${table} DEFAULT VALUES`,
      `DELETE FROM ${table}`,
      `TRUNCATE ${table}`,
    ]) {
      seen.add(
        await pool.query(text).then(
          ({ rowCount }) => rowCount,
          (error: { code: string }) => error.code,
        ),
      );
    }
  }
  return seen;
}

const INSUFFICIENT_PRIVILEGE = "42501";

describe("a role that a data API gives everything in `public`", () => {
  async function anon() {
    const made = await role();
    await owner.query(`GRANT ALL ON SCHEMA public TO ${made.name}`);
    for (const kind of ["TABLES", "SEQUENCES", "FUNCTIONS"]) {
      await owner.query(
        `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON ${kind} TO ${made.name}`,
      );
    }
    return made;
  }

  it("sees nothing of a new installation, and changes nothing", async () => {
    const { pool } = await anon();
    await install();
    expect(await attempts(pool, "billing")).toEqual(new Set([INSUFFICIENT_PRIVILEGE]));
    expect(await tablesOf("billing")).toHaveLength(9 + defaultResources.length);
  });

  it("nor of one in `public`", async () => {
    const { pool } = await anon();
    await install({ schema: "public" });
    expect(await attempts(pool, "public")).toEqual(new Set([INSUFFICIENT_PRIVILEGE]));
  });

  it("nor where default privileges give it every table of every schema", async () => {
    const { pool, name } = await anon();
    await owner.query(`ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO ${name}, PUBLIC`);
    await owner.query(`ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO ${name}, PUBLIC`);
    await install();
    expect(await attempts(pool, "billing")).toEqual(new Set([INSUFFICIENT_PRIVILEGE]));
  });

  it("sees no row even where it was granted the tables later", async () => {
    const { pool, name } = await anon();
    await install();
    await grantAll(name);
    for (const table of await tablesOf("billing")) {
      expect((await pool.query(`SELECT * FROM ${table}`)).rows).toEqual([]);
    }
  });
});

describe("an application that connects as a role which sees no rows", () => {
  const calls = (pool: pg.Pool) => {
    const { setup, sync, checkout, store } = open(pool);
    return [
      () => setup({ entityId: "victim" }),
      () => sync(),
      () => store.customerOf("victim"),
      () =>
        checkout({
          entityId: "victim",
          priceId: "price_1",
          successUrl: "http://localhost:3000",
          cancelUrl: "http://localhost:3000",
        }),
    ];
  };
  const policy = (name: string, rest: string) =>
    owner.query(`DO $$ DECLARE t text; BEGIN
      FOR t IN SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'billing' LOOP
        EXECUTE 'CREATE POLICY own ON ' || t || ' ${rest.replace("ROLE", name)}';
      END LOOP; END $$`);

  it.each([
    ["no policy", "hides rows", async () => {}],
    ["a policy for others", "hides rows", () => policy("pg_monitor", "TO ROLE USING (true)")],
    [
      "a policy with a condition",
      "hides rows",
      (name: string) => policy(name, "TO ROLE USING (1 = 2)"),
    ],
    [
      "a policy for reading alone",
      "hides rows",
      (name: string) => policy(name, "FOR SELECT TO ROLE USING (true)"),
    ],
    [
      "a restrictive policy",
      "hides rows",
      async (name: string) => {
        await migrate(owner, { roles: [name] });
        await policy("PUBLIC", "AS RESTRICTIVE TO ROLE USING (false)");
      },
    ],
    [
      "no privilege",
      "may not read",
      (name: string) => owner.query(`REVOKE ALL ON SCHEMA billing FROM ${name}`),
    ],
  ])("is refused with %s, and makes no second customer", async (_, words, arrange) => {
    const { pool, name } = await role();
    await install();
    await grantAll(name);
    await arrange(name);
    for (const call of calls(pool)) {
      const error = await billingError(call());
      expect(error.code).toBe("invalid_config");
      expect(error.message).toContain(words);
      expect(error.message).toContain(`migrate --roles ${name}`);
    }
    expect(double.objects("customer")).toHaveLength(1);
  });

  it("is refused by `migrate` too, which would take the tables for another's", async () => {
    const { pool, name } = await role();
    await install();
    await grantAll(name);
    const error = await billingError(migrate(pool));
    expect(error.code).toBe("invalid_config");
    expect(error.message).toContain("backend_billing_migrations");
  });

  it("is not refused where a policy of another name shows it every row", async () => {
    const { pool, name } = await role();
    await install();
    await grantAll(name);
    await policy(name, "TO ROLE USING (true)");
    await open(pool).setup({ entityId: "victim" });
    expect(double.objects("customer")).toHaveLength(1);
  });

  it("may read where it may do nothing else and a policy shows it every row", async () => {
    const { pool, name } = await role();
    await install();
    await owner.query(`GRANT USAGE ON SCHEMA billing TO ${name}`);
    await owner.query(`GRANT SELECT ON ALL TABLES IN SCHEMA billing TO ${name}`);
    await policy(name, "FOR SELECT TO ROLE USING (true)");
    expect(await open(pool).store.customerOf("victim")).toBeDefined();
  });
});

describe("a role that is named", () => {
  it("is enough for everything: setup, sync, webhooks, and `migrate` with nothing to do", async () => {
    const { pool, name } = await role();
    await install({ roles: [name] });
    const secrets: string[] = [];
    const server = await listen((request, response) => app.billing.nodeHandler(request, response));
    const app = open(pool, { roles: [name], base_url: server.url, webhook_secret: secrets });
    try {
      expect(await app.store.migrate()).toEqual({ applied: [] });
      await app.setup({ entityId: "victim" });
      await app.setup({ entityId: "second" });
      expect(double.objects("customer")).toHaveLength(2);
      const { webhook, state } = await app.sync({ webhook: true, portal: true });
      expect(state).toBe("done");
      secrets.push(webhook?.secret ?? "");
      const stripe = new Stripe(double.secretKey, double.stripeConfig);
      const { id } = await stripe.products.create({ name: "Engine" });
      await eventually(
        () => app.store.row("products", id),
        (row) => row !== undefined,
      );
      await stripe.products.del(id);
      await eventually(
        () => app.store.row("products", id),
        (row) => row === undefined,
      );
    } finally {
      await server.close();
    }
  });

  it("can be one of several, and be added later", async () => {
    const [first, second] = [await role(), await role()];
    await install({ roles: [first.name] });
    expect((await billingError(open(second.pool).setup({ entityId: "victim" }))).code).toBe(
      "invalid_config",
    );
    expect(await migrate(owner, { roles: [first.name, second.name] })).toEqual({ applied: [] });
    for (const { pool } of [first, second]) await open(pool).setup({ entityId: "victim" });
    expect(double.objects("customer")).toHaveLength(1);
  });

  it("keeps what it has where `roles` is left out, and gets tables that are added", async () => {
    const { pool, name } = await role();
    await migrate(owner, { roles: [name], resources: ["customers"] });
    await migrate(owner);
    expect(await open(pool).store.plans()).toEqual([]);
  });

  it("loses its privileges with its policy when it is no longer named", async () => {
    const { pool, name } = await role();
    await install({ roles: [name] });
    const running = open(pool);
    await running.setup({ entityId: "victim" });
    await migrate(owner, { roles: [] });
    // A process that runs already hears of it: it is refused, and does not see empty tables.
    await expect(running.setup({ entityId: "victim" })).rejects.toThrow(/permission denied/);
    expect(await attempts(pool, "billing")).toEqual(new Set([INSUFFICIENT_PRIVILEGE]));
    const { rows } = await owner.query("SELECT 1 FROM pg_policies WHERE schemaname = 'billing'");
    expect(rows).toEqual([]);
  });

  it("keeps both while it would still have privileges by another way", async () => {
    const { pool, name } = await role();
    await install({ roles: [name] });
    await owner.query("GRANT SELECT ON billing.backend_billing_records TO PUBLIC");
    const error = await billingError(migrate(owner, { roles: [] }));
    expect(error.code).toBe("invalid_config");
    expect(error.message).toContain(name);
    await open(pool).setup({ entityId: "victim" });
    expect(double.objects("customer")).toHaveLength(1);
  });

  it("is granted nothing that it does not need", async () => {
    const { name } = await role();
    await install({ roles: [name] });
    const { rows } = await owner.query(
      `SELECT DISTINCT privilege_type AS privilege FROM information_schema.role_table_grants
       WHERE grantee = $1 ORDER BY 1`,
      [name],
    );
    expect(rows.map(({ privilege }) => privilege)).toEqual([
      "DELETE",
      "INSERT",
      "SELECT",
      "UPDATE",
    ]);
    const record = await owner.query(
      `SELECT privilege_type AS privilege FROM information_schema.role_table_grants
       WHERE grantee = $1 AND table_name = 'backend_billing_migrations'`,
      [name],
    );
    expect(record.rows).toEqual([{ privilege: "SELECT" }]);
  });

  it("needs no writing when nothing changed", async () => {
    const { name } = await role();
    await migrate(owner, { roles: [name] });
    const reader = createPool(own.url, { options: "-c default_transaction_read_only=on" });
    pools.push(reader);
    expect(await migrate(reader, { roles: [name] })).toEqual({ applied: [] });
  });

  it.each([
    ["that does not exist", ["nobody_of_this_name"], "no such role"],
    ["`public`", ["public"], "cannot name public"],
    ["without a name", [""], "1 to 63 bytes"],
  ])("is refused: one %s", async (_, named, words) => {
    const error = await billingError(migrate(owner, { roles: named }));
    expect(error).toMatchObject({ code: "invalid_config" });
    expect(error.message).toContain(words);
    expect(await tablesOf("billing")).toEqual([]);
  });

  it("is served by the printed SQL too, whose repetition changes nothing", async () => {
    const { pool, name } = await role();
    await owner.query(printMigrations({ roles: [name] }));
    await owner.query(printMigrations({ roles: [name], applied: allSteps.map(({ id }) => id) }));
    const reader = createPool(own.url, { options: "-c default_transaction_read_only=on" });
    pools.push(reader);
    expect(await migrate(reader, { roles: [name] })).toEqual({ applied: [] });
    await open(pool).setup({ entityId: "victim" });
  });
});

describe("an installation from before row security", () => {
  const before = allSteps.slice(
    0,
    allSteps.findIndex(({ secures }) => secures !== undefined),
  );

  it("is brought up to date without a word where only its owner uses it", async () => {
    await applySteps(owner, "billing", before);
    const { applied } = await migrate(owner, { resources: "all" });
    expect(applied).toEqual(allSteps.slice(before.length).map(({ id }) => id));
  });

  it("must say which roles are its own where others have privileges", async () => {
    const [app, stranger] = [await role(), await role()];
    await applySteps(owner, "billing", before);
    for (const { name } of [app, stranger]) await grantAll(name);
    const running = open(app.pool);
    await running.setup({ entityId: "victim" });
    const error = await billingError(migrate(owner));
    expect(error.code).toBe("invalid_config");
    expect(error.message).toContain(app.name);
    expect(error.message).toContain("--roles none");
    await running.setup({ entityId: "victim" });

    await migrate(owner, { roles: [app.name] });
    await running.setup({ entityId: "victim" });
    expect(double.objects("customer")).toHaveLength(1);
    const hidden = await stranger.pool.query("SELECT * FROM billing.backend_billing_records");
    expect(hidden.rows).toEqual([]);
  });

  it("may say that none is", async () => {
    const { name } = await role();
    await applySteps(owner, "billing", before);
    await grantAll(name);
    await migrate(owner, { roles: [] });
    await open(owner).setup({ entityId: "victim" });
  });
});
