/** An example app as a process of its own, started as its README says. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const FOLDER = fileURLToPath(new URL("../../examples/node-postgres", import.meta.url));

export interface Example {
  readonly url: string;
  /** What it has printed so far. */
  output(): string;
  /** As Ctrl-C does. */
  stop(): Promise<void>;
}

export const startExample = (
  script: "start" | "serve",
  env: { ready: string; [name: string]: string },
): Promise<Example> => startIn(FOLDER, script, env);

/** The same of an app in another folder. */
export async function startIn(
  folder: string,
  script: string,
  { ready, ...env }: { ready: string; [name: string]: string },
): Promise<Example> {
  const port = Number(env.PORT ?? (await freePort()));
  const child = spawn("npm", ["run", "--silent", script], {
    cwd: folder,
    env: { ...settingsApart(process.env), ...env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true, // a group of its own, which can be ended as one
  });
  let output = "";
  const started = new Promise<void>((done, fail) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
        if (output.includes(ready)) done();
      });
    }
    child.once("exit", () => fail(new Error(`The example ended.\n${output}`)));
  });
  process.once("exit", () => end(child));
  await started;
  return {
    url: `http://localhost:${port}`,
    output: () => output,
    async stop() {
      const ended = once(child, "exit");
      end(child);
      await ended;
    },
  };
}

function end({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGINT");
}

/** The environment without what would point the example at somebody's database or account. */
function settingsApart(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_URL, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_HOST, BASE_URL, ...rest } =
    env;
  return rest;
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}

/** What drizzle-kit would add to the example's migrations; they are copied, and not touched. */
export async function missingMigrations(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "migrations-"));
  try {
    await cp(join(FOLDER, "drizzle"), copy, { recursive: true });
    const out = relative(FOLDER, copy);
    const schema = ["--dialect", "postgresql", "--schema", "server/schema.ts"];
    const { stdout } = await promisify(execFile)(
      "npx",
      ["drizzle-kit", "generate", ...schema, "--out", out],
      { cwd: FOLDER },
    );
    return stdout.includes("No schema changes") ? "" : stdout;
  } finally {
    await rm(copy, { recursive: true });
  }
}

/**
 * Whether the example can start a PostgreSQL of its own here. As root that runs as another user, who
 * must be able to enter every folder on the way to its binaries.
 */
export function canStartPostgres(): boolean {
  if (process.getuid?.() !== 0) return true;
  for (let folder = FOLDER; ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === resolve(folder, "..")) return true;
  }
}
