// Random lives of entities in the double, sold by a catalogue: whenever the mirror is settled, what the
// gates answer for each beside an independent reading of the catalogue and of Stripe's own state.
//
//   npm run gates                          500 lives, seed 1
//   npm run gates -- --lives 50 --seed 7
//   npm run gates -- --seed 7 --only 41    one of them
import { parseArgs } from "node:util";
import pg from "pg";
import { type GatedOutcome, judgeGates } from "../support/gates/run.js";
import { startPostgres } from "../support/postgres/server.js";

const { values } = parseArgs({
  options: {
    lives: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
  },
});

/** Lives in one account of Stripe's. */
const TOGETHER = 25;

const { seed, only } = values;
const all = Array.from({ length: Number(values.lives) }, (_, index) => index + 1);
const entities = only === undefined ? all : [Number(only)];
const started = performance.now();
const seconds = () => ((performance.now() - started) / 1000).toFixed(0);

const server = await startPostgres({ settings: { fsync: "off" } });
const pool = new pg.Pool({ connectionString: server.url, max: 10 });
pool.on("error", () => {}); // a connection that is cut as the server ends

try {
  const outcomes: GatedOutcome[] = [];
  for (let first = 0; first < entities.length; first += TOGETHER) {
    const some = entities.slice(first, first + TOGETHER);
    const outcome = await judgeGates({ seed, entities: some, pool, schema: "gates" });
    await pool.query("DROP SCHEMA IF EXISTS gates CASCADE");
    outcomes.push(outcome);
    for (const each of outcome.wrong.slice(0, 5)) console.log(each);
    if (first % 100 === 0) console.log(`  ${first + outcome.lives} lives, ${seconds()} s`);
  }
  const seen = new Map<string, number>();
  for (const [name, count] of outcomes.flatMap((outcome) => [...outcome.seen])) {
    seen.set(name, (seen.get(name) ?? 0) + count);
  }
  for (const [name, count] of [...seen].sort()) console.log(`  ${name}: ${count}`);
  const sum = (part: (outcome: GatedOutcome) => number) =>
    outcomes.reduce((count, outcome) => count + part(outcome), 0);
  const wrong = sum((outcome) => outcome.wrong.length);
  console.log(
    `seed ${seed}: ${entities.length} lives, ${sum(({ looks }) => looks)} looks; ${wrong} answered otherwise; ${seconds()} s`,
  );
  if (wrong > 0) process.exitCode = 1;
} finally {
  await pool.end();
  await server.stop();
}
