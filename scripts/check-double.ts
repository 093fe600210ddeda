/**
 * `npm run check:double`: packs `stripe-double`, installs it in an empty folder beside an SDK that this
 * repository does not use, and uses it as a stranger would: from Vitest, Jest, `node --test`, Playwright
 * and Python. It also looks at what the package of `backend-billing` holds.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tests } from "./check-double/tests.js";
import { env, pack } from "./quickstart/folder.js";

/** An SDK of years ago, so that nothing can depend on the one that is developed against. */
const INSTALLED = ["stripe@14.25.0", "vitest@4.1.12", "jest@29.7.0", "@playwright/test@1.65.0"];
const LARGEST = 250_000;

const folder = mkdtempSync(join(tmpdir(), "check-double-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const run = (command: readonly string[]): string =>
  execFileSync(command[0] ?? "", command.slice(1), { cwd: folder, env, encoding: "utf8" });

const double = pack(folder, "packages/stripe-double");
const library = pack(folder);
console.log(`stripe-double: ${statSync(double).size} bytes, packed`);
console.log(`backend-billing: ${statSync(library).size} bytes, packed`);
const ofDouble = run(["tar", "tzf", library])
  .split("\n")
  .filter((path) =>
    /^package\/(packages|dist\/(testing\/)?(resources|pages|control))\//.test(path),
  );
if (ofDouble.length > 0)
  throw new Error(`backend-billing holds the double:\n${ofDouble.join("\n")}`);
if (statSync(library).size >= LARGEST) {
  console.log(`  larger than the ${LARGEST} bytes that it should have`);
}

writeFileSync(join(folder, "package.json"), "{}");
run(["npm", "install", "--silent", double, ...INSTALLED]);
for (const [file, { code, run: command }] of Object.entries(tests)) {
  writeFileSync(join(folder, file), code);
  if (command === undefined) continue;
  const started = performance.now();
  run(command);
  console.log(`✓ ${command.join(" ")} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
}
console.log("stripe-double works as it is packed.");
