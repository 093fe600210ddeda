// @module-tag slow
// The real command, as a process: it says which roles can use the tables that should not, and where
// row security or the place of the tables is not as it should be.
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createPool } from "../../../../support/postgres/database.js";
import { createRole, dropRoles, type TestRole } from "../../../../support/postgres/role.js";
import type { Code } from "../../src/cli/doctor/catalogue.js";
import { migrate } from "../../src/postgres/schema/migrations.js";
import { type Change, examine, type Healthy, healthy } from "./doctor-kit.js";

const timeout = 120_000;
const records = "billing.backend_billing_records";

let setup: Healthy;
let owner: pg.Pool;
let anon: TestRole;
beforeAll(async () => {
  setup = await healthy();
  owner = createPool(setup.databaseUrl);
  anon = await createRole({ url: setup.databaseUrl }, owner);
}, timeout);
afterAll(async () => {
  await owner.end();
  await setup.close();
  await dropRoles(inject("postgresUrl"), [anon.name]);
}, timeout);

interface Case {
  readonly fault: string;
  /** Statements that break it, and those that mend it; ROLE is a role of no importance. */
  readonly seed: readonly string[];
  readonly mend: readonly string[];
  readonly change?: () => Change;
  readonly finds: readonly (readonly [Code, says: RegExp])[];
  readonly exit: 0 | 3;
}

const usage = "GRANT USAGE ON SCHEMA billing TO ROLE";
const nothing = [
  `REVOKE ALL ON ALL TABLES IN SCHEMA billing FROM ROLE`,
  "REVOKE ALL ON SCHEMA billing FROM ROLE",
];
const cases: readonly Case[] = [
  {
    fault: "a stray grant that row security makes void",
    seed: [usage, `GRANT SELECT ON ${records} TO ROLE`],
    mend: nothing,
    finds: [["access_granted", /ROLE \(SELECT\)/]],
    exit: 0,
  },
  {
    fault: "a stray grant that row security does not cover",
    seed: [usage, `GRANT ALL ON ${records} TO ROLE`],
    mend: nothing,
    finds: [["access_open", /ROLE \(TRUNCATE, TRIGGER\)/]],
    exit: 3,
  },
  {
    fault: "row security that is switched off",
    seed: [`ALTER TABLE ${records} DISABLE ROW LEVEL SECURITY`],
    mend: [`ALTER TABLE ${records} ENABLE ROW LEVEL SECURITY`],
    finds: [["row_security_off", /for backend_billing_records/]],
    exit: 0,
  },
  {
    fault: "row security that is switched off, and a grant of one column",
    seed: [
      usage,
      `ALTER TABLE ${records} DISABLE ROW LEVEL SECURITY`,
      `GRANT SELECT (data) ON ${records} TO ROLE`,
    ],
    mend: [
      `ALTER TABLE ${records} ENABLE ROW LEVEL SECURITY`,
      `REVOKE SELECT (data) ON ${records} FROM ROLE`,
      ...nothing,
    ],
    finds: [
      ["row_security_off", /for backend_billing_records/],
      ["access_open", /ROLE \(SELECT\)/],
    ],
    exit: 3,
  },
  {
    fault: "a policy that opens a table to everybody",
    seed: [
      usage,
      `GRANT SELECT ON ${records} TO PUBLIC`,
      `CREATE POLICY all_of_it ON ${records} USING (true)`,
    ],
    mend: [
      `DROP POLICY all_of_it ON ${records}`,
      `REVOKE ALL ON ${records} FROM PUBLIC`,
      ...nothing,
    ],
    finds: [["access_open", /ROLE \(SELECT\)/]],
    exit: 3,
  },
  {
    fault: "a role that connects and sees no rows",
    seed: [usage, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA billing TO ROLE"],
    mend: nothing,
    change: () => ({ env: { DATABASE_URL: anon.url } }),
    finds: [
      ["role_unusable", /ROLE connects here .* row level security hides rows/],
      ["access_granted", /ROLE/],
    ],
    exit: 3,
  },
  {
    fault: "a role that connects and has no privilege",
    seed: [],
    mend: [],
    change: () => ({ env: { DATABASE_URL: anon.url } }),
    finds: [["role_unusable", /it may not read/]],
    exit: 3,
  },
];

describe("roles", { timeout }, () => {
  const filled = (text: string) => text.replaceAll("ROLE", anon.name);
  const run = async (texts: readonly string[]) => {
    for (const text of texts) await owner.query(filled(text));
  };

  it.each(cases)("$fault", async ({ seed, mend, change, finds, exit }) => {
    await run(seed);
    try {
      const { code, findings } = await examine(setup, change?.());
      expect(findings.map((finding) => finding.code)).toEqual(finds.map(([wanted]) => wanted));
      for (const [index, [, says]] of finds.entries()) {
        const what = findings[index]?.what.replaceAll(anon.name, "ROLE");
        expect(what).toMatch(says);
      }
      expect(code).toBe(exit);
    } finally {
      await run(mend);
    }
  });

  it("that are named are well", async () => {
    await migrate(owner, { roles: [anon.name] });
    expect(await examine(setup)).toMatchObject({ code: 0, findings: [] });
    const asRole = await examine(setup, { env: { DATABASE_URL: anon.url } });
    expect(asRole).toMatchObject({ code: 0, findings: [] });
    await migrate(owner, { roles: [] });
  });
});

describe("tables in `public`", { timeout }, () => {
  beforeAll(() => migrate(owner, { schema: "public" }));

  it("must be decided about", async () => {
    const { code, findings } = await examine(setup);
    expect(findings).toMatchObject([{ code: "schema_undecided", fix: /--schema public/ }]);
    expect(code).toBe(3);
  });

  it("are told, and that a data API's role can use them", async () => {
    await owner.query(`GRANT USAGE ON SCHEMA public TO ${anon.name}`);
    await owner.query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${anon.name}`);
    const { code, findings } = await examine(setup, { args: ["--schema", "public"] });
    expect(findings.map((finding) => finding.code)).toEqual(
      expect.arrayContaining(["schema_public", "access_open"]),
    );
    const open = findings.find((finding) => finding.code === "access_open");
    expect(open?.fix).toContain(`"public"."backend_billing_records"`);
    // What the finding says mends it.
    const revoke = /REVOKE ALL ON [^;]*/.exec(open?.fix ?? "")?.[0] ?? "";
    await owner.query(revoke);
    const after = await examine(setup, { args: ["--schema", "public"] });
    expect(after.findings.map((finding) => finding.code)).not.toContain("access_open");
    expect(code).toBe(3);
  });
});
