// PostgreSQL as it fails in real life, under load: a primary dies and its standby takes over, with and without
// loss; it is read-only, slow, locked or full; a replica has one connection, or a wrong clock. It needs
// Debian's PostgreSQL and PgBouncer, and installs them where it may.
//
//   npm run failover -- [--short] [--only synchronous] [--seed 1] [--write] [--break]
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
    seed: { type: "string", default: "1" },
    write: { type: "boolean", default: false },
    break: { type: "boolean", default: false },
  },
});
if (values.only !== undefined && SCENARIOS[values.only] === undefined) {
  throw new Error(`There is no ${values.only}: ${Object.keys(SCENARIOS).join(", ")}`);
}
process.on("unhandledRejection", (error) => {
  console.error("✗ not handled:", error);
  process.exitCode = 1;
});

const tools = findTools();
const began = Date.now();
const seconds = () => Math.round((Date.now() - began) / 1000);
const rows: Row[] = [];
const notes: string[] = [];
const broken: string[] = [];
for (const [name, play] of Object.entries(SCENARIOS)) {
  if (values.only !== undefined && values.only !== name) continue;
  console.log(`${name}, at ${seconds()} s`);
  const say = (line: string) => console.log(`  ${seconds()} s: ${line}`);
  const { short: isShort, break: isBroken } = values;
  try {
    const outcome = await play({ tools, seed: values.seed, isShort, isBroken, say });
    for (const [what, ...rest] of outcome.rows) {
      console.log(`  ${what}: ${rest.join(" | ")}`);
      rows.push([`${name}: ${what}`, ...rest] as Row);
    }
    notes.push(...(outcome.notes ?? []));
    broken.push(...outcome.wrong.map((each) => `${name}: ${each}`));
  } catch (error) {
    broken.push(`${name}: ${error instanceof Error ? error.stack : error}`);
  }
}
for (const each of broken) console.log(`✗ ${each}`);
const load = Number(loadavg()[0]?.toFixed(1));
console.log(
  `${broken.length === 0 ? "✓ every promise is kept" : `✗ ${broken.length} are broken`}, ${seconds()} s (load ${load})`,
);
if (values.write && broken.length === 0) {
  const command = `npm run failover${values.short ? " -- --short" : ""}`;
  writeFigures("failover", { command, load, rows, notes });
}
process.exit(broken.length === 0 ? (process.exitCode ?? 0) : 1);
