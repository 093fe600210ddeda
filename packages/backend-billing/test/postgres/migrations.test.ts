// The migrations on a real server: what they create, what they refuse, and that they run once.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { readCatalog, readSteps } from "../../../../support/postgres/catalog.js";
import {
  createDatabase,
  createPool,
  databaseOfEachTest,
  directly,
} from "../../../../support/postgres/database.js";
import { raceMigrations } from "../../../../support/postgres/migrate-race.js";
import { olderBinaries } from "../../../../support/postgres/server.js";
import { type ResourceName, resourceNames } from "../../src/core/catalogue/catalogue.js";
import { BillingError } from "../../src/core/runtime/errors.js";
import { applySteps, migrate, printMigrations } from "../../src/postgres/schema/migrations.js";
import { allSteps, type Step } from "../../src/postgres/schema/steps.js";
import { tablesFor } from "../../src/postgres/schema/tables.js";

const everything = { resources: "all" } as const;
const stepIds = allSteps.map((step) => step.id);
const tableNames = (resources: readonly ResourceName[] = resourceNames) =>
  tablesFor(resources)
    .map((table) => table.name)
    .sort();

const own = databaseOfEachTest();
let pool: pg.Pool;
beforeEach(() => {
  pool = own.pool;
});

const tablesIn = async (schema: string) => Object.keys(await readCatalog(pool, schema));

async function refusal(work: Promise<unknown>): Promise<BillingError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof BillingError) return error;
  throw new Error("It should have been refused.", { cause: error });
}

describe("migrate", () => {
  it("creates every table of an empty database, and records the steps", async () => {
    const before = Date.now();
    expect(await migrate(pool, everything)).toEqual({ applied: stepIds });
    expect(await tablesIn("billing")).toEqual(tableNames());
    const { rows } = await pool.query(
      "SELECT id, applied_at FROM billing.backend_billing_migrations",
    );
    expect(rows.map((row) => row.id)).toEqual(stepIds);
    for (const row of rows) {
      expect(Number(row.applied_at)).toBeGreaterThan(before - 60_000);
      expect(Number(row.applied_at)).toBeLessThan(Date.now() + 60_000);
    }
  });

  it("has nothing to do the second time, and leaves the rows alone", async () => {
    await migrate(pool, everything);
    await pool.query(
      "INSERT INTO billing.backend_billing_coupons (coupon_id, stripe, last_synced_at) VALUES ('c', '{}', 1)",
    );
    const catalog = await readCatalog(pool, "billing");
    expect(await migrate(pool, everything)).toEqual({ applied: [] });
    expect(await readCatalog(pool, "billing")).toEqual(catalog);
    expect((await pool.query("SELECT * FROM billing.backend_billing_coupons")).rows).toHaveLength(
      1,
    );
  });

  it.each(["billing", 'Billing "x"', "select; --'", "mit Ümläuten"])(
    "creates the schema %s and puts everything there",
    async (schema) => {
      expect(await migrate(pool, { ...everything, schema })).toEqual({ applied: stepIds });
      expect(await migrate(pool, { ...everything, schema })).toEqual({ applied: [] });
      expect(await tablesIn(schema)).toEqual(tableNames());
      expect(await tablesIn("public")).toEqual([]);
    },
  );

  it("keeps two schemas of one database apart", async () => {
    await migrate(pool, { ...everything, schema: "one" });
    expect(await migrate(pool, { ...everything, schema: "two" })).toEqual({ applied: stepIds });
    expect(await tablesIn("two")).toEqual(await tablesIn("one"));
  });

  it("adds tables when more resources are chosen, and drops none when fewer are", async () => {
    const few = ["products", "prices"] as const;
    expect(await migrate(pool, { resources: few })).toEqual({
      applied: allSteps
        .filter(({ resource }) => !resource || few.some((name) => name === resource))
        .map(({ id }) => id),
    });
    expect(await tablesIn("billing")).toEqual(tableNames(few));
    expect(await migrate(pool, everything)).toEqual({
      applied: allSteps
        .filter(({ resource }) => resource && !few.some((name) => name === resource))
        .map(({ id }) => id),
    });
    expect(await migrate(pool, { resources: few })).toEqual({ applied: [] });
    expect(await tablesIn("billing")).toEqual(tableNames());
  });

  it("applies a step that a later version adds, once", async () => {
    await migrate(pool, everything);
    const added: Step = {
      id: "0002_note",
      creates: [],
      statements: (schema) => [
        `ALTER TABLE "${schema}".backend_billing_records ADD COLUMN note text`,
      ],
    };
    const steps = [...allSteps, added];
    expect(await applySteps(pool, "billing", steps)).toEqual({ applied: ["0002_note"] });
    expect(await applySteps(pool, "billing", steps)).toEqual({ applied: [] });
  });

  it("changes nothing when a step fails, and says why", async () => {
    const broken: Step = { id: "0002_broken", creates: [], statements: () => ["SELECT 1 / 0"] };
    const error = await refusal(applySteps(pool, "billing", [...allSteps, broken]));
    expect(error.code).toBe("store_error");
    expect(error.message).toContain("division by zero");
    expect(error.cause).toMatchObject({ code: "22012" });
    const { rows } = await pool.query("SELECT 1 FROM pg_namespace WHERE nspname = 'billing'");
    expect(rows).toEqual([]);
  });

  it("refuses a schema that a newer version migrated", async () => {
    await migrate(pool, { resources: ["products"] });
    await pool.query("INSERT INTO billing.backend_billing_migrations VALUES ('0009_future', 1)");
    const error = await refusal(migrate(pool, everything));
    expect(error.code).toBe("invalid_config");
    expect(error.message).toContain("0009_future");
    expect(error.message).toContain("newer version");
    expect(await tablesIn("billing")).toEqual(tableNames(["products"]));
  });

  it("refuses tables that drizzle-kit owns", async () => {
    const [core] = allSteps;
    await pool.query("CREATE SCHEMA billing");
    for (const statement of core!.statements("billing")) await pool.query(statement);
    const before = await readCatalog(pool, "billing");
    const error = await refusal(migrate(pool, everything));
    expect(error.code).toBe("invalid_config");
    expect(error.message).toMatch(/drizzle-kit owns these tables.*never both/);
    expect(await readCatalog(pool, "billing")).toEqual(before);
    expect(
      (await pool.query("SELECT to_regclass('billing.backend_billing_migrations') AS t")).rows,
    ).toEqual([{ t: null }]);
  });

  it("refuses a table that somebody else added since", async () => {
    await migrate(pool, { resources: ["products"] });
    await pool.query("CREATE TABLE billing.backend_billing_prices (id int)");
    expect((await refusal(migrate(pool, everything))).message).toContain(
      "already has backend_billing_prices",
    );
  });

  it.each(["", "x".repeat(64), "ü".repeat(32), "nul\0"])(
    "refuses %j as a schema",
    async (schema) => {
      expect((await refusal(migrate(pool, { ...everything, schema }))).code).toBe("invalid_config");
    },
  );

  it("refuses a resource that does not exist", async () => {
    const resources = ["prodcuts" as ResourceName];
    expect((await refusal(migrate(pool, { resources }))).code).toBe("invalid_config");
  });

  it("only reads when there is nothing to do, so it needs no right to create anything", async () => {
    await migrate(pool, { ...everything, schema: "billing" });
    const url = directly(own.url, "a setting that a connection brings along from its start");
    const reader = createPool(url, { options: "-c default_transaction_read_only=on" });
    try {
      expect(await migrate(reader, { ...everything, schema: "billing" })).toEqual({ applied: [] });
      expect((await refusal(migrate(reader, { schema: "other" }))).code).toBe("store_error");
    } finally {
      await reader.end();
    }
  });

  it("leaves nothing behind on the connection, so a transaction pooler may share it", async () => {
    const single = createPool(own.url, { max: 1 });
    try {
      const settings = "SELECT name, setting FROM pg_settings ORDER BY name";
      const before = (await single.query(settings)).rows;
      await migrate(single);
      expect((await single.query(settings)).rows).toEqual(before);
      const locks = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()";
      expect((await single.query(locks)).rows).toEqual([]);
    } finally {
      await single.end();
    }
  });

  it("runs once however many processes call it (`npm run migrate:race` has more rounds)", {
    tags: ["slow"],
  }, async () => {
    expect(await raceMigrations(inject("postgresUrl"), { rounds: 3 })).toEqual({
      processes: 10,
      rounds: 3,
      applied: 3,
      waited: 27,
      complete: 3,
      errors: [],
    });
  });
});

describe("printMigrations", () => {
  const psql = olderBinaries && join(olderBinaries, "psql");
  const hasPsql = psql !== undefined && existsSync(psql);
  const runners: [name: string, run: (sql: string) => unknown, present: boolean][] = [
    ["a client", (sql) => pool.query(sql), true],
    [
      hasPsql ? "psql" : "psql (skipped: it is not installed here)",
      (input) => execFileSync(psql!, ["-X", "-q", "-d", own.url], { input, stdio: "pipe" }),
      hasPsql,
    ],
  ];

  describe.each(runners)("run by %s", (_, run, present) => {
    it.skipIf(!present).each(["public", "billing", 'Billing "x"'])(
      "leaves nothing for `migrate` to do in the schema %s",
      async (schema) => {
        await run(printMigrations({ ...everything, schema }));
        const printed = await readCatalog(pool, schema);
        expect(await readSteps(pool, schema)).toEqual([...stepIds].sort());
        expect(await migrate(pool, { ...everything, schema })).toEqual({ applied: [] });

        const other = await createDatabase();
        const otherPool = createPool(other.url);
        try {
          await migrate(otherPool, { ...everything, schema });
          expect(printed).toEqual(await readCatalog(otherPool, schema));
        } finally {
          await otherPool.end();
          await other.drop();
        }
      },
    );
  });

  it("leaves out what the database already has", async () => {
    const { applied } = await migrate(pool, { resources: ["products"] });
    await pool.query(printMigrations({ ...everything, applied }));
    expect(await tablesIn("billing")).toEqual(tableNames());
    expect(await migrate(pool, everything)).toEqual({ applied: [] });
  });

  it("changes nothing when it is run over tables that exist", async () => {
    await migrate(pool, { resources: ["products"] });
    await expect(pool.query(printMigrations(everything))).rejects.toThrow(/already exists/);
    expect(await tablesIn("billing")).toEqual(tableNames(["products"]));
  });
});
