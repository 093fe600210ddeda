// Random catalogues, pushed to the double and edited: after each push what Stripe has equals the
// catalogue by an independent reading, subscribers keep their prices, nothing is deleted, another
// application's objects stay as they are, a pull leaves nothing to push, and edits by hand are shown
// and kept. And ten processes that push at once, one of which is killed, make one set of objects.
//
//   npm run push:random                                200 catalogues edited 5 times each, 5 races
//   npm run push:random -- --catalogues 20 --edits 3 --seed 7
//   npm run push:random -- --seed 7 --only 41          one of them
//   npm run push:random -- --catalogues 0 --races 20   races alone
import { parseArgs } from "node:util";
import { playStory } from "../support/push/story.js";
import { race } from "./push/race.js";

const { values } = parseArgs({
  options: {
    catalogues: { type: "string", default: "200" },
    edits: { type: "string", default: "5" },
    races: { type: "string", default: "5" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
  },
});

const { seed, only } = values;
const edits = Number(values.edits);
const upTo = (most: string) => Array.from({ length: Number(most) }, (_, index) => index + 1);
const stories = only === undefined ? upTo(values.catalogues) : [Number(only)];
const races = only === undefined ? upTo(values.races) : [];
const started = performance.now();
const seconds = () => ((performance.now() - started) / 1000).toFixed(0);

const counts = new Map<string, number>();
const wrong: string[] = [];
for (const index of stories) {
  const outcome = await playStory({ seed, index, edits });
  for (const [what, count] of outcome.counts) counts.set(what, (counts.get(what) ?? 0) + count);
  for (const each of outcome.wrong) console.log(each);
  wrong.push(...outcome.wrong);
  if (index % 20 === 0) console.log(`  ${index} catalogues, ${seconds()} s`);
}
for (const [what, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log(`  ${what}: ${count}`);
}

let [ended, killed] = [0, 0];
for (const index of races) {
  const outcome = await race(seed, index);
  ended += outcome.ended;
  killed += outcome.killed;
  for (const each of outcome.wrong) console.log(each);
  wrong.push(...outcome.wrong);
  console.log(
    `  race ${index}: ${outcome.objects} objects, ${outcome.requests} requests, ${seconds()} s`,
  );
}

console.log(
  [
    `push, seed ${seed}: ${stories.length} catalogues, ${edits} edits each`,
    `${races.length} races of ten processes, ${ended} ended and ${killed} killed`,
    `${wrong.length} wrong`,
    `${seconds()} s`,
  ].join("; "),
);
if (wrong.length > 0) process.exitCode = 1;
