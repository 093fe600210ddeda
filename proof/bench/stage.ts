/** One PostgreSQL, one list server, and a process and a database for each subject on them. */
import pg from "pg";
import { startPostgres } from "../../support/postgres/server.js";
import type { Accounts } from "./list-server.js";
import type { Bench } from "./measure.js";
import { startLists, startWorker, type Worker } from "./processes.js";

export interface Stage extends Omit<Bench, "say"> {
  readonly serverUrl: string;
  /** Starts a subject under a name of its own, with a database of its own. */
  open(subject: string, called: string): Promise<void>;
  /** Ends a subject. */
  close(called: string): Promise<void>;
  /** Ends everything. */
  end(): Promise<void>;
}

export async function openStage(accounts: Accounts): Promise<Stage> {
  const server = await startPostgres({
    settings: { shared_buffers: "512MB", max_wal_size: "8GB", max_connections: "200" },
  });
  const admin = new pg.Client(server.url);
  await admin.connect();
  const lists = await startLists(accounts);
  const workers = new Map<string, Worker>();
  const ends = new Map<string, () => void>();
  let databases = 0;
  let round = 0;
  return {
    serverUrl: server.url,
    admin,
    lists,
    workers,
    nextRound: () => ++round,
    async open(subject, called) {
      const url = new URL(server.url);
      url.pathname = `bench_${++databases}`;
      await admin.query(`CREATE DATABASE bench_${databases}`);
      const { worker, stop } = startWorker();
      ends.set(called, stop);
      await worker.open(subject, { databaseUrl: url.href, listPort: lists.port });
      workers.set(called, worker);
    },
    async close(called) {
      await workers.get(called)?.close();
      ends.get(called)?.();
      workers.delete(called);
      ends.delete(called);
    },
    async end() {
      for (const end of ends.values()) end();
      lists.stop();
      await admin.end();
      await server.stop();
    },
  };
}
