// Random lives of entities in the double: the named events that the library tells of each, beside an
// independent reading of Stripe's own log of events.
//
//   npm run lives                                    2,000 lives, seed 1
//   npm run lives -- --lives 200 --seed 7
//   npm run lives -- --seed 7 --only 41              one of them
import { parseArgs } from "node:util";
import { judgeLives, type Outcome } from "../support/tellings/run.js";

const { values } = parseArgs({
  options: {
    lives: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
  },
});

/** Lives in one account of Stripe's. */
const TOGETHER = 50;

const { seed, only } = values;
const all = Array.from({ length: Number(values.lives) }, (_, index) => index + 1);
const entities = only === undefined ? all : [Number(only)];
const started = performance.now();
const seconds = () => ((performance.now() - started) / 1000).toFixed(0);

const outcomes: Outcome[] = [];
for (let first = 0; first < entities.length; first += TOGETHER) {
  const outcome = await judgeLives({ seed, entities: entities.slice(first, first + TOGETHER) });
  outcomes.push(outcome);
  for (const each of outcome.wrong.slice(0, 5)) console.log(each);
  if (first % 500 === 0) console.log(`  ${first + outcome.lives} lives, ${seconds()} s`);
}

const sum = (part: (outcome: Outcome) => number) =>
  outcomes.reduce((total, outcome) => total + part(outcome), 0);
const table = (part: (outcome: Outcome) => ReadonlyMap<string, number>) => {
  const total = new Map<string, number>();
  for (const [name, count] of outcomes.flatMap((outcome) => [...part(outcome)])) {
    total.set(name, (total.get(name) ?? 0) + count);
  }
  return [...total].sort(([a], [b]) => (a < b ? -1 : 1));
};
for (const [name, count] of table(({ acts }) => acts)) console.log(`  ${name}: ${count}`);
for (const [name, count] of table(({ names }) => names)) console.log(`  ${name}: ${count}`);
const wrong = sum((outcome) => outcome.wrong.length);
console.log(
  [
    `seed ${seed}: ${entities.length} lives, ${sum(({ events }) => events)} events of Stripe's`,
    `${sum(({ names }) => [...names.values()].reduce((a, b) => a + b, 0))} to tell`,
    `${sum(({ unseen }) => unseen)} failures that no row shows`,
    `${wrong} lives told otherwise`,
    `${seconds()} s`,
  ].join("; "),
);
process.exitCode = wrong === 0 ? 0 : 1;
