// The library as it is published on each runtime that it is said to run on: about fifty behaviours, the
// same on each, against a real PostgreSQL and the double over HTTP. Build first.
//
//   npm run runtimes
//   npm run runtimes -- --only bun          those whose name has this in it
//   npm run runtimes -- --only workerd      which is not among them yet
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import Stripe from "stripe";
import * as catalogueModule from "../packages/backend-billing/src/catalogue/index.js";
import { push } from "../packages/backend-billing/src/push/push.js";
import { createStripeDouble } from "../packages/stripe-double/src/index.js";
import { env } from "../scripts/quickstart/folder.js";
import { startPostgres } from "../support/postgres/server.js";
import { prepare } from "./runtimes/folder.js";
import { RUNTIMES, type Runtime } from "./runtimes/runtimes.js";
import { type Settings, shop } from "./runtimes/suite/app.js";
import { behaviours } from "./runtimes/suite/behaviours.js";
import { type Result, tableOf } from "./runtimes/table.js";

const { only } = parseArgs({ options: { only: { type: "string" } } }).values;
/** Milliseconds for all behaviours of a runtime: nothing is measured, so a busy machine may take its time. */
const PATIENCE = 10 * 60_000;

const folder = mkdtempSync(join(tmpdir(), "runtimes-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
const chosen = RUNTIMES.filter(({ name, notYet }) =>
  only === undefined ? notYet === undefined : name.toLowerCase().includes(only.toLowerCase()),
);
prepare(
  folder,
  chosen.flatMap(({ needs = [] }) => needs),
);
// On workerd each request has connections of its own.
const server = await startPostgres({ settings: { max_connections: "300" } });
const admin = new pg.Client(server.url);
await admin.connect();

const results = new Map<string, readonly Result[]>();
let failed = false;
try {
  for (const [index, runtime] of chosen.entries()) {
    const { is, seen, ended } = await walk(runtime, `runtime_${index}`);
    if (!is?.startsWith(runtime.is)) throw new Error(`${is} ran in place of ${runtime.is}`);
    results.set(runtime.name, seen);
    const missed = behaviours.length - seen.filter(({ error }) => error === undefined).length;
    failed ||= missed > 0 || ended !== 0;
    console.log(
      `${runtime.name}: ${behaviours.length - missed} of ${behaviours.length}, ended with ${ended}`,
    );
  }
} finally {
  await admin.end();
  await server.stop();
}
console.log(tableOf(behaviours, results));
for (const { name, notYet } of RUNTIMES) {
  if (notYet !== undefined) console.log(`Not yet on ${name}: ${notYet}.`);
}
process.exit(failed ? 1 : 0);

interface Walked {
  /** What the runtime calls itself. */
  readonly is: string | undefined;
  readonly seen: readonly Result[];
  readonly ended: number | null;
}

async function walk({ command }: Runtime, database: string): Promise<Walked> {
  await admin.query(`CREATE DATABASE ${database}`);
  const url = new URL(server.url);
  url.pathname = database;
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const double = await createStripeDouble({ webhook: `${baseUrl}/stripe/webhook` });
  try {
    await push(new Stripe(double.secretKey, double.stripeConfig), shop(catalogueModule));
    const settings: Settings = {
      database: url.href,
      stripe: double.url,
      secretKey: double.secretKey,
      webhookSecret: double.webhook?.secret ?? "",
      baseUrl,
    };
    return await run(command, settings);
  } finally {
    await double.close();
  }
}

function run([program = "", ...args]: readonly string[], settings: Settings): Promise<Walked> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...env, RUNTIME_SETTINGS: JSON.stringify(settings) },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true, // npx has children, which must end with it
  });
  const timer = setTimeout(() => child.pid && process.kill(-child.pid, "SIGKILL"), PATIENCE);
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (ended) => {
      clearTimeout(timer);
      const after = (mark: string): string[] =>
        said
          .split("\n")
          .flatMap((line) => (line.startsWith(mark) ? [line.slice(mark.length)] : []));
      const seen = after("BEHAVIOUR ").map((line) => JSON.parse(line) as Result);
      resolve({ is: after("RUNTIME ")[0], seen, ended });
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { readonly port: number };
      probe.close(() => resolve(port));
    });
  });
}
