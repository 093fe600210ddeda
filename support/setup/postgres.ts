// Gives every test of the `postgres` project one real PostgreSQL server for the whole run: that of
// DATABASE_URL if it is set, our own otherwise; with PGBOUNCER, the path of its binary, behind a PgBouncer. Tests take a database of it from `../postgres/database.ts`.
import type { TestProject } from "vitest/node";
import { startPgbouncer } from "../postgres/pgbouncer.js";
import { startPostgres } from "../postgres/server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Connection string of a user who may create databases. */
    postgresUrl: string;
    /** The same server behind PgBouncer, if there is one; otherwise the same. */
    pooledUrl: string;
  }
}

export default async function setup(
  project: TestProject,
): Promise<(() => Promise<void>) | undefined> {
  const existing = process.env.DATABASE_URL;
  if (existing) {
    project.provide("postgresUrl", existing);
    project.provide("pooledUrl", existing);
    return undefined;
  }
  // Tests end a server but never the machine, and without fsync they are several times faster.
  const settings = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" };
  const binaries = process.env.POSTGRES_BINARIES; // another version's
  const server = await startPostgres({ settings, ...(binaries ? { binaries } : {}) });
  project.provide("postgresUrl", server.url);
  const binary = process.env.PGBOUNCER;
  const pooler = binary ? await startPgbouncer(binary, server.url) : undefined;
  project.provide("pooledUrl", pooler?.url ?? server.url);
  return async () => {
    await pooler?.stop();
    await server.stop();
  };
}
