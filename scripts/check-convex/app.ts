/**
 * An example as a newcomer has it after `npm install`: a copy of its folder, with the packages that
 * it names and no others, and with this library as it is built and published.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Outcome, run } from "./run.js";

const root = resolve(import.meta.dirname, "../..");

export interface App {
  readonly name: string;
  /** Where the copy is. */
  readonly folder: string;
  /** Where the example itself is. */
  readonly source: string;
}

/** A folder of our own for everything that is made here. */
export function makeWorkspace(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "check-convex-")));
}

/** Builds what an application on Convex imports, apart from `dist`: that may be being built. */
export function buildLibrary(workspace: string): { folder: string; outcome: Outcome } {
  const folder = join(workspace, "library");
  mkdirSync(folder);
  cpSync(join(root, "packages/backend-billing/package.json"), join(folder, "package.json"));
  const config = join(workspace, "tsconfig.json");
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, "packages/backend-billing/tsconfig.build.json"),
      compilerOptions: {
        rootDir: join(root, "packages/backend-billing/src"),
        outDir: join(folder, "dist"),
        typeRoots: [join(root, "node_modules/@types")],
      },
      files: ["index.ts", "catalogue/index.ts", "convex/index.ts", "convex/local.ts"]
        .concat("convex/tables/index.ts")
        .map((file) => join(root, "packages/backend-billing/src", file)),
      include: [],
    }),
  );
  return { folder, outcome: run("typescript/bin/tsc", ["-p", config], workspace) };
}

/** A fresh copy of an example, beside what the examples share; the library is copied, so that it finds the copy's packages. */
export function copyApp(workspace: string, library: string, name: string): App {
  const source = join(root, "examples", name);
  const folder = join(workspace, "apps", name);
  const packages = join(folder, "node_modules");
  rmSync(folder, { recursive: true, force: true });
  cpSync(source, folder, {
    recursive: true,
    filter: (path) => !path.startsWith(join(source, "node_modules")),
  });
  cpSync(join(root, "examples/ui"), join(workspace, "apps/ui"), { recursive: true });
  for (const dependency of dependenciesOf(source)) {
    const target = join(packages, dependency);
    mkdirSync(dirname(target), { recursive: true });
    if (dependency === "backend-billing") cpSync(library, target, { recursive: true });
    else symlinkSync(join(root, "node_modules", dependency), target);
  }
  return { name, folder, source };
}

/** Whether it is more than functions. */
export const hasPage = ({ folder }: App): boolean => existsSync(join(folder, "vite.config.ts"));

function dependenciesOf(folder: string): string[] {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  return Object.keys({ ...dependencies, ...devDependencies });
}

/** Gives the application the version of stripe that is installed under this name. */
export function installStripe({ folder }: App, name: "stripe" | "stripe-22"): void {
  const link = join(folder, "node_modules/stripe");
  rmSync(link);
  symlinkSync(join(root, "node_modules", name), link);
}
