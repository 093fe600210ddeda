// Stops a process at every step of every operation: before each statement, connection and request to Stripe,
// and after each has taken effect and before the process hears so. Then another process goes on, the caller
// tries again and Stripe delivers again: what is promised must hold.
//
//   npm run crashpoints
//   npm run crashpoints -- --only checkout,return        some of the operations
//   npm run crashpoints -- --only checkout --at 17       one point, with what was done there
//   npm run crashpoints -- --every 100                   every hundredth point, as CI does
//   npm run crashpoints -- --prove                       breaks two things, each of which must be found
//   npm run crashpoints -- --write                       keeps the figures for docs/reliability.md
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startPostgres } from "../support/postgres/server.js";
import { BREAKS, type Break } from "./crashpoints/mortal.js";
import { operations } from "./crashpoints/operations.js";
import { stopEverywhere } from "./crashpoints/run.js";
import { type Row, writeFigures } from "./reliability/figures.js";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    at: { type: "string" },
    every: { type: "string", default: "1" },
    prove: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const only = values.only?.split(",");
const chosen = operations.filter(({ name }) => only?.includes(name) ?? true);
if (chosen.length === 0) throw new Error(`There are: ${operations.map((o) => o.name).join(", ")}`);

const began = performance.now();
const load = loadavg()[0] ?? 0;
const server = await startPostgres({ settings: { fsync: "off" } });
let isGood: boolean;
try {
  isGood = values.prove ? await prove() : await stopAll();
} finally {
  await server.stop();
}
// Processes that died still wait for answers that never come.
process.exit(isGood ? 0 : 1);

async function stopAll(): Promise<boolean> {
  const choice = {
    every: Number(values.every),
    ...(values.at === undefined ? {} : { at: Number(values.at) }),
  };
  const rows: Row[] = [];
  const all = { steps: 0, points: 0, broken: 0 };
  for (const operation of chosen) {
    const { steps, points, broken } = await stopEverywhere(server.url, operation, choice);
    const said = `${steps} steps, stopped at ${points} points, ${broken.length} broken promises`;
    console.log(`${operation.name.padEnd(18)} ${said}`);
    for (const line of broken.slice(0, 20)) console.log(`    ${line}`);
    rows.push([operation.name, said, "0 broken"]);
    all.steps += steps;
    all.points += points;
    all.broken += broken.length;
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const sum = `${all.steps} steps, stopped at ${all.points} points, ${all.broken} broken promises`;
  console.log(`${chosen.length} operations, ${sum}, ${seconds} s`);
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
  } as const satisfies Record<Break, string>;
  let isFound = true;
  for (const broken of BREAKS) {
    const operation = operations.find(({ name }) => name === shows[broken]);
    if (operation === undefined) throw new Error(`There is no ${shows[broken]}`);
    const choice = { every: 1, broken, isFirstEnough: true };
    const { broken: found, points } = await stopEverywhere(server.url, operation, choice);
    console.log(`${broken}: ${found.length} broken promises in ${operation.name}, point ${points}`);
    for (const line of found.slice(0, 2)) console.log(`    ${line}`);
    isFound &&= found.length > 0;
  }
  return isFound;
}
