// @module-tag slow
// The questions of `init`, in a real pseudo-terminal.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { commandLine, ended } from "./command.js";

const hasScript = spawnSync("script", ["--version"]).status === 0;
const keys = { enter: "\r", down: "\u001b[B", interrupt: "\u0003" };

/** Types an answer each time that a question shows; answers how it ended. */
async function converse(cwd: string, answers: readonly (readonly [RegExp, string])[]) {
  // A terminal without a size would have room for one letter a line.
  const command = `stty cols 100 rows 40; exec ${commandLine.map((part) => `'${part}'`).join(" ")} init`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TERM: "xterm-256color" },
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

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "init-prompts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const needs = "needs `script` of util-linux for a pseudo-terminal";
describe.skipIf(!hasScript)(`init on a terminal (${needs})`, () => {
  it("asks for the platform and the variant, and writes what was chosen", async () => {
    const folder = emptyFolder();
    const { code, stdout, unasked } = await converse(folder, [
      [/Where does your backend run\?/, keys.down + keys.enter],
      [/Which functions do you want\?/, keys.down + keys.enter],
      [/Write convex\/stripe\.ts/, keys.enter],
    ]);
    expect({ code, unasked }).toEqual({ code: 0, unasked: 0 });
    expect(stdout).toContain("npx convex run stripe:sync");
    expect(existsSync(join(folder, "convex/stripe.ts"))).toBe(true);
  });

  it("writes nothing when it is interrupted", async () => {
    const folder = emptyFolder();
    const { code } = await converse(folder, [
      [/Where does your backend run\?/, keys.enter],
      [/Which functions do you want\?/, keys.interrupt],
    ]);
    expect(code).toBe(130);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("writes nothing when the last answer is no", async () => {
    const folder = emptyFolder();
    const { code, stdout } = await converse(folder, [
      [/Where does your backend run\?/, keys.enter],
      [/Which functions do you want\?/, keys.enter],
      [/Write billing\.ts/, "n"],
    ]);
    expect(code).toBe(130);
    expect(stdout).toContain("Nothing was written");
    expect(readdirSync(folder)).toEqual([]);
  });
});
