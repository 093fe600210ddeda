/** Where and with what the figures were measured. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import type pg from "pg";

export interface Machine {
  readonly date: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  /** Work of others on the machine at the start, as the one-minute load. */
  readonly load: number;
  readonly node: string;
  readonly postgres: string;
  readonly settings: { readonly [name: string]: string };
  readonly packages: { readonly [name: string]: string };
  readonly commit: string;
}

/** What of the server's settings decides how fast it commits. */
const SETTINGS = ["fsync", "synchronous_commit", "full_page_writes", "shared_buffers"];

export async function describeMachine(
  admin: pg.Client,
  packages: Machine["packages"],
): Promise<Machine> {
  const { rows } = await admin.query("SELECT name, setting FROM pg_settings WHERE name = ANY($1)", [
    SETTINGS,
  ]);
  const version = await admin.query("SHOW server_version");
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    node: process.version.slice(1),
    postgres: version.rows[0].server_version.split(" ")[0],
    settings: Object.fromEntries(rows.map(({ name, setting }) => [name, setting])),
    packages,
    commit: revision(),
  };
}

/** The version of an installed package, by the path of its package.json. */
export function versionAt(manifest: URL): string | undefined {
  try {
    return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
  } catch {
    return undefined;
  }
}

function revision(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}
