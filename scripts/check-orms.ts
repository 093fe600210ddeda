// The tables beside those of an application that uses Prisma, Kysely or Drizzle, as docs/recipes/orms.md says:
// the packed package in an empty folder, with these tools from npm, on a PostgreSQL of its own.
//
//   npm run check:orms
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { migrate } from "../packages/backend-billing/src/postgres/index.js";
import { startPostgres } from "../support/postgres/server.js";
import { type Step, steps } from "./check-orms/files.js";
import { env, pack } from "./quickstart/folder.js";

const INSTALLED = [
  ...["prisma@6.19.0", "@prisma/client@6.19.0", "@prisma/adapter-pg@6.19.0", "kysely@0.29.9"],
  ...["drizzle-orm@0.45.4", "drizzle-kit@0.31.11", "pg@8.23.1", "@types/pg@8.23.1"],
  ...["@types/node@20.19.43", "stripe@23.1.0", "tsx@4.23.15", "typescript@6.0.3"],
];

const folder = mkdtempSync(join(tmpdir(), "check-orms-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

function run([command = "", ...args]: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    env: { ...env, ...more },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"], // a question ends the command
  });
  return { status, said: stdout + stderr };
}

/** Why a step failed; undefined if it did not. */
function problemOf({ files, run: command, says, saysNot }: Step, url: string): string | undefined {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { status, said } = run(command, { DATABASE_URL: url });
  const isFine = status === 0 && (says?.test(said) ?? true) && !saysNot?.test(said);
  return isFine ? undefined : said;
}

const tablesIn = async (pool: pg.Pool): Promise<number> => {
  const count = "SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'billing'";
  return (await pool.query<{ n: number }>(count)).rows[0]?.n ?? 0;
};

const packed = pack(folder);
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
const installed = run(["npm", "install", "--silent", "--ignore-scripts", packed, ...INSTALLED]);
if (installed.status !== 0) throw new Error(installed.said);
const server = await startPostgres({ settings: { fsync: "off" } });
const pool = new pg.Pool({ connectionString: server.url });
pool.on("error", () => {}); // the server ends before it
try {
  await migrate(pool);
  const before = await tablesIn(pool);
  await pool.query(`INSERT INTO billing.backend_billing_products (product_id, stripe, last_synced_at)
    VALUES ('prod_1', '{"id": "prod_1", "name": "Engine"}', 1)`);
  for (const step of steps) {
    const problem = problemOf(step, server.url);
    console.log(`${problem === undefined ? "✓" : "✗"} ${step.what}`);
    if (problem === undefined) continue;
    console.error(problem);
    process.exitCode = 1;
  }
  const after = await tablesIn(pool);
  console.log(`${before === after ? "✓" : "✗"} ${after} of ${before} tables are there`);
  if (before !== after) process.exitCode = 1;
} finally {
  await pool.end();
  await server.stop();
}
