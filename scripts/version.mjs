// Turns the changesets into the next version and its changelogs, and writes the version into the
// lockfile too. `npm install` would do that, but it also names the registry that it asked.
//
//   npm run version
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const changeset = createRequire(import.meta.url).resolve("@changesets/cli/bin.js");
execFileSync(process.execPath, [changeset, "version"], { stdio: "inherit" });

const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const lock = read("package-lock.json");
for (const path of ["packages/backend-billing", "packages/stripe-double"]) {
  lock.packages[path].version = read(`${path}/package.json`).version;
}
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
