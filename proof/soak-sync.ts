// The most memory that a worker process ever has, for a small backfill and for one twenty times as
// large: it must not grow with the account. Nothing is paced; the double is in this process, the
// worker in another. Also says how fast it was and what a row takes on disk.
//
//   npm run soak:sync -- --objects 2000000 --base 100000
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type pg from "pg";
import { type PostgresServer, startPostgres } from "../support/postgres/server.js";
import { isComplete, look, openAccount, openDatabase, orderFor } from "./sync/account.js";
import { failures, startWorker } from "./sync/workers.js";

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "2000000" },
    base: { type: "string", default: "100000" },
  },
});
const MOST = 1.2;
const MEGABYTE = 1024 * 1024;

async function peakOf(server: PostgresServer, objects: number): Promise<number> {
  const account = await openAccount(objects);
  const pool = await openDatabase(server, `objects_${objects}`);
  const worker = startWorker();
  try {
    const start = Date.now();
    const wrong = failures([await worker.tell(orderFor(account, pool, { rate: false }))]);
    const seconds = (Date.now() - start) / 1000;
    const peak = worker.peak();
    if (!isComplete(await look(pool), account.counts)) wrong.push("rows are missing");
    if (wrong.length > 0) throw new Error(wrong.join("; "));
    console.log(
      `${objects} objects: peak ${(peak / MEGABYTE).toFixed(0)} MB, ${seconds.toFixed(0)} s, ${(account.double.requests.count() / seconds).toFixed(1)} requests and ${(objects / seconds).toFixed(0)} objects a second, load ${loadavg()[0]?.toFixed(1)}`,
    );
    await printSizes(pool);
    return peak;
  } finally {
    await worker.kill();
    await pool.end();
    await account.double.close();
  }
}

async function printSizes(pool: pg.Pool): Promise<void> {
  const tables = ["customers", "subscriptions", "prices", "versions"];
  for (const name of tables) {
    const table = `billing.backend_billing_${name}`;
    const { rows } = await pool.query(
      `SELECT count(*)::int AS count, pg_total_relation_size('${table}')::float AS bytes,
        pg_indexes_size('${table}')::float AS indexes FROM ${table}`,
    );
    const { count, bytes, indexes } = rows[0];
    console.log(
      `  ${name}: ${count} rows of ${(bytes / count).toFixed(0)} bytes, ${(indexes / count).toFixed(0)} of them in indexes`,
    );
  }
}

const server = await startPostgres({ settings: { fsync: "off" } });
try {
  const small = await peakOf(server, Number(values.base));
  const large = await peakOf(server, Number(values.objects));
  const ratio = large / small;
  console.log(`peak memory, large to small: ${ratio.toFixed(2)}`);
  if (!(ratio <= MOST)) process.exitCode = 1;
} finally {
  await server.stop();
}
