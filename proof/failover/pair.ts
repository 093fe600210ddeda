/** A primary and its standby, one of which dies as a machine does: at once, with all of its processes. */
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type PostgresServer, startPostgres } from "../../support/postgres/server.js";

/** What a process that is killed has written stays written: only a machine needs `fsync`. */
const SETTINGS = { fsync: "off", max_connections: "60", wal_keep_size: "256MB" };

export const startServer = (binaries: string): Promise<PostgresServer> =>
  startPostgres({ binaries, settings: SETTINGS });

/** A standby that has caught up; in a synchronous pair nothing is committed before it has it. */
export async function startStandby(
  binaries: string,
  primary: PostgresServer,
  isSynchronous: boolean,
): Promise<PostgresServer> {
  const settings = { ...SETTINGS, hot_standby: "on" };
  const standby = await startPostgres({ binaries, standbyOf: primary.url, settings });
  if (isSynchronous) await set(primary, "synchronous_standby_names", "*");
  const wanted = isSynchronous ? "sync" : "async";
  await until(
    async () =>
      (
        await ask(
          primary,
          `SELECT 1 FROM pg_stat_replication
           WHERE state = 'streaming' AND sync_state = '${wanted}' AND replay_lsn IS NOT NULL`,
        )
      ).length > 0,
  );
  return standby;
}

/** Nothing of the primary reaches the standby any more, and neither is told. */
export async function partition(standby: PostgresServer): Promise<void> {
  await set(standby, "primary_conninfo", "");
  await until(async () => (await ask(standby, "SELECT 1 FROM pg_stat_wal_receiver")).length === 0);
}

/** All processes of a server end at once, in the middle of what they do. */
export function crash({ pid }: PostgresServer): void {
  process.kill(pid, "SIGSTOP"); // it starts no other process meanwhile
  const { stdout } = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
  for (const child of [String(pid), ...stdout.split("\n").filter(Boolean)]) {
    try {
      process.kill(Number(child), "SIGKILL");
    } catch {} // it has just ended
  }
}

export async function promote(standby: PostgresServer): Promise<void> {
  await ask(standby, "SELECT pg_promote()");
  await until(
    async () => (await ask(standby, "SELECT 1 WHERE NOT pg_is_in_recovery()")).length > 0,
  );
}

/** Changes a setting of a running server. */
export async function set(server: PostgresServer, name: string, value: string): Promise<void> {
  await ask(server, `ALTER SYSTEM SET ${name} = '${value}'`);
  await ask(server, "SELECT pg_reload_conf()");
}

/** One statement on a connection of its own, which nothing that a scenario sets applies to. */
async function ask({ url }: Pick<PostgresServer, "url">, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function until(isSo: () => Promise<boolean> | boolean, patience = 60_000): Promise<void> {
  for (const end = Date.now() + patience; !(await isSo()); await sleep(20)) {
    if (Date.now() > end) throw new Error(`It took more than ${patience} ms: ${isSo}`);
  }
}
