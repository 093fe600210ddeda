/** Databases on the run's PostgreSQL: one with a subject's tables, and copies of it. */
import { randomUUID } from "node:crypto";
import pg from "pg";

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
  const name = newName();
  await run(admin, `CREATE DATABASE ${name}`);
  return { url: within(admin, name), copy: () => copyOf(admin, name) };
}

async function copyOf(admin: string, template: string): Promise<Database> {
  const name = newName();
  await run(admin, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return {
    url: within(admin, name),
    async takeAway() {
      await run(admin, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
      const others = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`;
      await run(admin, others);
    },
    giveBack: () => run(admin, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`),
    drop: () => run(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

const newName = () => `torture_${randomUUID().replaceAll("-", "")}`;

function within(admin: string, name: string): string {
  const url = new URL(admin);
  url.pathname = name;
  return url.href;
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
