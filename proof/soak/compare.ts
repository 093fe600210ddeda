/** Where the mirror is not what Stripe has, object by object and field by field. */
import pg from "pg";
import {
  defaultResources,
  listsPerOwner,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { type Everything, readAll, wrongIn } from "../sync/everything.js";

/** What has a list of its own; the rest would be a request for each customer. */
const COMPARED = defaultResources.filter((name) => listsPerOwner(name) === undefined);

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
