// Can the tests fail? Each mutant is a copy of the sources with one thing broken. A branch of the
// convergence rule that is turned off must be found by random histories on the store in memory; a
// rule of the specification that is broken must be found by its test, and for the right reason.
//
//   npm run mutants [-- --histories 40000] [--seed n] [--only "ties written"] [--only spec]
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { rules, titleOf } from "../test/spec/catalogue.js";
import { type Mutant, mutants as rulesOff } from "./mutants/list.js";
import { type BrokenRule, specMutants } from "./mutants/spec.js";

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
  },
});
const root = fileURLToPath(new URL("..", import.meta.url));
const started = performance.now();

const PARTS = [
  "src",
  "test",
  "scripts/converge.ts",
  "package.json",
  "tsconfig.json",
  "vitest.config.ts",
];

interface Row {
  readonly mutant: string;
  readonly isGood: boolean;
  readonly says: string;
}

/** A copy of what the tests need, in a folder of its own. */
async function copySources(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "backend-billing-mutants-"));
  for (const part of PARTS) {
    await cp(join(root, part), join(folder, part), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Answers what is wrong with the edits, if anything. */
async function mutate(folder: string, { edits }: Mutant): Promise<Omit<Row, "mutant"> | undefined> {
  for (const { file, find, replace } of edits) {
    const path = join(folder, file);
    const text = await readFile(path, "utf8");
    const count = text.split(find).length - 1;
    if (count !== 1) {
      return { isGood: false, says: `not made: its text is ${count} times in ${file}: ${find}` };
    }
    await writeFile(
      path,
      text.replace(find, () => replace),
    );
  }
  return undefined;
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

async function converge(folder: string, histories: string): Promise<Found> {
  const { seed, explain } = values;
  const options = ["--json", "--histories", histories, "--seed", seed];
  const script = ["--import", "tsx", "scripts/converge.ts", ...options];
  const { stdout, stderr } = await run(folder, ...script, ...(explain ? ["--shrink"] : []));
  const line = stdout.trim().split("\n").at(-1) ?? "";
  if (!line.startsWith("{")) throw new Error(`The histories did not run: ${stderr || stdout}`);
  return JSON.parse(line) as Found;
}

/** Whether the test runs, and fails. */
async function isCaughtBy(folder: string, test: string): Promise<boolean> {
  const vitest = "node_modules/vitest/vitest.mjs";
  const { code, stdout } = await run(folder, vitest, "run", "--project", "unit", test);
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
  const what = ["run", "--project", broken.platform, `test/spec/${broken.platform}.test.ts`];
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

async function tryMutant(mutant: Mutant): Promise<Row> {
  const folder = await copySources();
  try {
    const trouble = await mutate(folder, mutant);
    return { mutant: mutant.name, ...(trouble ?? (await judged(folder, mutant))) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function judged(folder: string, mutant: Mutant): Promise<Omit<Row, "mutant">> {
  const { name, story, isHarmless = false, test, breaks } = mutant;
  if (breaks !== undefined) return judgedByRules(folder, breaks);
  if (test !== undefined) {
    const isGood = await isCaughtBy(folder, test);
    return { isGood, says: `${isGood ? "caught by" : "survives"} ${test}` };
  }
  const wanted = isHarmless ? values.baseline : values.histories;
  const { histories, failure, stories } = await converge(folder, wanted);
  if (failure === null) {
    return { isGood: isHarmless, says: `survives ${histories} histories` };
  }
  if (values.explain) console.log(`\n${name}\n${failure.report}\n`);
  const isTold = story === undefined || stories.includes(story);
  const missed = isTold ? "" : `, but not by its story: ${story}`;
  const end = failure.report.split("How it ended:\n")[1]?.split("\n")[0]?.trim();
  const says = `caught by history ${histories} of seed ${values.seed}${missed}: ${end}`;
  return { isGood: !isHarmless && isTold, says };
}

const none: Mutant = { name: "(nothing turned off)", edits: [], isHarmless: true };
const isChosen = ({ name, breaks }: Mutant): boolean =>
  values.only === undefined ||
  values.only.includes(name) ||
  (breaks !== undefined && values.only.includes("spec"));
const chosen = [none, ...rulesOff, ...specMutants].filter(isChosen);
const rows: Row[] = [];
const queue = [...chosen];
const width = Math.max(...chosen.map(({ name }) => name.length));
const lane = async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const row = await tryMutant(next);
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
