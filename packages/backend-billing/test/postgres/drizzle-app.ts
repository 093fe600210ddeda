// An application as our users have it: this package in its node_modules, a Drizzle schema file, and
// drizzle-kit run over it unchanged. The package is transpiled here, so no build is needed first.
import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const drizzleKit = join(root, "node_modules/drizzle-kit/bin.cjs");

export interface DrizzleApp {
  /** The SQL of `drizzle-kit generate`. */
  generate(): Promise<string>;
  /** `drizzle-kit push`, and what it printed. */
  push(url: string): Promise<string>;
  remove(): Promise<void>;
}

/** `schema` is the text of the app's schema file; drizzle-kit looks after the schema of that name. */
export async function createDrizzleApp(schema: string, schemaName: string): Promise<DrizzleApp> {
  const folder = await mkdtemp(join(tmpdir(), "backend-billing-drizzle-"));
  await installPackage(join(folder, "node_modules/backend-billing"));
  for (const name of ["drizzle-orm", "pg"]) {
    await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  await writeFile(join(folder, "schema.ts"), schema);
  await writeFile(
    join(folder, "drizzle.config.ts"),
    `export default {
      dialect: "postgresql",
      schema: "./schema.ts",
      schemaFilter: [${JSON.stringify(schemaName)}],
      dbCredentials: { url: process.env.DATABASE_URL ?? "" },
    };`,
  );

  return {
    async generate() {
      await run(folder, ["generate"]);
      const out = join(folder, "drizzle");
      const files = (await readdir(out)).filter((name) => name.endsWith(".sql")).sort();
      const texts = await Promise.all(files.map((name) => readFile(join(out, name), "utf8")));
      return texts.join("\n");
    },
    push: (url) => run(folder, ["push", "--verbose"], url),
    remove: () => rm(folder, { recursive: true }),
  };
}

async function installPackage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await cp(join(root, "packages/backend-billing/package.json"), join(folder, "package.json"));
  for (const part of ["core", "drizzle"]) {
    await mkdir(join(folder, "dist", part), { recursive: true });
    for (const file of await readdir(join(root, "packages/backend-billing/src", part))) {
      if (!file.endsWith(".ts")) continue;
      const source = await readFile(join(root, "packages/backend-billing/src", part, file), "utf8");
      const { outputText } = ts.transpileModule(source, {
        compilerOptions: {
          module: ts.ModuleKind.ESNext,
          target: ts.ScriptTarget.ES2022,
          verbatimModuleSyntax: true,
        },
      });
      await writeFile(join(folder, "dist", part, file.replace(/\.ts$/, ".js")), outputText);
    }
  }
}

/** drizzle-kit prints its errors to either stream and does not always fail, so both are kept. */
function run(cwd: string, args: readonly string[], url = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [drizzleKit, ...args], {
      cwd,
      env: { ...process.env, DATABASE_URL: url },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 60_000,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
      });
    }
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(output);
      // vitest must not take the lines of drizzle-kit's own stack for ours: it fails on them.
      else
        reject(new Error(`drizzle-kit ${args.join(" ")} failed.${output.replace(/^/gm, "\n| ")}`));
    });
  });
}
