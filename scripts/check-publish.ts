// Publishes both packages without publishing them, and fails on anything that npm warns of. Build
// first. It works offline and without an account.
//
//   npm run check:publish
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./house/source.js";

// With --force npm does not ask the registry whether the version is there already: that is so on
// every day but that of a release.
const publish = ["publish", "--dry-run", "--force"];
// What npm says of this machine, and not of the package.
const OURS = /using --force|Unknown .+ config|requires you to be logged in/;

function problemsOf(name: string): string[] {
  const { status, stdout, stderr } = spawnSync("npm", publish, {
    cwd: join(root, "packages", name),
    encoding: "utf8",
    maxBuffer: 32 * 1024 * 1024,
    shell: process.platform === "win32",
  });
  const lines = `${stdout}\n${stderr}`.split("\n");
  const warnings = lines.filter((line) => /^npm (warn|error)/i.test(line) && !OURS.test(line));
  if (status !== 0 && warnings.length === 0) warnings.push(`npm ended with ${status}`);
  const built = lines.some((line) => /dist\/(esm\/)?index\.js$/.test(line.trim()));
  return built ? warnings : [...warnings, "There is no build: npm run build"];
}

for (const name of ["backend-billing", "stripe-double"]) {
  const problems = problemsOf(name);
  if (problems.length === 0) console.log(`${name}: npm would publish it without a warning`);
  for (const problem of problems) console.error(`✗ ${name}: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
