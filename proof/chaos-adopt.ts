// `npx backend-billing adopt` under fire: 10,000 pairs against the double over HTTP, on PostgreSQL, by
// the command as a process of its own, which gets a SIGKILL twice on its way. A tenth of the pairs is
// wrong: customers that are deleted, missing, another entity's or another application's, entities
// that have another customer, duplicates in the file, malformed lines. At the end the right ones are
// linked and marked at Stripe, each once, the wrong ones are in the report, and as they were.
//
//   npm run chaos:adopt -- [--pairs 10000]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { csvOf } from "../packages/backend-billing/src/cli/adopt/csv.js";
import { EXIT } from "../packages/backend-billing/src/cli/exit-codes.js";
import { startPostgres } from "../support/postgres/server.js";
import { openShop, RESOURCES } from "./adopt/shop.js";
import { wrongIn } from "./adopt/verify.js";

const { values } = parseArgs({ options: { pairs: { type: "string", default: "10000" } } });
const started = Date.now();
const seconds = () => Math.round((Date.now() - started) / 1000);
const folder = mkdtempSync(join(tmpdir(), "chaos-adopt-"));
const [file, report] = [join(folder, "pairs.csv"), join(folder, "refused.csv")];
const main = fileURLToPath(new URL("../packages/backend-billing/src/cli/main.ts", import.meta.url));

const server = await startPostgres({ settings: { fsync: "off" } });
const pool = new pg.Pool({ connectionString: server.url, max: 10 });
const shop = await openShop(Number(values.pairs), pool);
const { double, lines, before } = shop;
try {
  const marks = new Map(
    double.objects("customer").map(({ id, metadata }) => [id, JSON.stringify(metadata)]),
  );
  writeFileSync(
    file,
    csvOf([
      ["entityId", "customerId"],
      ...lines.map(({ entityId, customerId }) => [entityId, customerId]),
    ]),
  );
  console.log(`  ${seconds()} s: ${lines.length} lines are written`);
  const begun = Date.now();
  const args = ["adopt", file, "--report", report, "--rate", "100000"];
  const more = ["--resources", RESOURCES.join(), "--stripe-host", double.url];
  const env = { ...process.env, STRIPE_SECRET_KEY: double.secretKey, DATABASE_URL: server.url };
  const start = () =>
    spawn(process.execPath, ["--import", "tsx", main, ...args, ...more], {
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
  const linked = async (): Promise<number> => {
    const text =
      "SELECT count(*)::int AS n FROM billing.backend_billing_records WHERE kind = 'claim' AND ref IS NOT NULL";
    return (await pool.query<{ n: number }>(text)).rows[0]?.n ?? 0;
  };
  const wrong: string[] = [];
  const right = lines.filter(({ code }) => code === undefined).length;
  for (const share of [0.3, 0.6]) {
    const child = start();
    const gone = once(child, "exit");
    while (child.exitCode === null && (await linked()) - before.size < right * share)
      await sleep(20);
    child.kill("SIGKILL");
    const [, signal] = await gone;
    if (signal !== "SIGKILL") wrong.push(`a run ended by itself before ${share} of it was done`);
    const unmarked =
      (await linked()) -
      double
        .objects("customer")
        .filter(({ metadata }) => metadata.entityId && !metadata.entityId.startsWith("theirs"))
        .length;
    console.log(
      `  ${seconds()} s: killed with ${await linked()} linked, ${unmarked} of them not marked`,
    );
  }
  const [code] = await once(start(), "exit");
  const took = ((Date.now() - begun) / 1000).toFixed(1);
  if (code !== EXIT.findings) wrong.push(`it ended with ${code}`);
  wrong.push(...(await wrongIn(shop, pool, readFileSync(report, "utf8"), marks)));
  const refused = lines.length - right;
  console.log(
    `${lines.length} lines: ${right} linked, ${refused} refused, 2 kills, ${double.requests.count()} requests, ${took} s (load ${loadavg()[0]?.toFixed(1)})`,
  );
  for (const each of wrong.slice(0, 20)) console.log(`✗ ${each}`);
  console.log(wrong.length === 0 ? "✓ all as it must be" : `✗ ${wrong.length} are wrong`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await pool.end();
  await double.close();
  await server.stop();
  rmSync(folder, { recursive: true });
}
