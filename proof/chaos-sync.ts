// Kill tests of a backfill on real processes. Three workers share one run; after every hundred
// requests or so one of them gets a SIGKILL and is replaced; PostgreSQL is restarted once; objects
// change meanwhile; and the double allows fewer requests than the workers believe, so it answers
// 429. The run must end complete and equal, must not say that it is done before that, and may need
// 5% more requests, those answered with 429 apart, than the same run undisturbed, which is made first.
//
//   npm run chaos:sync -- --objects 200000
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type PostgresServer, startPostgres } from "../support/postgres/server.js";
import {
  change,
  differences,
  isComplete,
  look,
  openAccount,
  openDatabase,
  orderFor,
} from "./sync/account.js";
import { startTeam } from "./sync/workers.js";

const { values } = parseArgs({ options: { objects: { type: "string", default: "200000" } } });
const objects = Number(values.objects);
const WORKERS = 3;
/** The workers go by Stripe's 25 requests a second: somebody else uses the account too. */
const LIMITS = { global: 20, endpoint: 20, search: 20 };
const PAGE_LEASE = 5_000;
/** Requests between kills; at 20 a second, three to six seconds. A busy machine changes nothing. */
const KILL = { least: 60, most: 120 };
const LOOK = 500;
/** What PostgreSQL says, or the connection to it, while it restarts. */
const AWAY = /shutting down|starting up|terminat|ECONNREFUSED|ECONNRESET/;
const MORE = 1.05;
/**
 * A short run is mostly beginning and end. What it may lose is counted: the pages under way of a
 * worker that dies, and the question for its successor's account; and those of all workers when
 * PostgreSQL restarts. In a long run this is less than the 5%.
 */
const PAGES_AT_ONCE = 4;
const FEW = 40;

interface Outcome {
  readonly requests: number;
  readonly lists: number;
  readonly limited: number;
  readonly seconds: number;
  readonly kills: number;
  /** Workers that gave up because PostgreSQL was away, and were started again. */
  readonly failed: number;
  readonly restarts: number;
  readonly looks: number;
  readonly wrong: readonly string[];
}

async function backfill(server: PostgresServer, disturbed: boolean): Promise<Outcome> {
  const account = await openAccount(objects, LIMITS);
  const pool = await openDatabase(server, disturbed ? "disturbed" : "undisturbed");
  const team = startTeam(orderFor(account, pool, { pageLease: PAGE_LEASE }), WORKERS);
  const start = Date.now();
  const wrong: string[] = [];
  let [kills, restarts, looks, changed] = [0, 0, 0, false];
  let nextKill = KILL.least;
  try {
    for (;;) {
      await sleep(LOOK);
      const seen = await look(pool).catch(() => undefined); // while the server restarts
      if (seen === undefined) continue;
      looks++;
      if (seen.state === "done") {
        if (!changed || !isComplete(seen, account.counts)) {
          wrong.push(`done with ${JSON.stringify(seen)} of ${JSON.stringify(account.counts)}`);
        }
        break;
      }
      if (seen.state === "failed") throw new Error("The run failed");
      const progress = (seen.customers + seen.prices + seen.subscriptions) / objects;
      if (!changed && progress > 0.3) {
        changed = true;
        await change(account);
      }
      if (!disturbed) continue;
      if (restarts === 0 && progress > 0.5) {
        restarts++;
        await server.restart();
      }
      const asked = account.double.requests.count();
      if (asked < nextKill || progress === 0) continue;
      kills++;
      await team.kill(Math.floor(Math.random() * WORKERS));
      nextKill = asked + KILL.least + Math.random() * (KILL.most - KILL.least);
    }
    const { requests } = account.double;
    const counts = {
      requests: requests.count(),
      lists: ["customers", "prices", "subscriptions"].reduce(
        (sum, name) => sum + requests.count(`GET /v1/${name}`),
        0,
      ),
      limited: requests.countStatus(429),
      seconds: (Date.now() - start) / 1000,
    };
    await team.end();
    wrong.push(...team.errors.filter((error) => !AWAY.test(error)));
    const different = await differences(account, pool);
    if (different > 0) wrong.push(`${different} objects differ`);
    return { ...counts, failed: team.errors.length, kills, restarts, looks, wrong };
  } finally {
    await team.end();
    await pool.end();
    await account.double.close();
  }
}

function print(name: string, outcome: Outcome): void {
  const { requests, lists, limited, seconds, kills, failed, restarts, looks, wrong } = outcome;
  console.log(
    `${name}: ${requests} requests (${lists} pages of lists, ${limited} answered 429) in ${seconds.toFixed(0)} s, ${kills} workers killed and ${failed} failed, PostgreSQL restarted ${restarts} times, looked at ${looks} times`,
  );
  for (const each of wrong) console.log(`  ✗ ${each}`);
}

/** How many are answered with 429 is a matter of moments. */
const answered = ({ requests, limited }: Outcome): number => requests - limited;

const lost = ({ kills, failed, restarts }: Outcome): number =>
  Math.min(FEW, (kills + failed) * (PAGES_AT_ONCE + 1) + restarts * WORKERS * PAGES_AT_ONCE);

const server = await startPostgres();
try {
  console.log(
    `${objects} objects, ${WORKERS} workers, ${LIMITS.endpoint} requests a second allowed, load ${loadavg()[0]?.toFixed(1)}`,
  );
  const calm = await backfill(server, false);
  print("undisturbed", calm);
  const chaos = await backfill(server, true);
  print("disturbed", chaos);
  const ratio = answered(chaos) / answered(calm);
  const pages = chaos.lists / calm.lists;
  console.log(
    `disturbed to undisturbed: ${ratio.toFixed(3)} in requests, ${pages.toFixed(3)} in pages of lists`,
  );
  const isFrugal = answered(chaos) <= Math.max(answered(calm) * MORE, answered(calm) + lost(chaos));
  const isRight = calm.wrong.length + chaos.wrong.length === 0;
  const isDisturbed = chaos.kills > 0 && chaos.restarts > 0;
  if (!isFrugal || !isRight || !isDisturbed) process.exitCode = 1;
  console.log(process.exitCode === 1 ? "failed" : "complete and equal, not a moment too early");
} finally {
  await server.stop();
}
