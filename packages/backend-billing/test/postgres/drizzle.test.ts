// The Drizzle schema: generated from the same tables as the migrations, and the same in a database
// whether `migrate` or drizzle-kit applied it.
import { readFile } from "node:fs/promises";
import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { generateDrizzle } from "../../../../scripts/generate-drizzle.js";
import { type Catalog, readCatalog } from "../../../../support/postgres/catalog.js";
import { createDatabase, createPool } from "../../../../support/postgres/database.js";
import {
  olderBinaries,
  type PostgresServer,
  startPostgres,
} from "../../../../support/postgres/server.js";
import { defaultResources, namesOf } from "../../src/core/catalogue/catalogue.js";
import {
  billingCustomers,
  billingSubscriptions,
  createBillingTables,
} from "../../src/drizzle/index.js";
import { migrate } from "../../src/postgres/schema/migrations.js";
import { tablesFor } from "../../src/postgres/schema/tables.js";
import { createDrizzleApp, type DrizzleApp } from "./drizzle-app.js";

it.each([...generateDrizzle()])(
  "%s is not stale (`npm run generate` renews it)",
  async (path, text) => {
    expect(await readFile(new URL(`../../../../${path}`, import.meta.url), "utf8")).toBe(text);
  },
);

describe("a row written by Drizzle", () => {
  it("comes back with the specification's field names", async () => {
    const database = await createDatabase();
    const pool = createPool(database.url);
    try {
      await migrate(pool);
      const db = drizzle(pool);
      await db.insert(billingSubscriptions).values({ customerId: "cus_1", last_synced_at: 1.5e12 });
      expect(await db.select().from(billingSubscriptions)).toEqual([
        {
          _id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          subscriptionId: null,
          customerId: "cus_1",
          stripe: null,
          last_synced_at: 1_500_000_000_000,
        },
      ]);
      const nobody = db.select().from(billingCustomers).where(eq(billingCustomers.entityId, "x"));
      expect(await nobody).toEqual([]);
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});

// drizzle-kit 0.31 does not quote a schema's name everywhere: `push` cannot take `Billing`.
const fromFactory = (name: string, tables: object, roles: readonly string[]) => ({
  name,
  roles,
  resources: "all" as const,
  source: `import { createBillingTables } from "backend-billing/drizzle";
    export const { ${Object.keys(tables).join(", ")} } =
      createBillingTables("${name}", { roles: ${JSON.stringify(roles)} });`,
});
// Roles that every server has.
const apps = [
  {
    name: "billing",
    roles: [],
    resources: defaultResources,
    source: 'export * from "backend-billing/drizzle";',
  },
  fromFactory("app_billing", createBillingTables("app_billing"), ["pg_monitor", "pg_checkpoint"]),
  fromFactory("public", createBillingTables("public"), []),
];

describe("on the PostgreSQL of the run", () => {
  compareCatalogs(() => inject("postgresUrl"));
});

describe.skipIf(!olderBinaries)(
  `on Debian's PostgreSQL 15${olderBinaries ? "" : " (skipped: it is not installed here)"}`,
  { tags: ["slow"] },
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres({ binaries: olderBinaries!, settings: { fsync: "off" } });
    });
    afterAll(() => server.stop());
    compareCatalogs(() => server.url);
  },
);

/**
 * drizzle-kit 0.31 creates a policy without its conditions when it pushes, and such a policy shows
 * nothing. docs/recipes/roles.md says what to do, and the first use of a store finds it out.
 */
const withoutConditions = (catalog: Catalog): Catalog =>
  Object.fromEntries(
    Object.entries(catalog).map(([name, table]) => [
      name,
      { ...table, policies: table.policies.map((text) => text.replace(/ true true$/, "")) },
    ]),
  );

function compareCatalogs(adminUrl: () => string): void {
  /** The catalog of a new database after `apply`. */
  async function catalogAfter(
    name: string,
    apply: (pool: pg.Pool, url: string) => Promise<unknown>,
  ): Promise<Catalog> {
    const database = await createDatabase(adminUrl());
    const pool = createPool(database.url);
    try {
      await apply(pool, database.url);
      return await readCatalog(pool, name);
    } finally {
      await pool.end();
      await database.drop();
    }
  }

  describe.each(apps)("in the schema $name", ({ name, roles, resources, source }) => {
    let app: DrizzleApp;
    let migrated: Catalog;

    beforeAll(async () => {
      app = await createDrizzleApp(source, name);
      migrated = await catalogAfter(name, (pool) =>
        migrate(pool, { schema: name, roles, resources }),
      );
    });
    afterAll(() => app.remove());

    it("`migrate` creates every table", () => {
      expect(Object.keys(migrated).sort()).toEqual(
        tablesFor(namesOf(resources))
          .map((table) => table.name)
          .sort(),
      );
    });

    it("`drizzle-kit generate` describes what `migrate` creates", async () => {
      const sql = await app.generate();
      expect(await catalogAfter(name, (pool) => pool.query(sql))).toEqual(migrated);
    });

    it("`drizzle-kit push` makes what `migrate` creates, and keeps it when repeated", {
      tags: ["slow"],
    }, async () => {
      const pushed = await catalogAfter(name, async (_, url) => {
        expect(await app.push(url)).toContain("Changes applied");
        // A second push changes nothing that counts. drizzle-kit may remake a primary key of two
        // columns that it read back in another order, so its words are not compared.
        await app.push(url);
      });
      expect(pushed).toEqual(roles.length === 0 ? migrated : withoutConditions(migrated));
    });
  });
}
