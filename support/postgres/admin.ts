// What a server is told by whoever may create databases on it. It knows nothing of vitest, so that
// scripts can use it too.
import { randomUUID } from "node:crypto";
import pg from "pg";

/** A name that no other database has. */
export const newName = (purpose: string): string =>
  `${purpose}_${randomUUID().replaceAll("-", "")}`;

/** The connection string of another database on the same server. */
export function databaseAt(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = name;
  return url.href;
}

/** Runs one statement on a connection of its own. */
export async function administer(adminUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
