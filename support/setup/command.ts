// Bundles the command once for the whole run: the tests start it hundreds of times, and compiling
// it anew each time would take longer than what they look at.
import { readdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "vite";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The path of the command's file, to be run by Node. */
    command: string;
  }
}

const root = resolve(import.meta.dirname, "../..");

export default async function setup(project: TestProject): Promise<() => void> {
  // Two folders below the package, like `dist/cli`: the command reads its version from there.
  const name = `backend-billing-${process.pid}`;
  const outDir = resolve(root, "packages/backend-billing/node_modules/.cache");
  await build({
    configFile: false,
    root,
    logLevel: "error",
    resolve: { alias: { "stripe-double": resolve(root, "packages/stripe-double/src/index.ts") } },
    build: {
      ssr: "packages/backend-billing/src/cli/main.ts",
      target: "node20",
      outDir,
      emptyOutDir: false,
      minify: false,
      // What is loaded on demand is a file of its own: inlined, it would come after what waits for it.
      rollupOptions: {
        output: { entryFileNames: `${name}.mjs`, chunkFileNames: `${name}-[name].mjs` },
      },
    },
  });
  project.provide("command", resolve(outDir, `${name}.mjs`));
  return () => {
    const made = readdirSync(outDir).filter((file) => new RegExp(`^${name}[.-]`).test(file));
    for (const file of made) rmSync(resolve(outDir, file));
  };
}
