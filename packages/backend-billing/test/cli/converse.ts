// A conversation with the command in a real pseudo-terminal, which needs `script` of util-linux.
import { spawn, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { commandLine, ended } from "./command.js";

export const hasScript = spawnSync("script", ["--version"]).status === 0;
export const keys = { enter: "\r", down: "\u001b[B", interrupt: "\u0003" };

interface Options {
  readonly cwd: string;
  readonly env?: { readonly [name: string]: string };
}

/** Types an answer each time that a question shows; answers how it ended. */
export async function converse(
  args: readonly string[],
  { cwd, env = {} }: Options,
  answers: readonly (readonly [RegExp, string])[],
) {
  // A terminal without a size would have room for one letter a line.
  const words = [...commandLine, ...args].map((part) => `'${part}'`).join(" ");
  const command = `stty cols 100 rows 40; exec ${words}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TERM: "xterm-256color", ...env },
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const left = [...answers];
  let seen = "";
  let heard = 0;
  child.stdout.on("data", (part: Buffer) => {
    seen += part.toString();
    heard += part.length;
    const [next] = left;
    if (next === undefined || !next[0].test(seen)) return;
    left.shift();
    seen = "";
    // A question is drawn before its keys are listened to: keys that change nothing are sent again.
    const answer = (wait: number, unchanged?: number) =>
      setTimeout(() => {
        if (child.exitCode !== null || (unchanged !== undefined && heard !== unchanged)) return;
        child.stdin.write(next[1]);
        answer(10_000, heard);
      }, wait).unref();
    answer(200);
  });
  const result = await ended(child);
  return { ...result, unasked: left.length };
}
