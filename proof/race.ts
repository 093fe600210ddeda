// Many concurrent `setup` calls for one entity from several processes, with a Stripe that cuts
// connections, answers 409 and 429 and keeps 500s, and one process killed in mid-call. Each seed
// must end with one customer at Stripe, no orphan, and the same customer everywhere.
//
//   npm run race -- --seeds 200 --calls 1000 --processes 4 [--first 1]
//
// With --setback: `setup` for many entities, then the database is set back to an earlier time, then
// `setup` again. Each entity must end with one customer. --random-keys shows that it can fail.
//
//   npm run race -- --setback [--entities 100] [--random-keys]
//
// With --checkout: many concurrent `checkout` and `subscribe` calls for one entity, of three orders,
// pages paid as they come, one process killed. Nobody may come to have two live subscriptions, and
// everybody must get an answer.
//
//   npm run race -- --checkout [--seeds 50] [--calls 200] [--first 1] [--allow]
//
// --allow sells second subscriptions on purpose, which shows that it can fail.
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { startPostgres } from "../support/postgres/server.js";
import { startCaller } from "./race/callers.js";
import { raceCheckouts } from "./race/checkout/race.js";
import { planOf } from "./race/plan.js";
import { type Outcome, runSeed } from "./race/run-seed.js";
import { runSetBack, setBacks } from "./race/set-back.js";

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    calls: { type: "string" },
    processes: { type: "string", default: "4" },
    first: { type: "string", default: "1" },
    setback: { type: "boolean", default: false },
    checkout: { type: "boolean", default: false },
    allow: { type: "boolean", default: false },
    entities: { type: "string", default: "100" },
    "random-keys": { type: "boolean", default: false },
  },
});
const seeds = Number(values.seeds ?? (values.checkout ? 50 : 200));
const calls = Number(values.calls ?? (values.checkout ? 200 : 1_000));
const processes = Number(values.processes);
const first = Number(values.first);

const server = await startPostgres({ settings: { fsync: "off" } });
if (values.setback) process.exit(await raceSetBacks());
if (values.checkout) {
  const options = {
    database: server.url,
    seeds,
    first,
    calls,
    processes,
    isAllowed: values.allow,
  };
  const isWell = await raceCheckouts(options).finally(() => server.stop());
  process.exit(isWell ? 0 : 1);
}
const pool = new pg.Pool({ connectionString: server.url, max: 8 });
pool.on("error", () => {}); // a connection that is cut as the server ends
let callers = Array.from({ length: processes }, startCaller);
const spares = [startCaller()];
const outcomes: Outcome[] = [];
const started = performance.now();
try {
  for (let seed = first; seed < first + seeds; seed++) {
    const outcome = await runSeed(planOf(seed), callers, { pool, database: server.url, calls });
    outcomes.push(outcome);
    for (const wrong of outcome.wrong) console.log(`  ✗ seed ${seed}: ${wrong}`);
    if (outcomes.length % 10 === 0) {
      const bad = outcomes.filter((each) => each.wrong.length > 0).length;
      const seconds = Math.round((performance.now() - started) / 1000);
      console.log(`  ${outcomes.length} of ${seeds} seeds, ${bad} wrong, ${seconds} s`);
    }
    // The dead one is replaced by one that was started meanwhile.
    callers = callers.map((caller) =>
      caller.isAlive() ? caller : (spares.pop() ?? startCaller()),
    );
    if (seed < first + seeds - 1) spares.push(startCaller());
  }
} finally {
  for (const caller of [...callers, ...spares]) caller.end();
  await pool.end();
  await server.stop();
}

const reports = outcomes.flatMap((outcome) => outcome.reports);
const sum = (count: (report: (typeof reports)[number]) => number): number =>
  reports.reduce((total, report) => total + count(report), 0);
const total = (tallies: readonly { readonly [name: string]: number }[]) => {
  const all = new Map<string, number>();
  for (const [name, count] of tallies.flatMap(Object.entries<number>)) {
    all.set(name, (all.get(name) ?? 0) + count);
  }
  return Object.fromEntries([...all].sort());
};
const durations = outcomes.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
const wrong = outcomes.filter((outcome) => outcome.wrong.length > 0).map(({ plan }) => plan.seed);
const result = {
  seeds: outcomes.length,
  wrong,
  processes,
  callsPerSeed: calls,
  callsAnswered: sum(({ customers }) => Object.values(customers).reduce((a, b) => a + b, 0)),
  callsRefusedForTheirOwnEmail: sum(({ refused }) => refused),
  callsRetriedByTheCaller: sum(({ retriedCalls }) => retriedCalls),
  retries: sum(({ retries }) => retries),
  processesKilled: outcomes.reduce((total, { killed }) => total + killed, 0),
  ofThoseAtACreation: outcomes.filter(({ killedPosting }) => killedPosting).length,
  seedsWithAnotherKey: outcomes.filter(({ claim }) => claim.past.length > 0).length,
  seedsWithAnotherClaim: outcomes.filter(({ claim }) => claim.generation > 1).length,
  creationsAtStripe: total(outcomes.map(({ creations }) => creations)),
  creationsAsSeen: total(reports.map(({ answers }) => answers)),
  medianMilliseconds: Math.round(durations[durations.length >> 1] ?? 0),
  longestMilliseconds: Math.round(durations.at(-1) ?? 0),
  seconds: Math.round((performance.now() - started) / 1000),
  load: loadavg()[0],
};
console.log("\nCalls, and creations as seen, are those of the processes that lived on:");
for (const [name, value] of Object.entries(result)) {
  console.log(`  ${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`);
}
console.log(JSON.stringify(result));
if (wrong.length > 0 || outcomes.length !== seeds) process.exitCode = 1;

/** Answers the exit code: 0 if every entity has one customer, whatever the database has forgotten. */
async function raceSetBacks(): Promise<number> {
  let exit = 0;
  try {
    for (const each of setBacks) {
      const outcome = await runSetBack(each, {
        adminUrl: server.url,
        entities: Number(values.entities),
        randomKeys: values["random-keys"],
      });
      const { name, before, interrupted, customers, wrong, milliseconds } = outcome;
      console.log(
        `${wrong.length === 0 ? "✓" : "✗"} ${name}: set back to a copy from before any setup, after ${each.lost}; ${before} customers were made by then, ${interrupted} callers were cut off; ${values.entities} entities have ${customers} customers, ${milliseconds} ms`,
      );
      for (const line of wrong.slice(0, 5)) console.log(`    ${line}`);
      if (wrong.length > 5) console.log(`    and ${wrong.length - 5} more`);
      if (wrong.length > 0) exit = 1;
    }
  } finally {
    await server.stop();
  }
  return exit;
}
