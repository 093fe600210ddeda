// `--convex`: which function of the deployment a command runs, and what is said where none does.
// A stand-in for the package `convex` notes how it was called; no deployment is needed.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "./command.js";

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "backend-billing-convex-"));
  const convex = join(cwd, "node_modules/convex");
  mkdirSync(join(convex, "bin"), { recursive: true });
  writeFileSync(join(cwd, "package.json"), "{}");
  writeFileSync(join(convex, "package.json"), `{"name": "convex", "version": "1.0.0"}`);
  writeFileSync(
    join(convex, "bin/main.js"),
    `const [, , run, name, args, ...more] = process.argv;
     if (run !== "run") process.exit(9);
     if (name === "billing:runs") {
       console.error("Could not find function for 'billing:runs'. Did you forget to run convex dev?");
       process.exit(1);
     }
     console.error("a line of the deployment's log");
     console.log(JSON.stringify({ runId: "run_1", state: "running", resources: {}, called: [name, JSON.parse(args), ...more] }));`,
  );
});
afterAll(() => rmSync(cwd, { recursive: true }));

describe("with --convex", () => {
  it.each([
    [
      ["sync", "--webhook"],
      ["billing:sync", { data: true, webhook: true, portal: false }],
    ],
    [
      ["sync", "--convex", "stripe", "--prod"],
      ["stripe:sync", { data: true, webhook: false, portal: false }, "--prod"],
    ],
    [
      ["verify", "--sample", "7"],
      ["billing:verify", { sample: 7 }],
    ],
  ])("%s runs a function of the deployment", async (args, called) => {
    const more = args.includes("--convex") ? [] : ["--convex"];
    const { code, stdout } = await runCommand([...args, ...more, "--json"], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ state: "running", called });
  });

  it("reconcile starts the deployment's own", async () => {
    const { code, stdout } = await runCommand(["reconcile", "--convex"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("your deployment goes on by itself");
  });

  it("status has the line to add where the deployment has no such function", async () => {
    const { code, stderr } = await runCommand(["status", "--convex"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("no function billing:runs");
    expect(stderr).toContain("export const runs = internalAction(");
  });

  it.each([
    [["migrate"], "Convex has no migrations"],
    [["events", "list"], "every five minutes"],
    [["events", "replay", "evt_1"], "every five minutes"],
  ])("%s says what to do instead, and ends with 2", async (args, words) => {
    const { code, stderr } = await runCommand([...args, "--convex"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  it("wants the package", async () => {
    const { code, stderr } = await runCommand(["sync", "--convex"], { cwd: tmpdir() });
    expect(code).toBe(2);
    expect(stderr).toContain("npm install convex");
  });
});
