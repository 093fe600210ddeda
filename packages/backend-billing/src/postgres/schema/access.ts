/**
 * What roles may do with the tables: privileges and row security together, as PostgreSQL's catalogs
 * have them. It only reads, and it judges by plain data, so that each judgement has a table of tests.
 */
import { resourceNames } from "../../core/catalogue/catalogue.js";
import type { Queryable } from "../database.js";
import { migrationsTable, tablesFor } from "./tables.js";

/** The policy that lets the roles named in `roles` see and write every row. */
export const ROLES_POLICY = "backend_billing_roles";

/** What a statement of the library does to rows. */
const commands = ["SELECT", "INSERT", "UPDATE", "DELETE"] as const;
type Command = (typeof commands)[number];
/** Row security does not apply to the last two: one empties the table, the other runs code of its role. */
export type Privilege = Command | "TRUNCATE" | "TRIGGER";

/** What one role may do with one table. */
export interface Access {
  readonly role: string;
  readonly table: string;
  /** A superuser, the table's owner, or a member of it. */
  readonly owner: boolean;
  /** Reads or writes every table of the database, by one of PostgreSQL's predefined roles. */
  readonly everything: boolean;
  /** Named in our policy, or a member of a role that is. */
  readonly named: boolean;
  /** Whether row security is switched on for the table. */
  readonly rowSecurity: boolean;
  /** Whether it may look into the schema. */
  readonly usage: boolean;
  readonly privileges: readonly Privilege[];
  /** Whether row security applies to it: without a policy it sees no rows. */
  readonly secured: boolean;
  /** The commands for which a policy opens every row to it. */
  readonly open: readonly Command[];
}

/** Every table that the library may have made. */
export const allTables = (): readonly string[] => [
  ...tablesFor(resourceNames).map(({ name }) => name),
  migrationsTable,
];

/** A policy `p` that applies to the role `r`. */
const applies = `EXISTS (SELECT FROM unnest(p.polroles) AS m(role)
  WHERE CASE WHEN m.role = 0 THEN true ELSE pg_has_role(r.oid, m.role, 'USAGE') END)`;

/** Whether the policy `p` opens every row for the command of the letter `k.letter`. */
const unconditional = `p.polpermissive AND p.polcmd IN ('*', k.letter) AND CASE k.letter
    WHEN 'a' THEN coalesce(pg_get_expr(p.polwithcheck, p.polrelid), pg_get_expr(p.polqual, p.polrelid)) = 'true'
    ELSE pg_get_expr(p.polqual, p.polrelid) = 'true' AND coalesce(pg_get_expr(p.polwithcheck, p.polrelid), 'true') = 'true' END`;

/** Selects {@link Access} for our tables in the schema `$1`, by the names in `$2`, a list as JSON. */
export const selectAccess = (roles: string): string => `
SELECT r.rolname::text AS role, c.relname::text AS "table",
  r.rolsuper OR pg_has_role(r.oid, c.relowner, 'USAGE') AS owner,
  EXISTS (SELECT FROM pg_roles e WHERE e.rolname IN ('pg_read_all_data', 'pg_write_all_data')
    AND pg_has_role(r.oid, e.oid, 'USAGE')) AS everything,
  EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = '${ROLES_POLICY}'
    AND ${applies}) AS named,
  has_schema_privilege(r.oid, n.oid, 'USAGE') AS usage,
  (SELECT coalesce(json_agg(k.privilege), '[]') FROM (VALUES ('SELECT'), ('INSERT'), ('UPDATE'),
      ('DELETE'), ('TRUNCATE'), ('TRIGGER')) AS k(privilege)
    WHERE CASE WHEN k.privilege IN ('SELECT', 'INSERT', 'UPDATE')
      THEN has_any_column_privilege(r.oid, c.oid, k.privilege)
      ELSE has_table_privilege(r.oid, c.oid, k.privilege) END) AS privileges,
  c.relrowsecurity AS "rowSecurity",
  c.relrowsecurity AND NOT r.rolsuper AND NOT r.rolbypassrls
    AND (c.relforcerowsecurity OR NOT pg_has_role(r.oid, c.relowner, 'USAGE')) AS secured,
  (SELECT coalesce(json_agg(k.command), '[]') FROM (VALUES ('SELECT', 'r'), ('INSERT', 'a'),
      ('UPDATE', 'w'), ('DELETE', 'd')) AS k(command, letter)
    WHERE EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND ${unconditional} AND ${applies})
    AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND NOT p.polpermissive
      AND p.polcmd IN ('*', k.letter) AND ${applies})) AS open
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, pg_roles r
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
  AND c.relname IN (SELECT json_array_elements_text($2::text::json)) AND ${roles}`;

/** What the roles of these names may do. */
export async function accessOf(
  database: Queryable,
  schema: string,
  roles: readonly string[],
): Promise<readonly Access[]> {
  const text = selectAccess("r.rolname IN (SELECT json_array_elements_text($3::text::json))");
  const values = [schema, JSON.stringify(allTables()), JSON.stringify(roles)];
  return (await database.query(text, values)).rows as Access[];
}

/** What the role may do that asks. */
export async function accessOfCurrent(
  database: Queryable,
  schema: string,
): Promise<readonly Access[]> {
  const text = selectAccess("r.rolname = current_user");
  return (await database.query(text, [schema, JSON.stringify(allTables())])).rows as Access[];
}

/** What every role may do that is not one of PostgreSQL's own. */
export async function accessOfAll(database: Queryable, schema: string): Promise<readonly Access[]> {
  const text = selectAccess("NOT starts_with(r.rolname::text, 'pg_')");
  return (await database.query(text, [schema, JSON.stringify(allTables())])).rows as Access[];
}

/** Whether row security hides rows from a role that may otherwise use the table. */
export const isHidden = ({ usage, secured, privileges, open }: Access): boolean =>
  usage && secured && commands.some((each) => privileges.includes(each) && !open.includes(each));

/** Whether the role cannot read the table at all. */
export const isDenied = ({ usage, privileges }: Access): boolean =>
  !usage || !privileges.includes("SELECT");

/** Why a role cannot be trusted with the tables, as part of a sentence about it. */
export interface RoleProblem {
  readonly role: string;
  readonly reason: string;
}

/** What keeps the role of these entries from using the tables. */
export function roleProblem(access: readonly Access[]): RoleProblem | undefined {
  const used = access.filter(({ table }) => table !== migrationsTable); // only `migrate` reads that
  const hidden = used.filter(isHidden);
  const denied = used.filter(isDenied);
  const [first] = [...hidden, ...denied];
  if (first === undefined) return undefined;
  const reason =
    hidden.length > 0
      ? `row level security hides rows of ${counted(hidden)} from it, and with tables that look empty it would make second customers`
      : `it may not read ${counted(denied)}`;
  return { role: first.role, reason };
}

function counted([first, ...others]: readonly Access[]): string {
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return `${first?.table ?? ""}${more}`;
}

/** What a role really can do with a table that it was not meant to have. */
export function strayAccess(access: Access): readonly Privilege[] {
  const { owner, everything, named, usage, privileges, secured, open } = access;
  if (owner || everything || named || !usage) return [];
  return privileges.filter(
    (each) => !secured || each === "TRUNCATE" || each === "TRIGGER" || open.includes(each),
  );
}

/** What was granted to a role that was not meant to have it, and only row security holds back. */
export function strayGrants(access: Access): readonly Privilege[] {
  const { owner, everything, named, privileges } = access;
  if (owner || everything || named || strayAccess(access).length > 0) return [];
  return privileges;
}
