// Does the double behave as Stripe does? Each behaviour of the list has a source and a check that
// runs the real SDK against a double of its own. Not part of CI: what the double still shows
// otherwise stays in the list, as the next work.
//
//   npm run double:truth                        what differs, and how many behaviours are as Stripe's
//   npm run double:truth -- --only proration    those whose theme or name contains this
//   npm run double:truth -- --list              the behaviours and their sources; runs nothing
import { parseArgs } from "node:util";
import { themes } from "./behaviours/index.js";
import { check } from "./harness/behaviour.js";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    list: { type: "boolean", default: false },
  },
});

const chosen = themes.flatMap(({ name: theme, behaviours }) =>
  behaviours
    .map((behaviour) => ({ theme, behaviour, title: `${theme}: ${behaviour.name}` }))
    .filter(({ title }) => title.toLowerCase().includes(values.only.toLowerCase())),
);
if (chosen.length === 0) throw new Error(`No behaviour has "${values.only}" in its name`);

if (values.list) {
  for (const { title, behaviour } of chosen) {
    console.log(`${title} [${behaviour.source.kind}: ${behaviour.source.at}]`);
  }
  console.log(`${chosen.length} behaviours`);
} else {
  process.exitCode = (await compare()) ? 0 : 1;
}

/** Prints what differs, by theme; answers whether nothing does. */
async function compare(): Promise<boolean> {
  const tallies = new Map<string, { same: number; all: number }>();
  let gaps = 0;
  for (const { theme, title, behaviour } of chosen) {
    const tally = tallies.get(theme) ?? { same: 0, all: 0 };
    tallies.set(theme, tally);
    tally.all += 1;
    const { result, details } = await check(behaviour);
    if (result === "same") tally.same += 1;
    if (result === "same") continue;
    if (result === "not modelled") gaps += 1;
    const { kind, at } = behaviour.source;
    console.log(`${result === "otherwise" ? "✗" : "–"} ${title} [${kind}: ${at}]`);
    for (const detail of details) console.log(`    ${detail}`);
  }
  console.log("");
  for (const [theme, { same, all }] of tallies) console.log(`  ${theme}: ${same} of ${all}`);
  const same = [...tallies.values()].reduce((sum, tally) => sum + tally.same, 0);
  const rest = chosen.length - same;
  console.log(`${same} of ${chosen.length} behaviours as Stripe's`);
  if (rest > 0) console.log(`  ${rest - gaps} otherwise (✗), ${gaps} not modelled (–)`);
  return rest === 0;
}
