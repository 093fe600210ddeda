/** What Convex is charged for: mutations, documents and bytes of an event and a page, and the bundle. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "vite";

interface Cost {
  readonly mutations: number;
  readonly documentsRead: number;
  readonly documentsWritten: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

export interface ConvexCost {
  readonly event: Cost;
  readonly page: Cost;
  /** Bytes of what an application adds to its functions, without `stripe` and `convex`. */
  readonly bundle: { readonly minified: number; readonly gzipped: number };
}

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Convex's functions need its test runtime, so a test counts and prints. */
export async function convexCost(): Promise<ConvexCost> {
  const args = [
    "vitest",
    "run",
    "--project",
    "convex",
    "packages/backend-billing/test/convex/cost.test.ts",
  ];
  const { stdout } = await promisify(execFile)("npx", args, { cwd: root });
  const [, json] = /CONVEX_COST (\{.*\})/.exec(stdout) ?? [];
  if (json === undefined) throw new Error("test/convex/cost.test.ts has printed no cost");
  return { ...(JSON.parse(json) as Omit<ConvexCost, "bundle">), bundle: await bundle() };
}

async function bundle(): Promise<ConvexCost["bundle"]> {
  const built = await build({
    root,
    configFile: false,
    logLevel: "error",
    build: {
      write: false,
      minify: "esbuild",
      lib: {
        entry: "packages/backend-billing/src/convex/index.ts",
        formats: ["es"],
        fileName: "bundle",
      },
      rollupOptions: { external: [/^stripe/, /^convex/] },
    },
  });
  const [output] = Array.isArray(built) ? built : [built];
  if (output === undefined || !("output" in output)) throw new Error("Nothing was built");
  const code = output.output.map((each) => (each.type === "chunk" ? each.code : "")).join("");
  return { minified: Buffer.byteLength(code), gzipped: gzipSync(code).length };
}
