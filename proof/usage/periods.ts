/** What plans include over two years of random lives, on a PostgreSQL of its own, two accounts at once. */
import pg from "pg";
import { judgePeriods, type OutcomeOfPeriods } from "../../support/periods/run.js";
import { preparing } from "../../support/postgres/preparing.js";
import { startPostgres } from "../../support/postgres/server.js";

/** Lives in one account of Stripe's, and accounts at once. */
const TOGETHER = 20;
const AT_ONCE = 2;
const SETTINGS = { fsync: "off", plan_cache_mode: "force_generic_plan" };

export async function periods(entities: readonly number[], seed: string) {
  const server = await startPostgres({ settings: SETTINGS });
  const outcomes: OutcomeOfPeriods[] = [];
  let next = 0;
  const live = async (place: number): Promise<void> => {
    const pool = preparing(new pg.Pool({ connectionString: server.url, max: 7 }));
    pool.on("error", () => {}); // a connection that is cut as the server ends
    const schema = `periods_${place}`;
    for (let first = next; first < entities.length; first = next) {
      next += TOGETHER;
      const some = entities.slice(first, first + TOGETHER);
      outcomes.push(await judgePeriods({ seed, entities: some, pool, schema }));
      await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      const lived = sum(outcomes, ({ lives }) => lives);
      console.log(`  ${lived} lives, ${sum(outcomes, wrongIn)} answered otherwise`);
    }
    await pool.end();
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, place) => live(place)));
  } finally {
    await server.stop();
  }
  const seen: Record<string, number> = {};
  for (const [name, count] of outcomes.flatMap((outcome) => [...outcome.seen])) {
    seen[name] = (seen[name] ?? 0) + count;
  }
  return {
    lives: sum(outcomes, ({ lives }) => lives),
    looks: sum(outcomes, ({ looks }) => looks),
    takings: sum(outcomes, ({ takings }) => takings),
    seen: Object.fromEntries(Object.entries(seen).sort()),
    wrong: outcomes.flatMap(({ wrong }) => wrong),
  };
}

const wrongIn = ({ wrong }: OutcomeOfPeriods): number => wrong.length;

const sum = (
  outcomes: readonly OutcomeOfPeriods[],
  part: (outcome: OutcomeOfPeriods) => number,
): number => outcomes.reduce((count, outcome) => count + part(outcome), 0);
