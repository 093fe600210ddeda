/**
 * Creates the tables and brings them up to date, or prints the SQL that does. It adds and alters; it
 * never drops a table or a column. Nothing here outlives the transaction, so a transaction-pooling proxy may stand
 * between us and the server.
 */
import { namesOf, type ResourceChoice, resourceNames } from "../../core/catalogue/catalogue.js";
import { BillingError } from "../../core/runtime/errors.js";
import { identifier, type PoolLike, type Queryable, transaction } from "../database.js";
import { surviveIdleErrors } from "../pool-errors.js";
import { accessOfCurrent, isHidden } from "./access.js";
import { qualified } from "./ddl.js";
import {
  applyRoles,
  checkedRoles,
  printRoles,
  revokeDefaults,
  rolesThatWouldBeBlind,
  undecidedRoles,
} from "./roles.js";
import { hasInstallation, schemaOf, undecidedSchema } from "./schema.js";
import { allSteps, type Step } from "./steps.js";
import { migrationsTable } from "./tables.js";

/** Which tables, and where. */
export interface MigrationOptions {
  /** Where the tables live. Created if it does not exist. Default: `billing`. */
  readonly schema?: string;
  /** The mirrored resources. Default: `defaultResources`. Choosing fewer later drops nothing. */
  readonly resources?: ResourceChoice;
  /**
   * The roles that the application connects as, where it does not connect as the owner of the
   * tables. They are granted what they need, and get a policy that shows them every row; other
   * roles see none. A role that is no longer named loses both. Default: those named before.
   */
  readonly roles?: readonly string[];
}

/** Which tables to print, and where they are to be. */
export interface PrintOptions extends MigrationOptions {
  /** Ids of the steps that the database already has; they are left out. */
  readonly applied?: readonly string[];
}

/**
 * Applies the steps that the schema does not have yet, all or none. Any number of processes may call
 * it at once: one does the work and the others wait for it. Where there is nothing to do it only
 * reads, so it needs no right to create anything.
 *
 * @example
 * ```ts
 * import { migrate } from "backend-billing/postgres";
 * import pg from "pg";
 *
 * const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
 * const { applied } = await migrate(pool); // ["0001_core", …], later []
 * ```
 */
export async function migrate(
  pool: PoolLike,
  options: MigrationOptions = {},
): Promise<{ applied: string[] }> {
  surviveIdleErrors(pool);
  const schema = schemaOf(options);
  const steps = stepsFor(options);
  const roles = options.roles && checkedRoles(options.roles);
  return inTransaction(pool, schema, async (connection) => {
    if (options.schema === undefined) await refuseUndecided(connection);
    return apply(connection, { schema, roles }, steps, allSteps);
  });
}

/**
 * The SQL of `migrate`, for those who apply it by hand: one transaction, which also records the
 * steps, so that `migrate` has nothing left to do afterwards.
 *
 * @example
 * ```ts
 * import { printMigrations } from "backend-billing/postgres";
 *
 * console.log(printMigrations()); // … | psql "$DATABASE_URL"
 * ```
 */
export function printMigrations(options: PrintOptions = {}): string {
  const schema = schemaOf(options);
  const steps = stepsFor(options).filter((step) => !options.applied?.includes(step.id));
  // Even where the schema exists, IF NOT EXISTS wants the right to create one. `public` is there.
  const prepare = schema === "public" ? [] : [createSchema(schema)];
  const tables = [...stepsFor(options).flatMap((step) => step.creates), migrationsTable];
  const roles = checkedRoles(options.roles ?? []);
  return [
    printed(["BEGIN", ...begin, ...prepare, createMigrationsTable(schema)]),
    ...steps.map((step) => `-- ${step.id}\n${printed(applyStep(schema, step))}`),
    printed(printRoles(schema, tables, roles)),
    printed(["COMMIT"]),
  ].join("\n");
}

/** How far a schema is, without changing anything. */
export interface MigrationState {
  /** Steps that `migrate` would apply. */
  readonly pending: readonly string[];
  /** Steps that a newer version applied. */
  readonly unknown: readonly string[];
  /** Where the tables are there and `migrate` did not create them: those that are missing. */
  readonly missing: readonly string[] | undefined;
}

export async function migrationState(
  database: Queryable,
  options: MigrationOptions = {},
): Promise<MigrationState> {
  const steps = stepsFor(options);
  const { relations, recorded } = await inspect(database, schemaOf(options));
  const tables = steps.flatMap((step) => step.creates);
  const isOthers = recorded.size === 0 && tables.some((name) => relations.has(name));
  return {
    pending: steps.filter(({ id }) => !recorded.has(id)).map(({ id }) => id),
    unknown: unknownTo(allSteps, recorded),
    missing: isOthers ? tables.filter((name) => !relations.has(name)) : undefined,
  };
}

/** `migrate` with other steps, so that a test can add one. */
export function applySteps(
  pool: PoolLike,
  schema: string,
  steps: readonly Step[],
): Promise<{ applied: string[] }> {
  return inTransaction(pool, schema, (connection) =>
    apply(connection, { schema, roles: undefined }, steps, steps),
  );
}

/** Applies those of the steps that are not recorded. `known` are those it may find recorded. */
async function apply(
  connection: Queryable,
  { schema, roles }: { readonly schema: string; readonly roles: readonly string[] | undefined },
  steps: readonly Step[],
  known: readonly Step[],
): Promise<{ applied: string[] }> {
  const found = await inspect(connection, schema);
  await refuseHidden(connection, schema, found);
  refuseNewer(schema, found.recorded, known);
  const pending = steps.filter((step) => !found.recorded.has(step.id));
  refuseOwned(schema, found.relations, pending);
  if (roles === undefined) await refuseBlinding(connection, schema, found, pending);
  if (pending.length > 0) await applyPending(connection, schema, found, pending);
  await applyRoles(connection, schema, roles);
  return { applied: pending.map((step) => step.id) };
}

async function applyPending(
  connection: Queryable,
  schema: string,
  found: Found,
  pending: readonly Step[],
): Promise<void> {
  const created = pending.flatMap((step) => step.creates);
  if (!found.exists) await connection.query(createSchema(schema));
  if (!found.relations.has(migrationsTable)) {
    await connection.query(createMigrationsTable(schema));
    created.push(migrationsTable);
  }
  for (const statement of pending.flatMap((step) => applyStep(schema, step))) {
    await connection.query(statement);
  }
  await revokeDefaults(connection, schema, created);
}

/** One migration at a time, all of it or nothing; what fails says which schema it was about. */
async function inTransaction<T>(
  pool: PoolLike,
  schema: string,
  work: (connection: Queryable) => Promise<T>,
): Promise<T> {
  try {
    return await transaction(pool, async (connection) => {
      for (const statement of begin) await connection.query(statement);
      return work(connection);
    });
  } catch (error) {
    if (error instanceof BillingError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The migration of schema ${identifier(schema)} failed: ${reason}`;
    throw new BillingError("store_error", message, { cause: error });
  }
}

/**
 * One migration at a time in a database. The isolation level is set because under a stricter default
 * the snapshot would be taken before the lock is granted, and would not show what its last holder
 * did. The key is "billing" in ASCII.
 */
const begin = [
  "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
  "SELECT pg_advisory_xact_lock(27700462113877607)",
] as const;

const createSchema = (schema: string): string =>
  `CREATE SCHEMA IF NOT EXISTS ${identifier(schema)}`;

const createMigrationsTable = (schema: string): string =>
  `CREATE TABLE IF NOT EXISTS ${qualified(schema, migrationsTable)} (\n` +
  `  "id" text PRIMARY KEY,\n  "applied_at" bigint NOT NULL\n)`;

const applyStep = (schema: string, step: Step): readonly string[] => [
  ...step.statements(schema),
  `INSERT INTO ${qualified(schema, migrationsTable)} ("id", "applied_at")\n` +
    `  VALUES ('${step.id}', (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`,
];

const printed = (statements: readonly string[]): string =>
  statements.map((statement) => `${statement};\n`).join("");

interface Found {
  readonly exists: boolean;
  /** Our names that are taken in the schema, by whatever they name. */
  readonly relations: ReadonlySet<string>;
  readonly recorded: ReadonlySet<string>;
}

async function inspect(connection: Queryable, schema: string): Promise<Found> {
  const namespaces = await connection.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [
    schema,
  ]);
  const relations = await textColumn(
    connection,
    `SELECT c.relname::text AS value
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND starts_with(c.relname::text, 'backend_billing_')`,
    [schema],
  );
  const recorded = relations.has(migrationsTable)
    ? await textColumn(connection, `SELECT id AS value FROM ${qualified(schema, migrationsTable)}`)
    : new Set<string>();
  return { exists: namespaces.rows.length > 0, relations, recorded };
}

async function textColumn(
  connection: Queryable,
  sql: string,
  values: unknown[] = [],
): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query(sql, values);
  return new Set((rows as { value: string }[]).map((row) => row.value));
}

function unknownTo(known: readonly Step[], recorded: ReadonlySet<string>): string[] {
  const ids = new Set(known.map((step) => step.id));
  return [...recorded].filter((id) => !ids.has(id)).sort();
}

/** No `schema` was set, and `public` holds an installation from before there was a default. */
async function refuseUndecided(database: Queryable): Promise<void> {
  if (await hasInstallation(database, "public")) throw undecidedSchema();
}

/** A role that row security hides the record of steps from would begin at the first one. */
async function refuseHidden(connection: Queryable, schema: string, found: Found): Promise<void> {
  if (found.recorded.size > 0 || !found.relations.has(migrationsTable)) return;
  const [own] = (await accessOfCurrent(connection, schema)).filter(
    ({ table }) => table === migrationsTable,
  );
  if (own === undefined || !isHidden(own)) return;
  throw new BillingError(
    "invalid_config",
    `Row level security hides ${qualified(schema, migrationsTable)} from the role ${identifier(own.role)}. ` +
      "Run `migrate` as the owner of the tables, and name this role in `roles` if the application connects as it.",
  );
}

/** Row security is switched on only when it is decided which roles are to see the rows. */
async function refuseBlinding(
  connection: Queryable,
  schema: string,
  { relations }: Found,
  pending: readonly Step[],
): Promise<void> {
  const tables = pending.flatMap(({ secures = [] }) => secures);
  const used = tables.filter((name) => relations.has(name));
  if (used.length === 0) return;
  const blind = await rolesThatWouldBeBlind(connection, schema, used);
  if (blind.length > 0) throw undecidedRoles(blind);
}

function refuseNewer(schema: string, recorded: ReadonlySet<string>, known: readonly Step[]): void {
  const unknown = unknownTo(known, recorded);
  if (unknown.length === 0) return;
  throw new BillingError(
    "invalid_config",
    `Schema ${identifier(schema)} was migrated by a newer backend-billing: this one does not know ` +
      `${unknown.join(", ")}. Run the newer version here too, or give this one another schema.`,
  );
}

/** A table that we are about to create is there already, and no step of ours made it. */
function refuseOwned(
  schema: string,
  relations: ReadonlySet<string>,
  pending: readonly Step[],
): void {
  const taken = pending.flatMap((step) => step.creates).filter((name) => relations.has(name));
  if (taken.length === 0) return;
  throw new BillingError(
    "invalid_config",
    `Schema ${identifier(schema)} already has ${taken.join(", ")}, and \`migrate\` did not create ` +
      "them. If drizzle-kit owns these tables, apply changes with drizzle-kit and do not call " +
      "`migrate`; never both. Otherwise give `migrate` another schema.",
  );
}

function stepsFor(options: MigrationOptions): readonly Step[] {
  const resources = namesOf(options.resources);
  const unknown = resources.filter((name) => !resourceNames.includes(name));
  if (unknown.length > 0) {
    const choices = resourceNames.join(", ");
    const message = `There is no resource ${unknown.join(", ")}. Choose from ${choices}.`;
    throw new BillingError("invalid_config", message);
  }
  return allSteps.filter(({ resource }) => !resource || resources.includes(resource));
}
