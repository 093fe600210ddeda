/** Asks the database who can do what with the tables. It only reads. */

import type { PoolLike } from "../../../postgres/database.js";
import { accessOfAll } from "../../../postgres/schema/access.js";
import { hasInstallation } from "../../../postgres/schema/schema.js";
import type { AccessFacts } from "../facts.js";

/** Whether no schema was given although `public` holds tables of ours. */
export const isUndecided = async (pool: PoolLike, given: string | undefined): Promise<boolean> =>
  given === undefined && (await hasInstallation(pool, "public"));

export async function askAccess(pool: PoolLike, schema: string): Promise<AccessFacts> {
  const { rows } = await pool.query("SELECT current_user::text AS role");
  const [{ role } = { role: "" }] = rows as { role: string }[];
  return { role, access: await accessOfAll(pool, schema) };
}
