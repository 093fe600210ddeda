// `--convex`: which function of the deployment a command runs, and what is said where none does.
// A stand-in for the package `convex` notes how it was called; no deployment is needed.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
     if (name === "other:runs") {
       console.log("[]");
       process.exit(0);
     }
     if (name.endsWith(":store")) {
       const { operation } = JSON.parse(args);
       const change = { key: "key_1", resource: "products", id: "prod_1", before: null, after: { "~cl%C3%A9": 1 }, at: 5, since: 6, attempts: 7, parked: true };
       const record = { kind: "change", id: "products prod_1 1", revision: 3, ref: "products prod_1", due: null, data: change };
       const sent = { kind: "batch", id: "b1", revision: 2, ref: null, due: null, data: { value: 4, problem: "late" } };
       const records = operation.kind !== "batch" ? [record] : operation.after === "" ? [sent] : [];
       const answers = { records, record, commit: { committed: true, units: [] } };
       if (operation.type === "commit") require("node:fs").writeFileSync("commit.json", JSON.stringify(operation.batch.records));
       console.log(JSON.stringify(answers[operation.type], null, 2));
       process.exit(0);
     }
     console.log(JSON.stringify({ runId: "run_1", state: "running", resources: {}, called: [name, JSON.parse(args), ...more] }));`,
  );
});
afterAll(() => rmSync(cwd, { recursive: true }));

const commits = () => JSON.parse(readFileSync(join(cwd, "commit.json"), "utf8")) as object[];

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

  it("hooks reads and writes through the deployment's `store`", async () => {
    const run = async (...args: string[]) => {
      const { code, stdout } = await runCommand(["hooks", ...args, "--convex", "--json"], { cwd });
      expect(code).toBe(0);
      return JSON.parse(stdout) as object;
    };
    const held = { key: "key_1", object: "products prod_1", standing: "parked" };
    expect(await run("list")).toMatchObject({ changes: [held] });
    expect(await run("show", "key_1")).toMatchObject({ ...held, after: { clé: 1 } });
    expect(await run("retry", "prod_1")).toMatchObject({ retried: [held] });
    const written = { kind: "change", id: "products prod_1 1", expect: 3 };
    const data = { late: true, after: { "~cl%C3%A9": 1 } };
    expect(commits()).toMatchObject([{ ...written, next: { due: expect.any(Number), data } }]);
    expect(await run("skip", "prod_1", "--yes")).toMatchObject({ skipped: held });
    expect(commits()).toEqual([{ ...written, next: null }]);
  });

  it("status shows what of usage is under way or was reported", async () => {
    const status = ["status", "--convex", "other"];
    const { code, stdout } = await runCommand([...status, "--json"], { cwd });
    expect(code).toBe(0);
    const reported = { number: 1, examples: ["late b1"] };
    expect(JSON.parse(stdout)).toMatchObject({ usage: { underWay: 0, reported }, runs: [] });
    expect((await runCommand(status, { cwd })).stdout).toContain("0 under way, 1 reported");
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
