// Stops a process at every step of every operation: before each statement, connection and request to Stripe,
// and after each has taken effect and before the process hears so. Then another process goes on, the caller
// tries again and Stripe delivers again: what is promised must hold. Several processes share the points.
//
//   npm run crashpoints
//   npm run crashpoints -- --only checkout,return        some of the operations
//   npm run crashpoints -- --only checkout --at 17       one point, with what was done there
//   npm run crashpoints -- --every 100                   every hundredth point, as CI does
//   npm run crashpoints -- --prove                       breaks three things, each of which must be found
//   npm run crashpoints -- --jobs 4                      so many processes at once
//   npm run crashpoints -- --write                       keeps the figures for docs/reliability.md
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startPostgres } from "../support/postgres/server.js";
import { BREAKS, type Break } from "./crashpoints/mortal.js";
import { operations } from "./crashpoints/operations.js";
import { dealt, type Part, runPart, runParts } from "./crashpoints/parts.js";
import type { Outcome } from "./crashpoints/run.js";
import { type Row, writeFigures } from "./reliability/figures.js";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    at: { type: "string" },
    every: { type: "string", default: "1" },
    jobs: { type: "string", default: String(availableParallelism() + 1) },
    prove: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const only = values.only?.split(",");
const chosen = operations.filter(({ name }) => only?.includes(name) ?? true);
if (chosen.length === 0) throw new Error(`There are: ${operations.map((o) => o.name).join(", ")}`);

/** Of a whole run, an operation's points are dealt to so many processes. */
const PARTS = 4;

const began = performance.now();
const seconds = () => ((performance.now() - began) / 1000).toFixed(0);
const load = loadavg()[0] ?? 0;
const server = await startPostgres({ settings: { fsync: "off" } });
let isGood: boolean;
try {
  isGood = values.prove ? await prove() : await stopAll();
} finally {
  await server.stop();
}
process.exit(isGood ? 0 : 1);

async function stopAll(): Promise<boolean> {
  const every = Number(values.every);
  // A few points are not worth a world of their own.
  const share = every > 10 ? 1 : PARTS;
  const parts = chosen.flatMap(({ name }): Part[] =>
    values.at === undefined
      ? dealt(server.url, name, every, share)
      : [
          {
            server: server.url,
            operation: name,
            choice: { first: 1, every, at: Number(values.at) },
          },
        ],
  );
  const outcomes = new Map(chosen.map(({ name }) => [name, [] as Outcome[]]));
  await runParts(parts, Number(values.jobs), ({ operation, choice }, outcome) => {
    outcomes.get(operation)?.push(outcome);
    const { points, broken } = outcome;
    const which = choice.at ?? `${choice.first}, ${choice.first + choice.every}, …`;
    console.log(
      `  ${seconds()} s: ${operation} at ${which}: ${points} points, ${broken.length} broken`,
    );
    for (const line of broken.slice(0, 20)) console.log(`    ${line}`);
  });
  const rows: Row[] = [];
  const all = { steps: 0, points: 0, broken: 0 };
  for (const [name, each] of outcomes) {
    const steps = Math.max(...each.map((outcome) => outcome.steps));
    const points = each.reduce((sum, outcome) => sum + outcome.points, 0);
    const broken = each.reduce((sum, outcome) => sum + outcome.broken.length, 0);
    const said = `${steps} steps, stopped at ${points} points, ${broken} broken promises`;
    console.log(`${name.padEnd(18)} ${said}`);
    rows.push([name, said, "0 broken"]);
    all.steps += steps;
    all.points += points;
    all.broken += broken;
  }
  const sum = `${all.steps} steps, stopped at ${all.points} points, ${all.broken} broken promises`;
  console.log(`${chosen.length} operations, ${sum}, ${seconds()} s`);
  if (values.write) {
    rows.push([`${chosen.length} operations`, sum, "0 broken"]);
    writeFigures("crashpoints", { command: "npm run crashpoints", load, rows, notes: [] });
  }
  return all.broken === 0;
}

/** Each fault must show in the operation that has most of it. */
async function prove(): Promise<boolean> {
  const shows = {
    keys: "setup",
    identifiers: "meter",
    transactions: "webhook and hook",
  } as const satisfies Record<Break, string>;
  let isFound = true;
  for (const broken of BREAKS) {
    const operation = shows[broken];
    const choice = { first: 1, every: 1, broken, isFirstEnough: true };
    const { broken: found, points } = await runPart({ server: server.url, operation, choice });
    console.log(`${broken}: ${found.length} broken promises in ${operation}, point ${points}`);
    for (const line of found.slice(0, 2)) console.log(`    ${line}`);
    isFound &&= found.length > 0;
  }
  return isFound;
}
