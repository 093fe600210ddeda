// @module-tag slow
// The questions of `init`, in a real pseudo-terminal.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { converse, hasScript, keys } from "./converse.js";

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "init-prompts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const needs = "needs `script` of util-linux for a pseudo-terminal";
describe.skipIf(!hasScript)(`init on a terminal (${needs})`, () => {
  it("asks for the platform and the variant, and writes what was chosen", async () => {
    const folder = emptyFolder();
    const { code, stdout, unasked } = await converse(["init"], { cwd: folder }, [
      [/Where does your backend run\?/, keys.down + keys.enter],
      [/Which functions do you want\?/, keys.down + keys.enter],
      [/Write convex\/catalogue\.ts/, keys.enter],
    ]);
    expect({ code, unasked }).toEqual({ code: 0, unasked: 0 });
    expect(stdout).toContain("npx convex run stripe:sync");
    expect(existsSync(join(folder, "convex/stripe.ts"))).toBe(true);
  });

  it("writes nothing when it is interrupted", async () => {
    const folder = emptyFolder();
    const { code } = await converse(["init"], { cwd: folder }, [
      [/Where does your backend run\?/, keys.enter],
      [/Which functions do you want\?/, keys.interrupt],
    ]);
    expect(code).toBe(130);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("writes nothing when the last answer is no", async () => {
    const folder = emptyFolder();
    const { code, stdout } = await converse(["init"], { cwd: folder }, [
      [/Where does your backend run\?/, keys.enter],
      [/Which functions do you want\?/, keys.enter],
      [/Write catalogue\.ts/, "n"],
    ]);
    expect(code).toBe(130);
    expect(stdout).toContain("Nothing was written");
    expect(readdirSync(folder)).toEqual([]);
  });
});
