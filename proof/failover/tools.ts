/** Debian's PostgreSQL and PgBouncer: found where they are, or installed where that can be done. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

export interface Tools {
  /** The folder of `postgres`, `initdb` and `pg_basebackup`. */
  readonly binaries: string;
  readonly pgbouncer: string;
}

const ROOT = "/usr/lib/postgresql";
const APT = "/usr/bin/apt-get";
const INSTALL = ["install", "-y", "--no-install-recommends"];

const newest = (): string | undefined =>
  (existsSync(ROOT) ? readdirSync(ROOT) : [])
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(ROOT, version, "bin"))
    .find((folder) => existsSync(join(folder, "pg_basebackup")));

const bouncer = (): string | undefined =>
  [...(process.env.PATH ?? "").split(":"), "/usr/sbin"]
    .map((folder) => join(folder, "pgbouncer"))
    .find((path) => existsSync(path));

export function findTools(): Tools {
  return {
    binaries: found(newest, "postgresql"),
    pgbouncer: found(bouncer, "pgbouncer"),
  };
}

function found(find: () => string | undefined, name: string): string {
  if (find() === undefined) install(name);
  const there = find();
  if (there !== undefined) return there;
  throw new Error(`${name} is not installed. On Debian: apt-get ${INSTALL.join(" ")} ${name}`);
}

function install(name: string): void {
  if (process.getuid?.() !== 0 || !existsSync(APT)) return;
  spawnSync(APT, ["-qq", "update"], { stdio: "inherit" });
  spawnSync(APT, ["-qq", ...INSTALL, name], { stdio: "inherit" });
}
