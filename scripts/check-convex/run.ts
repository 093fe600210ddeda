/** Runs the command of an installed package, and keeps what it said. */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";

export interface Outcome {
  readonly ok: boolean;
  readonly said: string;
}

const packages = resolve(import.meta.dirname, "../../node_modules");

/** `command` is the path of a script below `node_modules`. Nothing is written to the home folder. */
export function run(command: string, args: readonly string[], cwd: string): Outcome {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(packages, command), ...args],
    {
      cwd,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: cwd, NO_COLOR: "1", CI: "1" },
      maxBuffer: 64 * 1024 * 1024,
      timeout: 180_000,
    },
  );
  return { ok: status === 0, said: `${stdout}${stderr}`.trim() };
}
