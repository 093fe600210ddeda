// Starts and stops a PgBouncer of our own in front of a server, in transaction mode and with fewer connections
// than its clients have. It never outlives the process that started it.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { chown, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, serverUser, watchOver } from "./server.js";

export interface Pgbouncer {
  /** Connection string of the same user, to the same database. */
  readonly url: string;
  /** Sends everything to another server from now on, which has the same users. */
  point(serverUrl: string): Promise<void>;
  stop(): Promise<void>;
}

/** Connections to each database: a pool of the tests has up to 20. */
const SIZE = 4;
/** What clients say at the start that PgBouncer does not know; it then has no effect. */
const IGNORED = "extra_float_digits,options,lock_timeout,statement_timeout,idle_session_timeout";

export async function startPgbouncer(binary: string, serverUrl: string): Promise<Pgbouncer> {
  const owner = serverUser();
  const folder = mkdtempSync(join(tmpdir(), "backend-billing-pgbouncer-"));
  const guardian = watchOver(folder);
  const server = new URL(serverUrl);
  const port = await freePort();
  const users = join(folder, "users.txt");
  const settings = join(folder, "pgbouncer.ini");
  const iniFor = ({ hostname, port: target }: URL) => `[databases]
* = host=${hostname} port=${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
auth_user = ${server.username}
auth_query = SELECT usename, passwd FROM pg_catalog.pg_shadow WHERE usename = $1
pool_mode = transaction
default_pool_size = ${SIZE}
max_client_conn = 2000
ignore_startup_parameters = ${IGNORED}
server_login_retry = 1
${knowsStatements(binary) ? "max_prepared_statements = 0" : ""}
`;
  await writeFile(users, `"${server.username}" "${server.password}"\n`, { mode: 0o600 });
  await writeFile(settings, iniFor(server));
  if (owner.uid !== undefined && owner.gid !== undefined) {
    for (const path of [folder, users, settings]) await chown(path, owner.uid, owner.gid);
  }
  const child = spawn(binary, [settings], {
    ...owner,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  guardian.watch(child);
  let log = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (log.length < 64_000) log += text;
      if (log.includes("process up")) resolve();
    });
    child.once("error", reject);
    child.once("close", () => reject(new Error(`PgBouncer did not start.\n${log}`)));
  });
  const url = new URL(serverUrl);
  url.port = String(port);
  return {
    url: url.href,
    async point(next) {
      await writeFile(settings, iniFor(new URL(next)));
      child.kill("SIGHUP"); // it reads its settings again
    },
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      await guardian.dismiss();
    },
  };
}

/** Whether this version can keep prepared statements, which is then turned off. */
function knowsStatements(binary: string): boolean {
  const version = execFileSync(binary, ["--version"], { encoding: "utf8" });
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 1 || Number(minor) >= 21;
}
