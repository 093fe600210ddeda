// Several processes call `migrate` at once on an empty database, again and again. It only counts
// what happened: `npm run migrate:race` prints it, and a test runs a few rounds.
import { type ChildProcess, fork } from "node:child_process";
import { on } from "node:events";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { resourceNames } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { allSteps } from "../../packages/backend-billing/src/postgres/schema/steps.js";
import { tablesFor } from "../../packages/backend-billing/src/postgres/schema/tables.js";
import { readCatalog, readSteps } from "./catalog.js";
import type { Answer, Order } from "./migrate-worker.js";

export interface RaceResult {
  readonly processes: number;
  readonly rounds: number;
  /** Calls of `migrate` that applied every step. There must be one in each round. */
  applied: number;
  /** Calls that found nothing left to do. */
  waited: number;
  /** Rounds after which the schema held exactly one set of tables. */
  complete: number;
  readonly errors: string[];
}

/** `adminUrl` is of a user who may create databases. */
export async function raceMigrations(
  adminUrl: string,
  { processes = 10, rounds = 50 } = {},
): Promise<RaceResult> {
  const result: RaceResult = { processes, rounds, applied: 0, waited: 0, complete: 0, errors: [] };
  const workers = Array.from({ length: processes }, startWorker);
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    for (let round = 0; round < rounds; round++)
      await raceOnce(admin, adminUrl, workers, round, result);
  } finally {
    await admin.end();
    for (const worker of workers) worker.process.disconnect();
  }
  return result;
}

interface Worker {
  readonly process: ChildProcess;
  tell(order: Order): Promise<Answer>;
}

function startWorker(): Worker {
  const path = fileURLToPath(new URL("./migrate-worker.ts", import.meta.url));
  const child = fork(path, { execArgv: ["--import", "tsx"] });
  const answers = on(child, "message", { close: ["exit"] });
  return {
    process: child,
    async tell(order) {
      child.send(order);
      const { value, done } = await answers.next();
      return done ? { error: "The process ended." } : (value as [Answer])[0];
    },
  };
}

async function raceOnce(
  admin: pg.Client,
  adminUrl: string,
  workers: readonly Worker[],
  round: number,
  result: RaceResult,
): Promise<void> {
  const name = `race_${process.pid}_${round}`;
  const url = new URL(adminUrl);
  url.pathname = name;
  // Every other round races for the schema as well, under an isolation level that hides what others
  // committed since the transaction began.
  const schema = round % 2 === 0 ? "public" : "race";
  await admin.query(`CREATE DATABASE ${name}`);
  try {
    if (schema !== "public") {
      await admin.query(
        `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`,
      );
    }
    const ready = await Promise.all(workers.map((w) => w.tell({ url: url.href, schema })));
    if (ready.some((answer) => answer !== "ready")) throw new Error(JSON.stringify(ready));
    for (const answer of await Promise.all(workers.map((worker) => worker.tell("go")))) {
      if (answer === "ready") throw new Error("A process answered out of turn.");
      if ("error" in answer) result.errors.push(answer.error);
      else if (answer.applied.length === allSteps.length) result.applied++;
      else if (answer.applied.length === 0) result.waited++;
      else result.errors.push(`Only a part was applied: ${answer.applied.join(", ")}`);
    }
    if (await isComplete(url.href, schema)) result.complete++;
  } finally {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}

async function isComplete(url: string, schema: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = Object.keys(await readCatalog(client, schema));
    const steps = await readSteps(client, schema);
    return tables.length === tablesFor(resourceNames).length && steps.length === allSteps.length;
  } finally {
    await client.end();
  }
}
