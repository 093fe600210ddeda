// The tests on PostgreSQL with all connections through PgBouncer in transaction mode, with a pool that is
// smaller than its clients'. Tests that cannot do with it say so in a line "Past PgBouncer".
//
//   npm run test:pgbouncer -- [files or options of vitest]
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const PACKAGE = ["install", "-y", "--no-install-recommends", "pgbouncer"];

function find(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/opt/homebrew/bin"];
  return folders.map((folder) => `${folder}/pgbouncer`).find((path) => existsSync(path));
}

const APT = "/usr/bin/apt-get";
const isDebianRoot = process.getuid?.() === 0 && existsSync(APT);
if (find() === undefined && process.env.CI && isDebianRoot) {
  spawnSync(APT, ["-qq", "update"], { stdio: "inherit" });
  spawnSync(APT, ["-qq", ...PACKAGE], { stdio: "inherit" });
}
const binary = find();
if (binary === undefined) {
  console.error(`PgBouncer is not installed. On Debian: apt-get ${PACKAGE.join(" ")}`);
  process.exit(1);
}
const { DATABASE_URL: _, ...env } = process.env; // PgBouncer stands before a server of ours
const given = process.argv.slice(2);
const { status } = spawnSync(
  "npx",
  ["vitest", "run", "--project", "postgres", "--tags-filter=!slow && !long", ...given],
  { stdio: "inherit", env: { ...env, PGBOUNCER: binary } },
);
process.exit(status ?? 1);
