// Finishes the build: takes comments out of the code, and keeps only the declarations that an entry
// point leads to. The comments that users read are in those; mutants' directives are for our tests.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

process.chdir(fileURLToPath(new URL("../packages/backend-billing", import.meta.url)));
const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
const files = readdirSync("dist", { recursive: true, encoding: "utf8" }).map((path) =>
  join("dist", path),
);

const compilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  removeComments: true,
  verbatimModuleSyntax: true, // keeps every import
};
for (const path of files.filter((each) => each.endsWith(".js"))) {
  const text = readFileSync(path, "utf8");
  writeFileSync(path, ts.transpileModule(text, { compilerOptions, fileName: path }).outputText);
}

const reached = new Set();
function reach(path) {
  if (reached.has(path)) return;
  reached.add(path);
  const text = readFileSync(path, "utf8");
  if (/\/[/*]\s*mutant "/.test(text)) throw new Error(`A mutant is left in ${path}`);
  for (const [, from] of text.matchAll(/\b(?:from|import)\b\s*\(?\s*"(\.[^"]+)\.js"/g)) {
    reach(normalize(join(dirname(path), `${from}.d.ts`)));
  }
}
for (const { types } of Object.values(exports)) if (types !== undefined) reach(normalize(types));
for (const path of files.filter((each) => each.endsWith(".d.ts"))) {
  if (!reached.has(path)) rmSync(path);
}
