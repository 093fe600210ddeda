/**
 * The same commands for Convex: they run a function of the application's deployment, by the
 * application's own `convex` package. What Convex cannot do is said, with what to do instead.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import type { Store } from "../core/mirror/store.js";
import { BillingError } from "../core/runtime/errors.js";
import { type ConnectOptions, resourcesOf } from "./connect.js";
import type { Io } from "./terminal/io.js";

export interface ConvexOptions {
  /** The file that exports the library's functions, without its ending; true for the usual one. */
  readonly convex?: string | true;
  readonly prod?: boolean;
}

/** The file of `createBilling`'s exports. Those of `createStripe` are in `stripe`. */
const MODULE = "billing";

export function withConvexOptions(command: Command): Command {
  return command
    .option("--convex [module]", "use the Convex deployment of this folder (module: billing)")
    .option("--prod", "with --convex: the production deployment");
}

/** Refuses what makes no sense on Convex. */
export function notOnConvex(command: string, todo: string): BillingError {
  return new BillingError(
    "invalid_argument",
    `\`${command}\` does not work with --convex. ${todo}`,
  );
}

/** Runs a function of the deployment and answers what it returned. `line` exports it. */
export async function convexRun(
  io: Io,
  options: ConvexOptions,
  name: string,
  args: object,
  line?: string,
): Promise<unknown> {
  const module = typeof options.convex === "string" ? options.convex : MODULE;
  const called = `${module}:${name}`;
  const more = options.prod ? ["--prod"] : [];
  const command = [convexCommand(io), "run", called, JSON.stringify(args), ...more];
  const { code, stdout, stderr } = await output(io, command);
  if (code !== 0) throw failure(called, module, stderr || stdout, line);
  if (stdout.trim() === "") return null; // of null nothing is printed
  try {
    return JSON.parse(stdout) as unknown;
  } catch (error) {
    const message = `\`convex run ${called}\` answered what is not JSON: ${stdout.slice(0, 200)}`;
    throw new BillingError("provider_error", message, { cause: error });
  }
}

/** The deployment's store, each call of which runs its `store` mutation. */
export async function convexStore(io: Io, options: ConvexOptions & ConnectOptions): Promise<Store> {
  convexCommand(io); // says what is missing if the package is, which the store needs, too
  const { createConvexStore } = await import("../convex/calls/store.js");
  return createConvexStore((operation) => convexRun(io, options, "store", { operation }), {
    resources: resourcesOf(options),
  });
}

function failure(called: string, module: string, said: string, line?: string): BillingError {
  const isAbsent = /could not find (public |internal )?function/i.test(said);
  if (isAbsent && line !== undefined) {
    return new BillingError(
      "missing_export",
      `Your deployment has no function ${called}. Add this to convex/${module}.ts and push it:\n  ${line}`,
    );
  }
  const todo = isAbsent ? " If your file has another name: --convex <name>." : "";
  return new BillingError("provider_error", `\`convex run ${called}\`: ${said.trim()}${todo}`);
}

/** The file behind `npx convex`, found as the application finds it. */
function convexCommand(io: Io): string {
  try {
    const file = createRequire(join(io.cwd, "package.json")).resolve("convex/package.json");
    return join(dirname(file), "bin/main.js");
  } catch (error) {
    throw new BillingError(
      "invalid_config",
      "The package `convex` is not installed here. Run this in your application's folder, or: npm install convex",
      { cause: error },
    );
  }
}

function output(
  io: Io,
  args: readonly string[],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((done, fail) => {
    const env = { ...io.env, FORCE_COLOR: "0", NO_COLOR: "1" };
    const child = spawn(process.execPath, args, {
      cwd: io.cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (part: Buffer) => {
      stdout += part.toString();
    });
    child.stderr.on("data", (part: Buffer) => {
      stderr += part.toString();
    });
    child.on("error", fail);
    child.on("close", (code) => done({ code, stdout, stderr }));
  });
}
