/** The race of checkouts: seed after seed, and what came of all of them. */
import { loadavg } from "node:os";
import pg from "pg";
import { planOf } from "./plan.js";
import { type CheckoutOutcome, runCheckoutSeed, startBuyer } from "./run-seed.js";

export interface RaceOptions {
  readonly database: string;
  readonly seeds: number;
  readonly first: number;
  readonly calls: number;
  readonly processes: number;
  readonly isAllowed: boolean;
}

/** Answers whether every seed ended well. */
export async function raceCheckouts(options: RaceOptions): Promise<boolean> {
  const { database, seeds, first, calls, processes, isAllowed } = options;
  const pool = new pg.Pool({ connectionString: database, max: 8 });
  pool.on("error", () => {}); // a connection that is cut as the server ends
  let buyers = Array.from({ length: processes }, startBuyer);
  const outcomes: CheckoutOutcome[] = [];
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  try {
    for (let seed = first; seed < first + seeds; seed++) {
      const outcome = await runCheckoutSeed(planOf(seed), buyers, {
        pool,
        database,
        calls,
        isAllowed,
      });
      outcomes.push(outcome);
      for (const wrong of outcome.wrong) console.log(`  ✗ seed ${seed}: ${wrong}`);
      if (outcomes.length % 10 === 0) {
        console.log(`  ${outcomes.length} of ${seeds} seeds, ${seconds()} s`);
      }
      buyers = buyers.map((buyer) => (buyer.isAlive() ? buyer : startBuyer()));
    }
  } finally {
    for (const buyer of buyers) buyer.end();
    await pool.end();
  }
  const sum = (count: (outcome: CheckoutOutcome) => number) =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0);
  const kinds = new Map<string, number>();
  for (const [kind, count] of outcomes.flatMap((outcome) => Object.entries(outcome.kinds))) {
    kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
  const wrong = outcomes.filter((outcome) => outcome.wrong.length > 0).map(({ seed }) => seed);
  console.log(
    JSON.stringify({
      seeds: outcomes.length,
      wrong,
      processes,
      callsPerSeed: calls,
      answered: sum(({ answered }) => answered),
      askedAgain: sum(({ askedAgain }) => askedAgain),
      kinds: Object.fromEntries(kinds),
      pages: sum(({ pages }) => pages),
      paid: sum(({ paid }) => paid),
      longestMilliseconds: Math.round(Math.max(...outcomes.map((each) => each.milliseconds))),
      seconds: seconds(),
      load: loadavg()[0],
    }),
  );
  return wrong.length === 0 && outcomes.length === seeds;
}
