// Runs the real command as a process of its own, as `npx backend-billing` does.
import { type ChildProcess, spawn } from "node:child_process";
import { resolve } from "node:path";
import { inject } from "vitest";

const root = resolve(import.meta.dirname, "../../../..");
export const commandLine = [process.execPath, inject("command")] as const;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Options {
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string | undefined };
}

/** Only these variables of ours reach the command, so that no setting of this machine decides. */
const base = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1" };

export function start(args: readonly string[], { cwd = root, env = {} }: Options = {}) {
  const [file, ...before] = commandLine;
  const child = spawn(file, [...before, ...args], { cwd, env: { ...base, ...env } });
  return { child, ended: ended(child) };
}

export const runCommand = (args: readonly string[], options?: Options): Promise<Ended> =>
  start(args, options).ended;

export function ended(child: ChildProcess): Promise<Ended> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (part: Buffer) => {
    stdout += part.toString();
  });
  child.stderr?.on("data", (part: Buffer) => {
    stderr += part.toString();
  });
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => done({ code, stdout, stderr }));
  });
}
