/**
 * Checks the place of the tables before a store is used for the first time: that it was decided
 * where they are, and that the role which connects sees every row. A check that passed is
 * remembered for its pool, so it costs one round trip for each process and none afterwards.
 */

import { BillingError } from "../../core/runtime/errors.js";
import { identifier, type PoolLike } from "../database.js";
import {
  type Access,
  allTables,
  type RoleProblem,
  roleProblem,
  selectAccess,
} from "../schema/access.js";
import { schemaOf, TABLE_OF_EVERY_INSTALLATION, undecidedSchema } from "../schema/schema.js";

export interface PlaceOptions {
  readonly pool: PoolLike;
  /** As the application set it, or left it out. */
  readonly schema?: string | undefined;
}

/** The places that have passed, by pool: a call may bring its own pool, and makes a store for it. */
const passed = new WeakMap<PoolLike, Set<string>>();

/**
 * The check of one store: what must be waited for before a statement is sent, or undefined once the
 * check has passed, which is nearly always.
 */
export type FirstUse = () => Promise<void> | undefined;

export function checkAtFirstUse(options: PlaceOptions): FirstUse {
  const places = passed.get(options.pool) ?? new Set<string>();
  passed.set(options.pool, places);
  const place = JSON.stringify(options.schema ?? null);
  let asked: Promise<void> | undefined;
  let isPassed = false;
  return () => {
    isPassed ||= places.has(place);
    if (isPassed) return undefined;
    asked ??= checkPlace(options)
      .then((state) => {
        isPassed = state === "ready";
        if (isPassed) places.add(place);
      })
      .finally(() => {
        asked = undefined;
      });
    return asked;
  };
}

/**
 * Throws `invalid_config` where using the tables would do harm. Answers `absent` where there are
 * none yet: the statement that follows fails by itself, and the check is made again.
 */
async function checkPlace({ pool, schema }: PlaceOptions): Promise<"ready" | "absent"> {
  const name = schemaOf(schema === undefined ? {} : { schema });
  const { rows } = await pool.query(
    `SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = 'public' AND c.relname = $3) AS in_public,
       (SELECT json_agg(a) FROM (${selectAccess("r.rolname = current_user")}) AS a) AS access`,
    [name, JSON.stringify(allTables()), TABLE_OF_EVERY_INSTALLATION],
  );
  const [found] = rows as { in_public: boolean; access: readonly Access[] | null }[];
  if (schema === undefined && found?.in_public) throw undecidedSchema();
  const access = found?.access ?? [];
  if (!access.some(({ table }) => table === TABLE_OF_EVERY_INSTALLATION)) return "absent";
  const problem = roleProblem(access);
  if (problem !== undefined) throw unusable(name, problem);
  return "ready";
}

function unusable(schema: string, { role, reason }: RoleProblem): BillingError {
  return new BillingError(
    "invalid_config",
    `The role ${identifier(role)} connects here and cannot use the tables in the schema ${identifier(schema)}: ${reason}. ` +
      `Name the role in \`roles\` and run \`migrate\` as the owner of the tables (npx backend-billing migrate --roles ${role}), or connect as the owner. ` +
      `With Drizzle: createBillingTables("${schema}", { roles: ["${role}"] }), and grant by hand. docs/recipes/roles.md has more.`,
  );
}
