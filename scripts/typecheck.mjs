// Compiles everything without writing it, two projects at a time: what they share is the lesser part.
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
// The longest first, so that neither lane ends much later than the other.
const projects = [
  "tsconfig.json",
  "tsconfig.examples.json",
  "proof/tsconfig.json",
  "tsconfig.stripe-22.json",
];

async function lane() {
  for (let project = projects.shift(); project !== undefined; project = projects.shift()) {
    await promisify(execFile)(process.execPath, [tsc, "-p", project, "--pretty"]).catch((error) => {
      console.error(`${project}\n${error.stdout || error}`);
      process.exitCode = 1;
    });
  }
}
await Promise.all([lane(), lane()]);
