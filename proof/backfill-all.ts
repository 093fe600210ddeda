// A backfill of an account with something of every resource, on PostgreSQL, by three processes that
// get a SIGKILL at random, after so many requests, and are replaced. In the end the mirror must have
// every object of every resource, equal in every field and nothing else, and it may have taken 5%
// more requests than one reader needs who asks for page after page and loses none: pages of a hundred
// of each list, and a request for each customer where Stripe lists something for one at a time.
//
//   npm run backfill:all -- --objects 10000 --seed 7 --kills 5
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type pg from "pg";
import { resourceNames } from "../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { RequestLog } from "../packages/backend-billing/src/testing/index.js";
import { stream } from "../packages/stripe-double/src/world/random.js";
import { startPostgres } from "../support/postgres/server.js";
import { openDatabase, orderFor } from "./sync/account.js";
import { countOf, openEverything, type Read, readAll, wrongIn } from "./sync/everything.js";
import { startTeam } from "./sync/workers.js";

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    kills: { type: "string", default: "15" },
  },
});
const [objects, kills] = [Number(values.objects), Number(values.kills)];
const WORKERS = 3;
const PAGE_LEASE = 5_000;
const LOOK = 100;
/** Milliseconds between lines about progress. */
const SAY = 15_000;
const MORE = 1.05;
/** A list of what belongs to one object. */
const OWNED = /\/:\w+\/\w+$/;

/** What is left of the run, resource by resource. */
async function leftOf(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ resource: string; lists: number; error: string | null }>(
    `SELECT data->>'task' || ' ' || coalesce(data->>'resource', '') AS resource,
       count(*)::int AS lists, max(data->>'error') AS error
     FROM billing.backend_billing_records
     WHERE kind = 'partition' AND data->>'state' = 'running' GROUP BY 1 ORDER BY 1`,
  );
  return rows
    .map(
      ({ resource, lists, error }) => `${resource} ${lists}${error === null ? "" : ` (${error})`}`,
    )
    .join(", ");
}

/** The state of the run; undefined before there is one. */
async function stateOf(pool: pg.Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ state: string }>(
    "SELECT data->>'state' AS state FROM billing.backend_billing_records WHERE kind = 'run'",
  );
  return rows[0]?.state;
}

async function compare(pool: pg.Pool, { objects: theirs }: Read): Promise<string[]> {
  const lines: string[] = [];
  for (const name of resourceNames) {
    const wrong = await wrongIn(pool, name, theirs.get(name) ?? new Map());
    if (wrong.length > 0) lines.push(`${name}: ${wrong.length} wrong, such as ${wrong[0]}`);
  }
  return lines;
}

/** Requests by what they ask for; of the last ten thousand. */
function tally({ recent }: RequestLog): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { signature = "" } of recent())
    counts.set(signature, (counts.get(signature) ?? 0) + 1);
  return counts;
}

const server = await startPostgres();
try {
  const account = await openEverything(objects, values.seed);
  const { requests } = account.double;
  console.log(
    `${countOf(account.double)} objects of ${resourceNames.length} resources, ${WORKERS} workers, ${kills} kills, seed ${values.seed}`,
  );
  const read = await readAll(account);
  for (const [name, found] of read.objects) console.log(`  ${name}: ${found.size}`);
  const needed = tally(requests);
  requests.clear();
  const pool = await openDatabase(server, "everything", { resources: "all" });
  const order = orderFor(account, pool, { pageLease: PAGE_LEASE, rate: false, resources: "all" });
  const next = stream("kills", values.seed);
  // Spread over the run, whatever the machine's speed.
  const moments = Array.from({ length: kills }, () => next() * read.requests).sort((a, b) => a - b);
  const start = Date.now();
  const team = startTeam(order, WORKERS);
  let killed = 0;
  let saidAt = start;
  for (;;) {
    await sleep(LOOK);
    if (Date.now() > saidAt + SAY) {
      saidAt = Date.now();
      const passed = Math.round((saidAt - start) / 1000);
      console.log(`${passed} s, ${requests.count()} requests; left: ${await leftOf(pool)}`);
    }
    const state = await stateOf(pool);
    if (state === "failed") throw new Error("The run failed");
    if (state === "done") break;
    const due = moments[killed];
    if (state === undefined || due === undefined || requests.count() < due) continue;
    killed++;
    await team.kill(Math.floor(next() * WORKERS));
  }
  const seconds = (Date.now() - start) / 1000;
  const took = requests.count();
  const counted = tally(requests);
  await team.end();
  const wrong = [...team.errors, ...(await compare(pool, read))];
  await pool.end();
  await account.double.close();
  const ratio = took / read.requests;
  console.log(
    `${took} requests where the lists need ${read.requests} (${ratio.toFixed(3)}), ${killed} workers killed, ${seconds.toFixed(0)} s`,
  );
  // Apart, because the many requests for one customer each would hide what pages of lists cost.
  for (const [title, isOwned] of [
    ["pages of lists, and the rest", false],
    ["lists of one customer each", true],
  ] as const) {
    const sum = (counts: ReadonlyMap<string, number>) =>
      [...counts].reduce(
        (all, [name, count]) => all + (OWNED.test(name) === isOwned ? count : 0),
        0,
      );
    const [ours, least] = [sum(counted), sum(needed)];
    console.log(`  ${title}: ${ours} where ${least} are needed (${(ours / least).toFixed(3)})`);
  }
  for (const [signature, count] of counted) {
    const more = count - (needed.get(signature) ?? 0);
    if (more !== 0) console.log(`  ${more > 0 ? "+" : ""}${more} ${signature}`);
  }
  for (const each of wrong) console.log(`  ✗ ${each}`);
  if (wrong.length > 0 || ratio > MORE || killed < kills) process.exitCode = 1;
  console.log(process.exitCode === 1 ? "failed" : "complete and equal");
} finally {
  await server.stop();
}
