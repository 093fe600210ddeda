/**
 * The benchmark: the library, the bare engine and the peers on the same data, the same PostgreSQL
 * and the same list server, in one run, side by side, several times over.
 *
 *   npm run bench                    everything, ten million rows too; takes more than an hour
 *   npm run bench -- --quick         fewer figures, in about three minutes; CI runs its part `links`
 *   npm run bench -- --only webhooks,subscriptions,backfill,resources,reactions,overhead,links,gates,usage,convex,growth
 *                                    some of it; the quick form has no `reactions` but by this
 *   npm run bench -- --rows 100000   smaller tables for growth
 *   npm run bench -- --write         writes docs/benchmarks.md and its charts
 *   npm run bench -- --before FOLDER nothing but the library beside another checkout of it, which
 *                                    has its node_modules: nine pairs of each; exits with 1 if a
 *                                    median is more than 5% worse
 *
 * The peers are installed from their lockfile when they are not there. `@stripe/sync-engine` reads
 * Stripe's OpenAPI file of version 2020-08-27, which it would download: STRIPE_OPENAPI names a copy.
 * What cannot be run is said to be not measured, and never counts as met.
 *
 * The last line is JSON. It exits with 1 if a figure is 30% off its bar, or off what was reached of it,
 * and is so again when its part is measured once more.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { loadavg } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compare } from "./compare.js";
import { BARS, type Figure, figure, summaryText, verdict } from "./figures.js";
import { describeMachine, versionAt } from "./machine.js";
import { parts, QUICK, type Run } from "./parts.js";
import { type Results, writeReport } from "./report.js";
import { openStage } from "./stage.js";

const PEERS = {
  "stripe-sync-engine": "@stripe/sync-engine",
  "supabase-sync-engine": "@supabase/stripe-sync-engine",
};
/** The peers that a bar is held against. */
const QUICK_PEERS: readonly string[] = ["stripe-sync-engine"];
const here = fileURLToPath(new URL(".", import.meta.url));
const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    only: { type: "string" },
    rows: { type: "string" },
    before: { type: "string" },
  },
});
const chosen = options.only?.split(",") ?? (options.quick ? QUICK : Object.keys(parts));
const unknown = chosen.find((name) => !(name in parts));
if (unknown !== undefined) {
  throw new Error(`There is no part ${unknown}; there are ${Object.keys(parts).join(", ")}`);
}
const started = performance.now();
const say = (text: string) => {
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${seconds.padStart(5)} s  ${text}`);
};

const absent: Record<string, string> = {};
const accounts = options.quick
  ? { customers: 20_000, subscriptions: 4_000 }
  : { customers: 50_000, subscriptions: 10_000 };
const { before } = options;
if (before === undefined && !existsSync(`${here}peers/node_modules`)) install();
const stage = await openStage(accounts);
try {
  if (before !== undefined) await compareWith(resolve(before));
  else {
    const results = await run();
    summarise(results);
    if (options.write) await writeReport(results);
    if (results.figures.some((each) => verdict(each) === "failed")) process.exitCode = 1;
    console.log(JSON.stringify(results));
  }
} finally {
  await stage.end();
}

async function compareWith(folder: string): Promise<void> {
  // Checkouts from before the workspaces have it at their root.
  const suites = [`${folder}/proof/bench`, `${folder}/bench`];
  const suite = suites.find((path) => existsSync(`${path}/subjects/ours.ts`)) ?? folder;
  await stage.open(`${suite}/subjects/ours.ts`, "before");
  await stage.open("ours", "ours");
  const compared = await compare({ ...stage, say }, accounts.customers + accounts.subscriptions);
  console.log(`\nHow many times as fast as ${folder}, load ${loadavg()[0]?.toFixed(1)}`);
  for (const each of compared) {
    console.log(`${each.worse ? "✗" : "✓"} ${summaryText(each)}: ${each.title}`);
  }
  if (compared.some(({ worse }) => worse)) process.exitCode = 1;
}

function install(): void {
  say("installing the peers");
  try {
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: `${here}peers`, stdio: "pipe" });
  } catch (error) {
    for (const subject of Object.keys(PEERS)) {
      absent[subject] = `not installed: ${String(error).split("\n")[0]}`;
    }
  }
}

async function run(): Promise<Results> {
  const { quick } = options;
  const { admin, workers, open } = stage;
  const figures: Figure[] = [];
  for (const subject of ["bare", "bare-batched", "ours"]) await open(subject, subject);
  for (const [subject, name] of Object.entries(PEERS)) {
    if (quick && !QUICK_PEERS.includes(subject)) absent[subject] = "not part of the quick form";
    else if (existsSync(`${here}peers/node_modules/${name}`)) {
      await open(subject, subject).catch((error: unknown) => {
        absent[subject] = `did not start: ${String(error).split("\n")[0]}`;
      });
    } else absent[subject] ??= "not installed";
  }
  const bench: Run = {
    ...stage,
    say,
    quick,
    accounts,
    peers: Object.keys(PEERS).filter((subject) => workers.has(subject)),
    rows: options.rows === undefined ? undefined : Number(options.rows),
    series: {},
    growth: [],
    convex: undefined,
    figure(id, values, note) {
      if (values.length > 0) figures.push(figure(id, values, note));
    },
  };
  say(`running: ${[...workers.keys()].join(", ")}`);
  for (const name of chosen) {
    const known = figures.length;
    await parts[name]?.(bench);
    const failed = figures.slice(known).filter((each) => verdict(each) === "failed");
    if (failed.length === 0 || name === "growth") continue;
    // Others on the machine may have been in the way. What fails again is a step back.
    const found = failed.map(({ id, value }) => `${id} ${value.toFixed(2)}`).join(", ");
    say(`measured again, because it failed: ${found}`);
    figures.length = known;
    for (const worker of workers.values()) await worker.clear();
    await parts[name]?.(bench);
  }

  const manifests = [
    ...["stripe", "pg"].map((name) => [name, `../../node_modules/${name}`]),
    ...Object.values(PEERS).map((name) => [name, `peers/node_modules/${name}`]),
  ];
  const packages = Object.fromEntries(
    manifests.flatMap(([name = "", folder]) => {
      const version = versionAt(new URL(`${folder}/package.json`, import.meta.url));
      return version === undefined ? [] : [[name, version]];
    }),
  );
  const { series, growth, convex } = bench;
  const machine = await describeMachine(admin, packages);
  const notMeasured = Object.keys(BARS).filter((id) => !figures.some((each) => each.id === id));
  const met = figures.map((each) => ({ ...each, verdict: verdict(each) }));
  return {
    machine,
    quick,
    accounts,
    figures: met,
    notMeasured,
    absent,
    series,
    growth,
    ...(convex === undefined ? {} : { convex }),
  };
}

function summarise({ figures, notMeasured, absent }: Results): void {
  console.log();
  for (const each of figures) {
    const { direction, bar, text, note } = each;
    console.log(
      `${verdict(each).padEnd(7)} ${summaryText(each)}, ${direction} ${bar}: ${text}${note ? `, ${note}` : ""}`,
    );
  }
  for (const id of notMeasured) console.log(`not measured: ${BARS[id as keyof typeof BARS].text}`);
  for (const [subject, why] of Object.entries(absent)) console.log(`${subject}: ${why}`);
}
