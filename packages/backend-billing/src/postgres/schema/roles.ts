/**
 * The roles that an application connects as, beside the owner of the tables: what they are granted,
 * and a policy on each table that shows them every row. Applied by `migrate`, as often as it runs.
 */
import { BillingError } from "../../core/runtime/errors.js";
import { identifier, type Queryable } from "../database.js";
import { accessOf, allTables, isHidden, ROLES_POLICY } from "./access.js";
import { qualified } from "./ddl.js";
import { migrationsTable } from "./tables.js";

/** The role names of the setting, checked. */
export function checkedRoles(roles: readonly string[]): readonly string[] {
  for (const role of roles) {
    const bytes = new TextEncoder().encode(role).length;
    if (bytes < 1 || bytes > 63 || role.includes("\0")) {
      throw new BillingError("invalid_config", "`roles` must be names of 1 to 63 bytes.");
    }
    // PostgreSQL takes the quoted name for PUBLIC, too.
    if (role === "public" || role === "none") {
      throw new BillingError(
        "invalid_config",
        `\`roles\` cannot name ${role}: it must name the roles that this application connects as.`,
      );
    }
  }
  return [...new Set(roles)];
}

/** What a named role may do with a table. `migrate` is for the owner; others only look. */
const granted = (table: string): readonly string[] =>
  table === migrationsTable ? ["SELECT"] : ["SELECT", "INSERT", "UPDATE", "DELETE"];

const listed = (roles: readonly string[]): string => roles.map(identifier).join(", ");

const grantUsage = (schema: string, roles: readonly string[]): string =>
  `GRANT USAGE ON SCHEMA ${identifier(schema)} TO ${listed(roles)}`;

const grantTable = (schema: string, table: string, roles: readonly string[]): string =>
  `GRANT ${granted(table).join(", ")} ON TABLE ${qualified(schema, table)} TO ${listed(roles)}`;

const createPolicy = (schema: string, table: string, roles: readonly string[]): string =>
  `CREATE POLICY ${identifier(ROLES_POLICY)} ON ${qualified(schema, table)} ` +
  `TO ${listed(roles)} USING (true) WITH CHECK (true)`;

const dropPolicy = (schema: string, table: string): string =>
  `DROP POLICY IF EXISTS ${identifier(ROLES_POLICY)} ON ${qualified(schema, table)}`;

const revoke = (schema: string, table: string, role: string): string =>
  `REVOKE ALL ON TABLE ${qualified(schema, table)} FROM ${role}`;

/** The statements that give roles what they need, whatever they have. */
export const printRoles = (
  schema: string,
  tables: readonly string[],
  roles: readonly string[],
): readonly string[] =>
  roles.length === 0
    ? []
    : [
        grantUsage(schema, roles),
        ...tables.flatMap((table) => [
          grantTable(schema, table, roles),
          dropPolicy(schema, table),
          createPolicy(schema, table, roles),
        ]),
      ];

/** What is there: for each table the roles of our policy, or undefined where it has none. */
interface TableRoles {
  readonly table: string;
  readonly policy: readonly string[] | null;
}

/** What a role has already: whether it may look into the schema, and what it may do with tables. */
interface RoleGrants {
  readonly role: string;
  readonly usage: boolean;
  /** The tables of which it has everything that it needs. */
  readonly tables: readonly string[];
}

/**
 * The statements that bring the tables from what is there to what is wanted; none when nothing
 * differs. A role that is no longer named loses its privileges together with its policy: with
 * privileges and no policy it would see empty tables.
 */
export function planRoles(
  schema: string,
  wanted: readonly string[],
  tables: readonly TableRoles[],
  grants: readonly RoleGrants[],
): readonly string[] {
  const missing = grants.filter(({ usage }) => !usage).map(({ role }) => role);
  return [
    ...(missing.length > 0 ? [grantUsage(schema, missing)] : []),
    ...tables.flatMap(({ table, policy }) => {
      const has = policy ?? [];
      const without = grants.filter((each) => !each.tables.includes(table));
      const gone = has.filter((role) => !wanted.includes(role));
      const isSame = has.length === wanted.length && gone.length === 0;
      return [
        ...gone.map((role) => revoke(schema, table, identifier(role))),
        ...(without.length > 0
          ? [
              grantTable(
                schema,
                table,
                without.map(({ role }) => role),
              ),
            ]
          : []),
        ...(isSame || policy === null ? [] : [dropPolicy(schema, table)]),
        ...(isSame || wanted.length === 0 ? [] : [createPolicy(schema, table, wanted)]),
      ];
    }),
  ];
}

/** Gives the wanted roles what they need and takes it from those no longer named. */
export async function applyRoles(
  connection: Queryable,
  schema: string,
  roles: readonly string[] | undefined,
): Promise<void> {
  const tables = await readPolicies(connection, schema);
  const named = [...new Set(tables.flatMap(({ policy }) => policy ?? []))];
  const wanted = roles ?? named; // a table that was added since gets the same policy
  const grants = await readGrants(connection, schema, wanted);
  const unknown = wanted.filter((role) => !grants.some((each) => each.role === role));
  if (unknown.length > 0) throw unknownRoles(unknown);
  for (const statement of planRoles(schema, wanted, tables, grants)) {
    await connection.query(statement);
  }
  const gone = named.filter((role) => !wanted.includes(role));
  const hidden = (await accessOf(connection, schema, gone)).filter(isHidden);
  if (hidden.length > 0) throw stillGranted([...new Set(hidden.map(({ role }) => role))]);
}

/** Takes back what default privileges gave away of tables that were just created. */
export async function revokeDefaults(
  connection: Queryable,
  schema: string,
  created: readonly string[],
): Promise<void> {
  const { rows } = await connection.query(
    `SELECT DISTINCT c.relname::text AS "table", coalesce(r.rolname::text, '') AS role
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
       LATERAL aclexplode(c.relacl) AS a LEFT JOIN pg_roles r ON r.oid = a.grantee
     WHERE n.nspname = $1 AND c.relname IN (SELECT json_array_elements_text($2::text::json))
       AND a.grantee <> c.relowner`,
    [schema, JSON.stringify(created)],
  );
  for (const { table, role } of rows as { table: string; role: string }[]) {
    await connection.query(revoke(schema, table, role === "" ? "PUBLIC" : identifier(role)));
  }
}

/** Roles that can use the tables now, and would not see a row once row security is on. */
export async function rolesThatWouldBeBlind(
  connection: Queryable,
  schema: string,
  tables: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await connection.query(
    `SELECT DISTINCT r.rolname::text AS role FROM pg_roles r, pg_class c
       JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname IN (SELECT json_array_elements_text($2::text::json))
       AND NOT c.relrowsecurity AND NOT starts_with(r.rolname::text, 'pg_')
       AND NOT r.rolsuper AND NOT r.rolbypassrls AND NOT pg_has_role(r.oid, c.relowner, 'USAGE')
       AND has_schema_privilege(r.oid, n.oid, 'USAGE')
       AND (has_any_column_privilege(r.oid, c.oid, 'SELECT, INSERT, UPDATE')
         OR has_table_privilege(r.oid, c.oid, 'DELETE'))
     ORDER BY 1`,
    [schema, JSON.stringify(tables)],
  );
  return (rows as { role: string }[]).map(({ role }) => role);
}

async function readPolicies(connection: Queryable, schema: string): Promise<TableRoles[]> {
  const { rows } = await connection.query(
    `SELECT c.relname::text AS "table",
       (SELECT json_agg(r.rolname ORDER BY r.rolname) FROM pg_policy p, unnest(p.polroles) AS m(role)
          JOIN pg_roles r ON r.oid = m.role WHERE p.polrelid = c.oid AND p.polname = $3) AS policy
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
       AND c.relname IN (SELECT json_array_elements_text($2::text::json)) ORDER BY 1`,
    [schema, JSON.stringify(allTables()), ROLES_POLICY],
  );
  return rows as TableRoles[];
}

async function readGrants(
  connection: Queryable,
  schema: string,
  roles: readonly string[],
): Promise<RoleGrants[]> {
  const { rows } = await connection.query(
    `SELECT r.rolname::text AS role, has_schema_privilege(r.oid, n.oid, 'USAGE') AS usage,
       (SELECT coalesce(json_agg(c.relname), '[]') FROM pg_class c WHERE c.relnamespace = n.oid
          AND c.relname IN (SELECT json_array_elements_text($2::text::json))
          AND has_table_privilege(r.oid, c.oid, 'SELECT') AND (c.relname = $4 OR
            has_table_privilege(r.oid, c.oid, 'INSERT') AND has_table_privilege(r.oid, c.oid, 'UPDATE')
            AND has_table_privilege(r.oid, c.oid, 'DELETE'))) AS tables
     FROM pg_roles r, pg_namespace n
     WHERE n.nspname = $1 AND r.rolname IN (SELECT json_array_elements_text($3::text::json))`,
    [schema, JSON.stringify(allTables()), JSON.stringify(roles), migrationsTable],
  );
  return rows as RoleGrants[];
}

function unknownRoles(roles: readonly string[]): BillingError {
  return new BillingError(
    "invalid_config",
    `\`roles\` names ${listed(roles)}, and the database server has no such role. Create it first (CREATE ROLE … LOGIN), or correct the name.`,
  );
}

function stillGranted(roles: readonly string[]): BillingError {
  return new BillingError(
    "invalid_config",
    `\`roles\` no longer names ${listed(roles)}, which still has privileges on the tables through PUBLIC, another role or another grantor: row security would show it empty tables. Revoke these privileges first, or name it again. Nothing was changed.`,
  );
}

/** Row security is about to be switched on under roles that use the tables. */
export function undecidedRoles(roles: readonly string[]): BillingError {
  return new BillingError(
    "invalid_config",
    `This migration switches row level security on, and these roles have privileges on the tables but would see no rows: ${listed(roles)}. ` +
      "Set `roles` to those that your application connects as (on the command line: --roles app), or to [] (--roles none) if it connects as the owner of the tables. Nothing was changed.",
  );
}
