// Takes the mutants' comments out of the build: they are for our tests alone.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

for (const path of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  if (!/\.(js|d\.ts)$/.test(path)) continue;
  const text = readFileSync(join("dist", path), "utf8");
  const stripped = text.replaceAll(/^[ \t]*\/\/ mutant ".*\n/gm, "");
  if (/\/[/*]\s*mutant "/.test(stripped)) throw new Error(`A mutant is left in dist/${path}`);
  if (stripped !== text) writeFileSync(join("dist", path), stripped);
}
