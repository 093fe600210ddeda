/** Where the mirror is not what Stripe has, object by object and field by field. */
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import {
  defaultResources,
  listsPerOwner,
  type ResourceName,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { resources } from "../../packages/backend-billing/src/core/catalogue/resources.js";
import { type Everything, readAll } from "../sync/everything.js";

/** What has a list of its own; the rest would be a request for each customer. */
const COMPARED = defaultResources.filter((name) => listsPerOwner(name) === undefined);

/** The columns are the fields' names with underscores. */
const columnOf = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export interface Compared {
  readonly objects: number;
  readonly wrong: readonly string[];
}

export async function differencesIn(database: string, account: Everything): Promise<Compared> {
  const pool = new pg.Pool({ connectionString: database, max: 1 });
  try {
    const { objects } = await readAll(account, COMPARED);
    const wrong: string[] = [];
    let count = 0;
    for (const [name, theirs] of objects) {
      wrong.push(...(await wrongIn(pool, name, theirs)).map((id) => `${name} ${id} differs`));
      count += theirs.size;
    }
    return { objects: count, wrong };
  } finally {
    await pool.end();
  }
}

async function wrongIn(
  pool: pg.Pool,
  name: ResourceName,
  theirs: ReadonlyMap<string, unknown>,
): Promise<string[]> {
  const { table, idField } = resources[name];
  const { rows } = await pool.query<{ id: string; stripe: unknown }>(
    `SELECT ${columnOf(idField)} AS id, stripe FROM billing.${table} WHERE stripe IS NOT NULL`,
  );
  const ours = new Map(rows.map(({ id, stripe }) => [id, stripe]));
  const wrong = [...theirs].filter(([id, object]) => !isDeepStrictEqual(ours.get(id), object));
  const ghosts = [...ours.keys()].filter((id) => !theirs.has(id));
  return [...wrong.map(([id]) => id), ...ghosts];
}
