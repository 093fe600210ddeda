// Random lives of entities in the double: the named events that the library tells of each, beside an
// independent reading of Stripe's own log of events. Each is lived three times: by the pure functions
// alone, through the library on PostgreSQL with every webhook, and with some that are lost, doubled or
// late.
//
//   npm run lives                                    2,000 lives, seed 1
//   npm run lives -- --lives 200 --seed 7
//   npm run lives -- --seed 7 --only 41              one of them; in the rough way with those of its
//                                                    account, which all draw on its lost webhooks
//   npm run lives -- --way pure                      or whole, or rough
//   npm run lives -- --at-once 1                     so many accounts are lived in at once
import { parseArgs } from "node:util";
import pg from "pg";
import { preparing } from "../support/postgres/preparing.js";
import { startPostgres } from "../support/postgres/server.js";
import type { Outcome } from "../support/tellings/outcome.js";
import { judgeLives } from "../support/tellings/run.js";
import { judgeStoredLives } from "../support/tellings/stored.js";

const WAYS = ["pure", "whole", "rough"] as const;
type Way = (typeof WAYS)[number];

const { values } = parseArgs({
  options: {
    lives: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    way: { type: "string" },
    "at-once": { type: "string", default: "2" },
  },
});

/** Lives in one account of Stripe's. */
const TOGETHER = 50;
/** What is written needs to outlive nothing, and statements are planned once. */
const SETTINGS = { fsync: "off", plan_cache_mode: "force_generic_plan" };

const { seed, only, way: asked } = values;
const ways = WAYS.filter((way) => asked === undefined || asked === way);
const all = Array.from({ length: Number(values.lives) }, (_, index) => index + 1);
const chosen = (way: Way): readonly number[] => {
  if (only === undefined) return all;
  const before = Math.floor((Number(only) - 1) / TOGETHER) * TOGETHER;
  return way === "rough" ? all.slice(before, before + TOGETHER) : [Number(only)];
};
const started = performance.now();
const seconds = () => ((performance.now() - started) / 1000).toFixed(0);

const server = ways.some((way) => way !== "pure")
  ? await startPostgres({ settings: SETTINGS })
  : undefined;
const pools = Array.from({ length: Math.max(1, Number(values["at-once"])) }, () => {
  // So small that changes are told one after the other: workers that meet wait for a second.
  const pool = preparing(new pg.Pool({ connectionString: server?.url, max: 7 }));
  return pool.on("error", () => {}); // a connection that is cut as the server ends
});

async function judge(way: Way, some: readonly number[], pool: pg.Pool): Promise<Outcome> {
  if (way === "pure") return judgeLives({ seed, entities: some });
  const schema = `lives_${pools.indexOf(pool)}`;
  try {
    return await judgeStoredLives({ seed, entities: some, pool, schema, delivery: way });
  } finally {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  }
}

const total = (parts: Iterable<readonly [string, number]>) => {
  const sums = new Map<string, number>();
  for (const [name, count] of parts) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
};

try {
  for (const way of ways) {
    const entities = chosen(way);
    const outcomes: Outcome[] = [];
    let next = 0;
    const live = async (pool: pg.Pool) => {
      for (let first = next; first < entities.length; first = next) {
        next += TOGETHER;
        const outcome = await judge(way, entities.slice(first, first + TOGETHER), pool);
        outcomes.push(outcome);
        for (const each of outcome.wrong.slice(-5)) console.log(each);
        const lived = outcomes.reduce((count, { lives }) => count + lives, 0);
        if (lived % 100 === 0) console.log(`  ${way}: ${lived} lives, ${seconds()} s`);
      }
    };
    await Promise.all(pools.map(live));
    const sum = (part: (outcome: Outcome) => number) =>
      outcomes.reduce((count, outcome) => count + part(outcome), 0);
    const names = total(outcomes.flatMap((outcome) => [...outcome.names]));
    if (way === ways[0]) {
      for (const [act, count] of total(outcomes.flatMap(({ acts }) => [...acts]))) {
        console.log(`  ${act}: ${count}`);
      }
      for (const [name, count] of names) console.log(`  ${name}: ${count}`);
    }
    const wrong = sum((outcome) => outcome.wrong.length);
    const line = [
      `${way}, seed ${seed}: ${sum(({ lives }) => lives)} lives, ${sum(({ events }) => events)} events of Stripe's`,
      `${names.reduce((count, [, each]) => count + each, 0)} to tell`,
      `${sum(({ unseen }) => unseen)} failures that no row shows`,
      `${wrong} told otherwise`,
      `${seconds()} s`,
    ];
    console.log(line.join("; "));
    if (wrong > 0) process.exitCode = 1;
  }
} finally {
  await Promise.all(pools.map((pool) => pool.end()));
  await server?.stop();
}
