// Can the tests fail? Each mutant is a copy of the sources with one thing broken, as a directive at
// the code says, or a fault around the core. A branch of the convergence rule that is turned off
// must be found by random histories on the store in memory; a rule of the specification that is
// broken must be found by its test, and for the right reason.
//
//   npm run mutants [-- --histories 40000] [--seed n] [--only "ties written"] [--only spec]
//   npm run mutants -- --list      shows what each mutant changes, and runs nothing
import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { rules, titleOf } from "../support/spec/catalogue.js";
import { type Expected, mutants } from "./mutants/list.js";
import { allDirectives, apply, copyOf } from "./mutants/sources.js";
import type { BrokenRule } from "./mutants/spec.js";

const { values } = parseArgs({
  options: {
    histories: { type: "string", default: "40000" },
    /** How many histories must pass where nothing, or nothing of consequence, is turned off. */
    baseline: { type: "string", default: "4000" },
    seed: { type: "string", default: "1" },
    /** Names of mutants, or `spec` for those that break a rule of the specification. */
    only: { type: "string", multiple: true },
    /** Tells the smallest history that catches each. */
    explain: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});
const root = fileURLToPath(new URL("..", import.meta.url));
const started = performance.now();
const directives = allDirectives(root);

interface Row {
  readonly mutant: string;
  readonly isGood: boolean;
  readonly says: string;
}

interface Found {
  readonly histories: number;
  readonly failure: { readonly path: string; readonly report: string } | null;
  /** The stories that end wrong. */
  readonly stories: readonly string[];
}

type Ran = { readonly stdout: string; readonly stderr: string; readonly code?: number };

/** Runs a script of the copy; that it fails is an answer too. */
const run = (folder: string, ...args: string[]): Promise<Ran> =>
  promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }).catch(
    (error: unknown) => error as Ran,
  );

async function converge(
  folder: string,
  histories: string,
  { fault, resources }: { readonly fault?: string; readonly resources?: string } = {},
): Promise<Found> {
  const { seed, explain } = values;
  const options = ["--json", "--histories", histories, "--seed", seed];
  if (explain) options.push("--shrink");
  if (fault !== undefined) options.push("--fault", fault);
  if (resources !== undefined) options.push("--resources", resources);
  const { stdout, stderr } = await run(folder, "--import", "tsx", "proof/converge.ts", ...options);
  const line = stdout.trim().split("\n").at(-1) ?? "";
  if (!line.startsWith("{")) throw new Error(`The histories did not run: ${stderr || stdout}`);
  return JSON.parse(line) as Found;
}

/** Whether the test runs, and fails. */
async function isCaughtBy(folder: string, test: string): Promise<boolean> {
  const vitest = "node_modules/vitest/vitest.mjs";
  const project = /\/test\/(\w+)\//.exec(test)?.[1] ?? "unit";
  const { code, stdout } = await run(folder, vitest, "run", "--project", project, test);
  return code === 1 && /Tests .*failed/.test(stdout);
}

interface Reported {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Whether the tests of the rules run, and each fails with the words that were expected. */
async function judgedByRules(folder: string, broken: BrokenRule): Promise<Omit<Row, "mutant">> {
  const titles = broken.rules.map((id) => {
    const rule = rules.find((each) => each.id === id);
    if (rule === undefined) throw new Error(`There is no rule ${id}`);
    return titleOf(rule);
  });
  const report = join(folder, "report.json");
  const names = titles.map((title) => title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const what = [
    "run",
    "--project",
    broken.platform,
    `packages/backend-billing/test/${broken.platform}/spec.test.ts`,
  ];
  const how = ["-t", names, "--reporter", "json", "--outputFile", report];
  const { stderr } = await run(folder, "node_modules/vitest/vitest.mjs", ...what, ...how);
  const text = await readFile(report, "utf8").catch(() => "");
  if (text === "") throw new Error(`The rules' tests did not run: ${stderr}`);
  const all = (JSON.parse(text) as Reported).testResults.flatMap((file) => file.assertionResults);
  const survived = titles.filter((title) => {
    const test = all.find((each) => each.title === title);
    const said = test?.failureMessages.join("\n") ?? "";
    if (values.explain) console.log(`\n${title}: ${test?.status}\n${said}\n`);
    return test?.status !== "failed" || !said.includes(broken.because);
  });
  return survived.length === 0
    ? { isGood: true, says: `caught on ${broken.platform} by ${broken.rules.join(", ")}` }
    : { isGood: false, says: `survives on ${broken.platform}: ${survived.join("; ")}` };
}

async function tryMutant(name: string, expected: Expected): Promise<Row> {
  const folder = await copyOf(root);
  try {
    await apply(
      folder,
      directives.filter((each) => each.name === name),
    );
    return { mutant: name, ...(await judged(folder, name, expected)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function judged(
  folder: string,
  name: string,
  expected: Expected,
): Promise<Omit<Row, "mutant">> {
  if ("breaks" in expected) return judgedByRules(folder, expected.breaks);
  if ("test" in expected) {
    const isGood = await isCaughtBy(folder, expected.test);
    return { isGood, says: `${isGood ? "caught by" : "survives"} ${expected.test}` };
  }
  if ("survives" in expected) {
    const { histories, failure } = await converge(folder, values.baseline);
    const isGood = failure === null;
    return { isGood, says: `${isGood ? "survives" : "is caught after"} ${histories} histories` };
  }
  const { story } = expected;
  const { histories, failure, stories } = await converge(folder, values.histories, expected);
  if (failure === null) return { isGood: false, says: `survives ${histories} histories` };
  if (values.explain) console.log(`\n${name}\n${failure.report}\n`);
  const isGood = stories.includes(story);
  const missed = isGood ? "" : `, but not by its story: ${story}`;
  const end = failure.report.split("How it ended:\n")[1]?.split("\n")[0]?.trim();
  const says = `caught by history ${histories} of seed ${values.seed}${missed}: ${end}`;
  return { isGood, says };
}

/** What each mutant changes, for readers. */
function show(name: string): void {
  const own = directives.filter((each) => each.name === name);
  console.log(`\n${name}${own.length === 0 ? " (around the core)" : ""}`);
  for (const { file, line, before, after } of own) {
    const shown = [`- ${before}`, ...(after === "" ? [] : [`+ ${after}`])].map((text) =>
      text.replaceAll(/\s+/g, " "),
    );
    console.log(`  ${file}:${line}\n    ${shown.join("\n    ")}`);
  }
}

async function runAll(chosen: readonly [string, Expected][]): Promise<void> {
  const rows: Row[] = [];
  const queue = [...chosen];
  const width = Math.max(...chosen.map(([name]) => name.length));
  const lane = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const row = await tryMutant(...next);
      rows.push(row);
      console.log(`${row.isGood ? "✓" : "✗"} ${row.mutant.padEnd(width)}  ${row.says}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, cpus().length) }, lane));
  const bad = rows.filter(({ isGood }) => !isGood);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `\n${rows.length - bad.length} of ${rows.length} as they should be, ${seconds} s, load ${loadavg()[0]?.toFixed(1)}`,
  );
  if (bad.length > 0 || rows.length === 0) process.exitCode = 1;
}

const { only } = values;
const isChosen = ([name, expected]: [string, Expected]): boolean =>
  only === undefined || only.includes(name) || ("breaks" in expected && only.includes("spec"));
const nothing: [string, Expected] = ["(nothing turned off)", { survives: true }];
const chosen = [nothing, ...Object.entries(mutants)].filter(isChosen);
if (values.list) for (const [name] of chosen.slice(only === undefined ? 1 : 0)) show(name);
else await runAll(chosen);
