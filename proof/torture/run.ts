// Plays every scenario with every subject, prints the table and writes docs/torture.md.
//
//   npm run torture                                 everything; installs the peers if they are missing
//   npm run torture -- --subject ours               our own subjects only; needs no other install
//   npm run torture -- --scenario same-second       scenarios whose name contains this
//   npm run torture -- --slow --json                with those that take minutes; the result as JSON
//   npm run torture -- --subject better --docs      writes the page with the last results of the rest
import { execFileSync, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import Stripe from "stripe";
import { startPostgres } from "../../support/postgres/server.js";
import { resultsIn } from "./harness/page.js";
import { markdown, type Results, terminal } from "./harness/report.js";
import type { Subject } from "./harness/subject.js";
import { families } from "./scenarios/index.js";
import { subjects } from "./subjects/index.js";
import type { Order, Told } from "./worker.js";

/** Subjects that are run at once. Most of their time is waiting for the next second. */
const AT_ONCE = Number(process.env.TORTURE_AT_ONCE ?? 2);

const PAGE = new URL("../../docs/torture.md", import.meta.url);

const { values } = parseArgs({
  options: {
    subject: { type: "string", default: "" },
    scenario: { type: "string", default: "" },
    slow: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    docs: { type: "boolean", default: false },
  },
});

const chosen = subjects.filter(({ name }) => name.includes(values.subject));
const all = families.flatMap((family) =>
  family.scenarios.map(({ name }) => `${family.name}/${name}`),
);
const slow = new Set(
  families.flatMap(({ name, scenarios }) =>
    scenarios.filter((each) => each.slow).map((each) => `${name}/${each.name}`),
  ),
);
const names = all.filter((name) => name.includes(values.scenario));
if (chosen.length === 0 || names.length === 0) throw new Error("Nothing has such a name");
if (chosen.some(({ ours, name }) => !ours && name !== "plain-handler")) installPeers();

const home = await mkdtemp(join(tmpdir(), "torture-home-"));
const results: Results = {};
const started = performance.now();
const server = await startPostgres({ settings: { fsync: "off", max_connections: "300" } });
let postgres = "";
try {
  postgres = await versionOf(server.url);
  const queue = [...chosen];
  const next = async (): Promise<void> => {
    const subject = queue.shift();
    if (subject === undefined) return;
    results[subject.name] = await runSubject(subject, server.url);
    return next();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
} finally {
  await server.stop();
  await rm(home, { recursive: true, force: true });
}

const isWhole = values.scenario === "" && values.subject === "";
const rest = isWhole ? "" : " What was not run then is from earlier runs.";
const circumstances = `Run on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node}, PostgreSQL ${postgres} and Stripe's API version ${Stripe.API_VERSION}.${rest}`;
const report = { families, circumstances };
const remembered = await remember(results);
if (values.docs || isWhole) {
  const page = markdown({ ...report, subjects, results: remembered });
  await writeFile(PAGE, page);
}
if (values.json) console.log(JSON.stringify(results));
else console.log(terminal({ ...report, subjects: chosen, results }));
const seconds = Math.round((performance.now() - started) / 1000);
console.error(`${seconds} s, load ${loadavg()[0]?.toFixed(1)}`);
/** Ours must pass whatever it is offered; only what takes minutes may be left out. */
const failed = chosen.some(({ name, ours }) =>
  Object.entries(results[name] ?? {}).some(([id, { outcome }]) => {
    const isLeftOut = outcome.result === "not run" && !values.slow && slow.has(id);
    return ours && outcome.result !== "pass" && outcome.result !== "not offered" && !isLeftOut;
  }),
);
process.exit(failed ? 1 : 0);

/**
 * The last result of everything, also of what was not run now: for a page made in several runs, of
 * which some may have been on another machine.
 */
async function remember(now: Results): Promise<Results> {
  const file = new URL("./.cache/results.json", import.meta.url);
  const before = existsSync(file) ? (JSON.parse(await readFile(file, "utf8")) as Results) : {};
  const written = resultsIn(await readFile(PAGE, "utf8"), families, subjects);
  const merged = Object.fromEntries(
    subjects.map(({ name }) => {
      const fresh = Object.entries(now[name] ?? {}).filter(([id]) => values.slow || !slow.has(id));
      const known = {
        ...now[name],
        ...written[name],
        ...before[name],
        ...Object.fromEntries(fresh),
      };
      return [name, Object.fromEntries(all.flatMap((id) => (known[id] ? [[id, known[id]]] : [])))];
    }),
  );
  await mkdir(new URL(".", file), { recursive: true });
  await writeFile(file, JSON.stringify(merged, null, 1));
  return merged;
}

async function versionOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
  await client.end();
  return rows[0]?.server_version ?? "";
}

/** One process for each subject; if it dies, what it did not tell was not run. */
async function runSubject(subject: Subject, postgres: string): Promise<Results[string]> {
  const outcomes: Results[string] = {};
  const reason = subject.unavailable?.();
  if (reason !== undefined) {
    for (const name of names) {
      outcomes[name] = { outcome: { result: "not run", why: reason }, seconds: 0 };
    }
    return outcomes;
  }
  const order: Order = { subject: subject.name, scenarios: names, postgres, slow: values.slow };
  const worker = fork(
    fileURLToPath(new URL("./worker.ts", import.meta.url)),
    [JSON.stringify(order)],
    {
      execArgv: ["--import", "tsx"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, HOME: home }, // Stripe's SDK keeps a file there
    },
  );
  await new Promise<void>((resolve) => {
    worker.on("message", ({ scenario, outcome, seconds }: Told) => {
      outcomes[scenario] = { outcome, seconds };
      const detail =
        outcome.result === "fail" ? outcome.wrong : "why" in outcome ? outcome.why : "";
      console.error(
        `${subject.name}  ${scenario}  ${outcome.result.toUpperCase()}  ${seconds.toFixed(1)} s  ${detail}`,
      );
      if (Object.keys(outcomes).length === names.length) worker.disconnect();
    });
    worker.on("exit", () => resolve());
  });
  for (const name of names) {
    outcomes[name] ??= { outcome: { result: "not run", why: "its process died" }, seconds: 0 };
  }
  return outcomes;
}

/** The peers have an install of their own, so that they stay out of the library's. */
function installPeers(): void {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  if (existsSync(`${folder}/node_modules`)) return;
  console.error("Installing the peers");
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: "inherit",
  });
}
