// The servers and databases that the other tests stand on.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { PATIENCE } from "../../../../support/patience.js";
import {
  createDatabase,
  directly,
  type TestDatabase,
} from "../../../../support/postgres/database.js";
import { type PostgresServer, startPostgres } from "../../../../support/postgres/server.js";

async function query(url: string, sql: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("a test database", () => {
  let one: TestDatabase;
  let other: TestDatabase;

  beforeAll(async () => {
    [one, other] = await Promise.all([createDatabase(), createDatabase()]);
  });
  afterAll(() => Promise.all([one.drop(), other.drop()]));

  it("is on a PostgreSQL server that we support", async () => {
    const [row] = await query(
      one.url,
      "SELECT current_setting('server_version_num')::int AS version",
    );
    expect(row?.version).toBeGreaterThanOrEqual(140000);
  });

  it("gives back what was written", async () => {
    const written = { name: "Zoë ✓", amount: 1999, nested: [null, true] };
    const [row] = await query(one.url, "SELECT $1::jsonb AS value", [JSON.stringify(written)]);
    expect(row?.value).toEqual(written);
  });

  it("does not see the tables of another", async () => {
    await query(one.url, "CREATE TABLE only_here (id int)");
    const find = "SELECT to_regclass('only_here')::text AS name";
    expect(await query(one.url, find)).toEqual([{ name: "only_here" }]);
    expect(await query(other.url, find)).toEqual([{ name: null }]);
  });

  it("can be dropped while somebody is connected", async () => {
    const database = await createDatabase();
    const url = directly(database.url, "a connection that the server is to end");
    const client = new pg.Client({ connectionString: url });
    const cutOff = new Promise((resolve) => client.on("error", resolve));
    await client.connect();
    await database.drop();
    await cutOff;
    const name = new URL(database.url).pathname.slice(1);
    const admin = inject("postgresUrl");
    expect(await query(admin, "SELECT 1 FROM pg_database WHERE datname = $1", [name])).toEqual([]);
  });
});

describe.skipIf(process.env.DATABASE_URL)(
  "a server of our own (DATABASE_URL is not set)",
  { tags: ["slow"] },
  () => {
    let server: PostgresServer;

    beforeAll(async () => {
      server = await startPostgres();
      await query(server.url, "CREATE TABLE kept (id int)");
    });
    afterAll(() => server.stop());

    it("is as durable as PostgreSQL is by default", async () => {
      expect(await query(server.url, "SHOW fsync")).toEqual([{ fsync: "on" }]);
    });

    it("keeps committed data over kill -9 and a restart", async () => {
      const killed = server.pid;
      const open = new pg.Client({ connectionString: server.url });
      const cutOff = new Promise((resolve) => open.on("error", resolve));
      await open.connect();
      await open.query("INSERT INTO kept VALUES (1)");
      process.kill(killed, "SIGKILL");
      await server.restart();
      await cutOff;
      expect(server.pid).not.toBe(killed);
      expect(isRunning(killed)).toBe(false);
      expect(await query(server.url, "SELECT id FROM kept")).toEqual([{ id: 1 }]);
    });

    it("restarts while it is running", async () => {
      const before = server.pid;
      await server.restart();
      expect(isRunning(before)).toBe(false);
      expect(isRunning(server.pid)).toBe(true);
      expect(await query(server.url, "SELECT count(*)::int AS rows FROM kept")).toEqual([
        { rows: 1 },
      ]);
    });

    it("leaves no process and no folder after stop", async () => {
      const { pid, dataDir } = server;
      expect(existsSync(dataDir)).toBe(true);
      await server.stop();
      expect(isRunning(pid)).toBe(false);
      expect(existsSync(dataDir)).toBe(false);
    });

    it("says why it could not start", async () => {
      await expect(startPostgres({ settings: { no_such_setting: "1" } })).rejects.toThrow(
        /unrecognized configuration parameter "no_such_setting"/,
      );
    });

    it.each(["SIGINT", "SIGKILL"] as const)(
      "leaves nothing behind when its owner ends by %s",
      async (signal) => {
        const script = fileURLToPath(new URL("./hold-server.ts", import.meta.url));
        const holder = spawn(process.execPath, ["--import", "tsx", script], {
          stdio: ["pipe", "pipe", "inherit"],
        });
        onTestFinished(() => void holder.kill("SIGKILL"));
        const [line] = await once(holder.stdout.setEncoding("utf8"), "data");
        const { pid, dataDir } = JSON.parse(line) as { pid: number; dataDir: string };
        expect(isRunning(pid)).toBe(true);
        holder.kill(signal);
        await vi.waitFor(
          () => {
            expect(isRunning(pid)).toBe(false);
            expect(existsSync(dataDir)).toBe(false);
          },
          { timeout: PATIENCE, interval: 50 },
        );
      },
    );
  },
);
