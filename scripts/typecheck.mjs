// Compiles everything without writing it, two projects at a time: what they share is the lesser part.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

// TypeScript 7 checks in a third of the time. What an application compiles against is checked by
// TypeScript 6, too: that project against stripe 22. The longest first, so that neither lane ends
// much later than the other.
const projects = [
  ["tsconfig.stripe-22.json", "typescript"],
  ["tsconfig.json", "typescript-native"],
  ["proof/tsconfig.json", "typescript-native"],
  ["tsconfig.examples.json", "typescript-native"],
  ["packages/backend-billing/templates/pricing-page/tsconfig.json", "typescript-native"],
];

async function lane() {
  for (let next = projects.shift(); next !== undefined; next = projects.shift()) {
    const [project, compiler] = next;
    const args = [`node_modules/${compiler}/bin/tsc`, "-p", project, "--pretty"];
    await promisify(execFile)(process.execPath, args).catch((error) => {
      console.error(`${project}\n${error.stdout || error}`);
      process.exitCode = 1;
    });
  }
}
await Promise.all([lane(), lane()]);
