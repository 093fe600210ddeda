// How well a backfill uses what Stripe allows: the double enforces the limits of test mode, 25
// requests a second. Two processes of one deployment must use 90% of that with fewer than 1% of
// their requests answered 429. Then two deployments, which know nothing of each other, share the
// account, and both must finish.
//
//   npm run pacing -- --objects 150000
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type pg from "pg";
import { STRIPE_LIMITS } from "../packages/stripe-double/src/http/limits.js";
import { startPostgres } from "../support/postgres/server.js";
import {
  type Account,
  isComplete,
  look,
  openAccount,
  openDatabase,
  orderFor,
} from "./sync/account.js";
import { failures, startWorker } from "./sync/workers.js";

const { values } = parseArgs({ options: { objects: { type: "string", default: "150000" } } });
const objects = Number(values.objects);
const LIMITS = STRIPE_LIMITS.sandbox;
const PROCESSES = 2;
const LEAST_USE = 0.9;
const MOST_LIMITED = 0.01;
const wrong: string[] = [];

/** A backfill by two processes into a database of its own. */
async function deployment(account: Account, pool: pg.Pool): Promise<void> {
  const workers = Array.from({ length: PROCESSES }, startWorker);
  try {
    const answers = await Promise.all(workers.map((each) => each.tell(orderFor(account, pool))));
    wrong.push(...failures(answers));
    if (!isComplete(await look(pool), account.counts)) wrong.push("rows are missing");
  } finally {
    await Promise.all(workers.map((each) => each.kill()));
    await pool.end();
  }
}

/** The part of the allowed rate that was used from the first request to the last. */
async function measure(
  title: string,
  size: number,
  work: (account: Account) => Promise<unknown>,
): Promise<{ readonly use: number; readonly limited: number }> {
  const account = await openAccount(size, LIMITS);
  const { requests } = account.double;
  let [first, last] = [0, 0];
  // Processes take their time to start and to end, which is no matter of pace.
  const watch = setInterval(() => {
    const recent = requests.recent();
    first ||= recent[0]?.at ?? 0;
    last = recent.at(-1)?.at ?? 0;
  }, 100);
  try {
    await work(account);
    const seconds = (last - first) / 1000;
    const limited = requests.countStatus(429) / requests.count();
    const rate = (requests.count() - requests.countStatus(429)) / seconds;
    const use = rate / LIMITS.global;
    console.log(
      `${title}: ${requests.count()} requests in ${seconds.toFixed(0)} s, ${rate.toFixed(1)} a second answered, ${(100 * use).toFixed(1)}% of what is allowed, ${(100 * limited).toFixed(2)}% answered 429, load ${loadavg()[0]?.toFixed(1)}`,
    );
    return { use, limited };
  } finally {
    clearInterval(watch);
    await account.double.close();
  }
}

const server = await startPostgres({ settings: { fsync: "off" } });
try {
  const pool = await openDatabase(server, "alone");
  const alone = await measure("one deployment", objects, (account) => deployment(account, pool));
  if (alone.use < LEAST_USE) wrong.push(`less than ${100 * LEAST_USE}% of the rate is used`);
  if (alone.limited >= MOST_LIMITED) wrong.push(`${100 * MOST_LIMITED}% or more are answered 429`);
  const pools = [await openDatabase(server, "one"), await openDatabase(server, "two")];
  await measure("two that share an account", objects / 4, (account) =>
    Promise.all(pools.map((each) => deployment(account, each))),
  );
} finally {
  await server.stop();
}
for (const each of wrong) console.log(`  ✗ ${each}`);
if (wrong.length > 0) process.exitCode = 1;
