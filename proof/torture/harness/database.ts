/** Databases on the run's PostgreSQL: one with a subject's tables, and copies of it. */
import { administer, databaseAt, newName } from "../../../support/postgres/admin.js";

export interface Database {
  readonly url: string;
  /** Takes it away: whoever is connected is cut off, and nobody gets in. */
  takeAway(): Promise<void>;
  giveBack(): Promise<void>;
  drop(): Promise<void>;
}

export interface Template {
  readonly url: string;
  copy(): Promise<Database>;
}

export async function createTemplate(admin: string): Promise<Template> {
  const name = newName("torture");
  await administer(admin, `CREATE DATABASE ${name}`);
  return { url: databaseAt(admin, name), copy: () => copyOf(admin, name) };
}

async function copyOf(admin: string, template: string): Promise<Database> {
  const name = newName("torture");
  await administer(admin, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return {
    url: databaseAt(admin, name),
    async takeAway() {
      await administer(admin, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
      const others = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`;
      await administer(admin, others);
    },
    giveBack: () => administer(admin, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`),
    drop: () => administer(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}
