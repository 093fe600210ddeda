// PostgreSQL as it fails in real life, under load: a primary dies and its standby takes over, with and without
// loss; it is read-only, slow, locked or full; a replica has one connection, or a wrong clock. It needs
// Debian's PostgreSQL and PgBouncer, and installs them where it may. The full disk needs a root that may
// mount a file system; what cannot be run here counts as a failure, unless it is left out by --skip.
//
//   npm run failover -- [--short] [--only synchronous] [--skip disk-full] [--seed 1] [--write] [--break]
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Row, Scenario } from "./failover/outcome.js";
import { asynchronous } from "./failover/scenarios/asynchronous.js";
import { clocks } from "./failover/scenarios/clocks.js";
import { diskFull } from "./failover/scenarios/disk-full.js";
import { poolOfOne } from "./failover/scenarios/pool-of-one.js";
import { readOnly } from "./failover/scenarios/refusals.js";
import { synchronous } from "./failover/scenarios/synchronous.js";
import { timeouts } from "./failover/scenarios/timeouts.js";
import { findTools } from "./failover/tools.js";
import { writeFigures } from "./reliability/figures.js";

const SCENARIOS: { readonly [name: string]: Scenario } = {
  synchronous,
  asynchronous,
  "pool-of-one": poolOfOne,
  "read-only": readOnly,
  timeouts,
  "disk-full": diskFull,
  clocks,
};

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    only: { type: "string" },
    skip: { type: "string", multiple: true, default: [] },
    seed: { type: "string", default: "1" },
    write: { type: "boolean", default: false },
    break: { type: "boolean", default: false },
  },
});
for (const name of [values.only ?? [], values.skip].flat()) {
  if (SCENARIOS[name] !== undefined) continue;
  throw new Error(`There is no ${name}: ${Object.keys(SCENARIOS).join(", ")}`);
}
const described = (error: unknown) => String(error instanceof Error ? error.stack : error);
const broken: string[] = [];
process.on("unhandledRejection", (error) => {
  broken.push(`not handled: ${described(error)}`);
});

const tools = findTools();
const began = Date.now();
const seconds = () => Math.round((Date.now() - began) / 1000);
const rows: Row[] = [];
const notes: string[] = [];
const notRun: string[] = [];
let played = 0;
for (const [name, play] of Object.entries(SCENARIOS)) {
  if (values.only !== undefined && values.only !== name) continue;
  if (values.skip.includes(name)) {
    console.log(`${name} is left out`);
    rows.push([`${name}: run`, "no: left out by --skip"]);
    continue;
  }
  console.log(`${name}, at ${seconds()} s`);
  const say = (line: string) => console.log(`  ${seconds()} s: ${line}`);
  const { short: isShort, break: isBroken } = values;
  try {
    const outcome = await play({ tools, seed: values.seed, isShort, isBroken, say });
    if (outcome.notRun !== undefined) {
      notRun.push(`${name}: ${outcome.notRun}; leave it out by --skip ${name}`);
      continue;
    }
    played++;
    for (const [what, ...rest] of outcome.rows) {
      console.log(`  ${what}: ${rest.join(" | ")}`);
      rows.push([`${name}: ${what}`, ...rest] as Row);
    }
    notes.push(...(outcome.notes ?? []));
    broken.push(...outcome.wrong.map((each) => `${name}: ${each}`));
  } catch (error) {
    broken.push(`${name}: ${described(error)}`);
  }
}
const isRight = broken.length === 0 && notRun.length === 0;
for (const each of broken) console.log(`✗ ${each}`);
for (const each of notRun) console.log(`✗ NOT RUN: ${each}`);
const load = Number(loadavg()[0]?.toFixed(1));
const verdict = isRight
  ? `✓ every promise is kept in ${played} of ${Object.keys(SCENARIOS).length} scenarios`
  : `✗ ${broken.length} promises broken, ${notRun.length} scenarios not run`;
console.log(`${verdict}, ${seconds()} s (load ${load})`);
if (values.write && isRight) {
  const options = process.argv.slice(2).filter((each) => each !== "--write");
  const command = ["npm run failover", ...(options.length > 0 ? ["--"] : []), ...options].join(" ");
  writeFigures("failover", { command, load, rows, notes });
}
process.exit(isRight ? 0 : 1);
