// What runs on the repository's host: foreign code only by its commit, and no rights beyond what a
// job needs.
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const folder = resolve(import.meta.dirname, "../../../../.github/workflows");

describe.each(readdirSync(folder))("%s", (name) => {
  const lines = readFileSync(resolve(folder, name), "utf8").split("\n");

  it("pins every action by its commit, and says which version that is", () => {
    const uses = lines.filter((line) => /^\s*(- )?uses:/.test(line));
    expect(uses.length).toBeGreaterThan(0);
    const loose = uses.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line));
    expect(loose).toEqual([]);
  });

  it("gives no job the right to write unless the job asks for it", () => {
    const at = lines.findIndex((line) => line.startsWith("permissions:"));
    expect([lines[at], lines[at + 1]].join("\n")).toMatch(
      /^permissions: \{\}\n|^permissions:\n {2}contents: read$/,
    );
  });
});
