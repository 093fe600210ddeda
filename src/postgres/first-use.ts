/**
 * Checks the place of the tables before a store is used for the first time. A check that passed is
 * remembered for its pool, so it costs one round trip for each process and none afterwards.
 */
import type { Store } from "../core/store.js";
import type { PoolLike } from "./database.js";
import { DEFAULT_SCHEMA, TABLE_OF_EVERY_INSTALLATION, undecidedSchema } from "./schema.js";

export interface PlaceOptions {
  readonly pool: PoolLike;
  /** As the application set it, or left it out. */
  readonly schema?: string | undefined;
}

/** The places that have passed, by pool: a call may bring its own pool, and makes a store for it. */
const passed = new WeakMap<PoolLike, Set<string>>();

/** The same store, none of whose methods runs before the check has passed. */
export function checkedAtFirstUse(store: Store, options: PlaceOptions): Store {
  const places = passed.get(options.pool) ?? new Set<string>();
  passed.set(options.pool, places);
  const place = JSON.stringify(options.schema ?? null);
  let asked: Promise<void> | undefined;
  const ask = (): Promise<void> => {
    asked ??= checkPlace(options)
      .then((state) => {
        if (state === "ready") places.add(place);
      })
      .finally(() => {
        asked = undefined;
      });
    return asked;
  };
  const guarded =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      places.has(place) ? method(...args) : ask().then(() => method(...args));
  const members = Object.entries(store).map(([name, member]) => [
    name,
    typeof member === "function" ? guarded(member) : member,
  ]);
  return Object.fromEntries(members) as Store;
}

/**
 * Throws `invalid_config` where using the tables would do harm. Answers `absent` where there are
 * none yet: the statement that follows fails by itself, and the check is made again.
 */
async function checkPlace({ pool, schema }: PlaceOptions): Promise<"ready" | "absent"> {
  const { rows } = await pool.query(
    `SELECT n.nspname::text AS schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relname = $1 AND n.nspname IN ($2, 'public')`,
    [TABLE_OF_EVERY_INSTALLATION, schema ?? DEFAULT_SCHEMA],
  );
  const found = (rows as { schema: string }[]).map((row) => row.schema);
  if (schema === undefined && found.includes("public")) throw undecidedSchema();
  return found.includes(schema ?? DEFAULT_SCHEMA) ? "ready" : "absent";
}
