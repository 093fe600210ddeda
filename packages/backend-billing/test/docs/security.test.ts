// Each threat of docs/security.md names its tests, and they are there.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../../..");
const page = readFileSync(join(root, "docs/security.md"), "utf8");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/** The rows of tables that have a column for tests, without their heads. */
const threats = page
  .split("\n")
  .filter((line) => line.startsWith("|") && line.split("|").length === 5)
  .filter((line) => !/^\|(-|.*\| tests \|$)/.test(line));

it("every threat names a test that is there, or a command", () => {
  expect(threats.length).toBeGreaterThan(15);
  for (const threat of threats) {
    const named = [...(threat.split("|")[3] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(named, threat).not.toEqual([]);
    for (const name of named as string[]) {
      const isThere = name.startsWith("npm run ")
        ? scripts[name.slice("npm run ".length)] !== undefined
        : existsSync(join(root, "packages/backend-billing", name));
      expect(isThere, `${name} in: ${threat}`).toBe(true);
    }
  }
});
