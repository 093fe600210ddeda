// Roles belong to a whole server, so each test has roles of its own names and removes them.
import type pg from "pg";
import { administer, newName } from "./admin.js";
import type { TestDatabase } from "./database.js";

export interface TestRole {
  readonly name: string;
  /** The test's database, as this role. */
  readonly url: string;
}

/** A role without any privilege. It can log in. */
export async function createRole(
  database: Pick<TestDatabase, "url">,
  pool: pg.Pool,
): Promise<TestRole> {
  const name = newName("role");
  const password = newName("word");
  await pool.query(`CREATE ROLE ${name} LOGIN PASSWORD '${password}'`);
  const url = new URL(database.url);
  url.username = name;
  url.password = password;
  return { name, url: url.href };
}

/** Removes roles whose database is gone already, and with it what they had there. */
export const dropRoles = (adminUrl: string, names: readonly string[]): Promise<void> =>
  names.length === 0
    ? Promise.resolve()
    : administer(adminUrl, `DROP ROLE IF EXISTS ${names.join(", ")}`);
