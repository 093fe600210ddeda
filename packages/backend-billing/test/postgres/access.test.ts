// What follows from privileges, row security and policies, case by case.
import { describe, expect, it } from "vitest";
import {
  type Access,
  isDenied,
  isHidden,
  strayAccess,
  strayGrants,
} from "../../src/postgres/schema/access.js";
import { planRoles } from "../../src/postgres/schema/roles.js";

const nobody: Access = {
  role: "r",
  table: "t",
  owner: false,
  everything: false,
  named: false,
  rowSecurity: true,
  usage: true,
  privileges: [],
  secured: true,
  open: [],
};
const rows = ["SELECT", "INSERT", "UPDATE", "DELETE"] as const;

interface Judged {
  readonly hidden?: boolean;
  readonly denied?: boolean;
  readonly stray?: Access["privileges"];
  readonly grants?: Access["privileges"];
}

const cases: readonly (readonly [string, Partial<Access>, Judged])[] = [
  ["has nothing", {}, { denied: true }],
  ["owns the table", { owner: true, privileges: rows, secured: false }, {}],
  ["owns it, and row security is forced", { owner: true, privileges: rows }, { hidden: true }],
  ["is named", { named: true, privileges: rows, open: rows }, {}],
  ["has grants and no policy", { privileges: rows }, { hidden: true, grants: rows }],
  [
    "has grants, and row security is off",
    { privileges: ["SELECT"], secured: false },
    { stray: ["SELECT"] },
  ],
  ["has grants, and a policy of another name", { privileges: rows, open: rows }, { stray: rows }],
  [
    "may read by grant and policy, and write by grant alone",
    { privileges: rows, open: ["SELECT"] },
    { hidden: true, stray: ["SELECT"] },
  ],
  [
    "may read only, and sees all",
    { privileges: ["SELECT"], open: ["SELECT"] },
    { stray: ["SELECT"] },
  ],
  [
    "may truncate, which row security does not stop",
    { privileges: ["TRUNCATE"] },
    { denied: true, stray: ["TRUNCATE"] },
  ],
  [
    "may set triggers, which run in other hands",
    { privileges: ["SELECT", "TRIGGER"] },
    { hidden: true, stray: ["TRIGGER"] },
  ],
  [
    "has grants on the table but not on the schema",
    { privileges: rows, usage: false, secured: false },
    { denied: true, grants: rows },
  ],
  [
    "reads everything in the database",
    { everything: true, privileges: ["SELECT"], secured: false },
    {},
  ],
];

describe("a role that", () => {
  it.each(cases)(
    "%s",
    (_, changes, { hidden = false, denied = false, stray = [], grants = [] }) => {
      const access = { ...nobody, ...changes };
      expect(isHidden(access)).toBe(hidden);
      expect(isDenied(access)).toBe(denied);
      expect(strayAccess(access)).toEqual(stray);
      expect(strayGrants(access)).toEqual(grants);
    },
  );
});

describe("the plan for roles", () => {
  const t = '"s"."t"';
  const grant = (role: string) => `GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE ${t} TO "${role}"`;
  const create = (roles: string) =>
    `CREATE POLICY "backend_billing_roles" ON ${t} TO ${roles} USING (true) WITH CHECK (true)`;
  const drop = `DROP POLICY IF EXISTS "backend_billing_roles" ON ${t}`;
  const has = (role: string, tables: readonly string[] = ["t"], usage = true) => ({
    role,
    usage,
    tables,
  });

  const plans: readonly (readonly [
    string,
    wanted: readonly string[],
    policy: readonly string[] | null,
    grants: readonly ReturnType<typeof has>[],
    statements: readonly string[],
  ])[] = [
    ["none wanted, none there", [], null, [], []],
    ["nothing differs", ["a", "b"], ["b", "a"], [has("a"), has("b")], []],
    [
      "a first role",
      ["a"],
      null,
      [has("a", [], false)],
      ['GRANT USAGE ON SCHEMA "s" TO "a"', grant("a"), create('"a"')],
    ],
    [
      "a second role",
      ["a", "b"],
      ["a"],
      [has("a"), has("b", [])],
      [grant("b"), drop, create('"a", "b"')],
    ],
    [
      "one is no longer named",
      ["a"],
      ["a", "b"],
      [has("a")],
      [`REVOKE ALL ON TABLE ${t} FROM "b"`, drop, create('"a"')],
    ],
    ["none is named any more", [], ["a"], [], [`REVOKE ALL ON TABLE ${t} FROM "a"`, drop]],
    ["a grant was taken away", ["a"], ["a"], [has("a", [])], [grant("a")]],
  ];
  it.each(plans)("%s", (_, wanted, policy, grants, statements) => {
    expect(planRoles("s", wanted, [{ table: "t", policy }], grants)).toEqual(statements);
  });
});
