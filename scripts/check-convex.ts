/**
 * `npm run check:convex`: the examples for Convex pass what a deployment asks of them, without one.
 *
 *   --write   renews the generated code of the examples
 *   --prove   breaks copies of the examples, each in one way, and expects a gate to object
 */
import { cpSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type App, buildLibrary, copyApp, hasPage, makeWorkspace } from "./check-convex/app.js";
import { gates, type Note, type Problem } from "./check-convex/gates.js";
import { proofs } from "./check-convex/proofs.js";

const EXAMPLES = ["convex", "convex-billing"] as const;

const { values } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    prove: { type: "boolean", default: false },
  },
});

const workspace = makeWorkspace();
process.on("exit", () => rmSync(workspace, { recursive: true, force: true }));
let failures = 0;

/** Says what came of it, with the seconds it took. */
async function step(name: string, check: (note: Note) => unknown): Promise<void> {
  const started = performance.now();
  const notes: string[] = [];
  const problems = (await check((text) => notes.push(text))) as Problem[];
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`  ${problems.length === 0 ? "✓" : "✗"} ${name} (${seconds} s)`);
  for (const note of notes) console.log(`      ${note}`);
  for (const problem of problems) console.log(problem.replace(/^/gm, "      "));
  if (problems.length > 0) failures++;
}

const { folder: library, outcome } = buildLibrary(workspace);
if (!outcome.ok) {
  console.error(outcome.said);
  process.exit(1);
}

for (const name of EXAMPLES) {
  console.log(`\nexamples/${name}`);
  const app = copyApp(workspace, library, name);
  if (values.write) {
    gates.codegen(app);
    const generated = join(app.folder, "convex/_generated");
    cpSync(generated, join(app.source, "convex/_generated"), { recursive: true });
  }
  await step("codegen", () => gates.codegen(app));
  await step("types, with stripe 23 and 22", () => gates.types(app));
  await step("lint", () => gates.lint(app));
  await step("bundle", (note) => gates.bundle(app, note));
  if (hasPage(app)) await step("page", (note) => gates.page(app, note));
}

if (values.prove) {
  console.log("\nEach gate objects to what it is there for");
  for (const { gate, what, example, damage, says } of proofs) {
    const app: App = copyApp(workspace, library, example);
    damage(app);
    await step(`${gate}: ${what}`, async () => {
      const problems = await gates[gate](app, () => {});
      if (problems.length === 0) return ["The gate let it pass"];
      return problems.some((problem) => says.test(problem))
        ? []
        : [`It objects, but for another reason: ${problems.join("\n")}`];
    });
  }
}

console.log(failures === 0 ? "\nAll is well." : `\n${failures} failed.`);
console.log(`Load ${loadavg()[0]?.toFixed(1)}`);
process.exitCode = failures === 0 ? 0 : 1;
