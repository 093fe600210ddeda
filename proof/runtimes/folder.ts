/** A folder as an application's: the package as it would be published, what it needs, and the suite. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { env, pack } from "../../scripts/quickstart/folder.js";

const suite = join(import.meta.dirname, "suite");
const WORKER = "start-worker.mjs";
const root = join(import.meta.dirname, "../..");

/** The versions that this repository tests with. */
function version(name: string): string {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly devDependencies: { readonly [name: string]: string };
  };
  return `${name}@${devDependencies[name]}`;
}

/** `needs` are packages beside those of the application. */
export function prepare(folder: string, needs: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const own = { name: "runtimes", private: true, type: "module" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(own));
  const packages = [pack(folder), version("pg"), version("stripe"), ...needs];
  const quiet = ["--silent", "--no-package-lock", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...quiet, ...packages], { cwd: folder, env, stdio: "inherit" });
  cpSync(join(import.meta.dirname, WORKER), join(folder, WORKER));
  for (const name of readdirSync(suite)) {
    const { outputText } = ts.transpileModule(readFileSync(join(suite, name), "utf8"), {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
    });
    writeFileSync(join(folder, name.replace(/\.ts$/, ".js")), outputText);
  }
}
