/** Who can use the tables, judged. Pure. */

import { identifier } from "../../../postgres/database.js";
import {
  type Access,
  type Privilege,
  roleProblem,
  strayAccess,
  strayGrants,
} from "../../../postgres/schema/access.js";
import { qualified } from "../../../postgres/schema/ddl.js";
import { listed } from "../../terminal/format.js";
import type { AccessFacts } from "../facts.js";
import type { Find, Finding } from "../finding.js";

export function diagnoseAccess(find: Find, schema: string, facts: AccessFacts): Finding[] {
  const { role, access } = facts;
  if (access.length === 0) return [];
  const problem = roleProblem(access.filter((each) => each.role === role));
  const unsecured = access.filter((each) => !each.rowSecurity).map(({ table }) => table);
  return [
    ...(problem === undefined
      ? []
      : [find("role_unusable", { schema, role, reason: problem.reason })]),
    ...(schema === "public" ? [find("schema_public")] : []),
    ...(unsecured.length === 0
      ? []
      : [
          find("row_security_off", {
            schema,
            tables: listed([...new Set(unsecured)].sort()),
          }),
        ]),
    ...strays(find, "access_open", schema, access, strayAccess),
    ...strays(find, "access_granted", schema, access, strayGrants),
  ];
}

/** One finding for all roles, with the statement that takes from them what they have. */
function strays(
  find: Find,
  code: "access_open" | "access_granted",
  schema: string,
  access: readonly Access[],
  has: (access: Access) => readonly Privilege[],
): Finding[] {
  const stray = access.filter((each) => has(each).length > 0);
  if (stray.length === 0) return [];
  const roles = [...new Set(stray.map(({ role }) => role))].sort();
  const tables = [...new Set(stray.map(({ table }) => table))].sort();
  const of = (role: string) => [
    ...new Set(stray.filter((each) => each.role === role).flatMap(has)),
  ];
  const on = tables.map((table) => qualified(schema, table)).join(", ");
  return [
    find(code, {
      schema,
      roles: listed(roles.map((role) => `${role} (${of(role).join(", ")})`)),
      revoke: `REVOKE ALL ON ${on} FROM ${["PUBLIC", ...roles.map(identifier)].join(", ")}`,
    }),
  ];
}
