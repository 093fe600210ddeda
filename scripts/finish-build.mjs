// Finishes the build: takes comments out of the code and modules that have none, and keeps only the
// declarations that an entry point leads to. The comments that users read are in those; mutants'
// directives are for our tests.
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
const typesAlone = new Set();
const imported = new Set();
for (const path of files.filter((each) => each.endsWith(".js"))) {
  const text = readFileSync(path, "utf8");
  const { outputText } = ts.transpileModule(text, { compilerOptions, fileName: path });
  writeFileSync(path, outputText);
  for (const [, from] of outputText.matchAll(/\b(?:from|import)\b\s*\(?\s*"(\.[^"]+)"/g)) {
    imported.add(normalize(join(dirname(path), from)));
  }
  if (outputText.trim() === "export {};") typesAlone.add(path);
}
const entries = new Set(
  Object.values(exports).flatMap((each) => Object.values(each).map((to) => normalize(to))),
);
for (const path of typesAlone) {
  if (!imported.has(path) && !entries.has(path)) rmSync(path);
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
  else writeFileSync(path, indentedByTabs(readFileSync(path, "utf8")));
}

/** Written out, some types are nested so deeply that spaces weigh kilobytes. */
function indentedByTabs(text) {
  return text.replace(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4));
}
