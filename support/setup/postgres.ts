// Gives every test of the `postgres` project one real PostgreSQL server for the whole run: that of
// DATABASE_URL if it is set, our own otherwise. Tests take a database of it from `../postgres/database.ts`.
import type { TestProject } from "vitest/node";
import { startPostgres } from "../postgres/server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Connection string of a user who may create databases. */
    postgresUrl: string;
  }
}

export default async function setup(
  project: TestProject,
): Promise<(() => Promise<void>) | undefined> {
  const existing = process.env.DATABASE_URL;
  if (existing) {
    project.provide("postgresUrl", existing);
    return undefined;
  }
  // Tests end a server but never the machine, and without fsync they are several times faster.
  const settings = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" };
  const server = await startPostgres({ settings });
  project.provide("postgresUrl", server.url);
  return server.stop;
}
