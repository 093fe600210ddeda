// Each threat of docs/security.md names its tests, by their files and words of their titles, and they are there.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { missingTitle } from "../../../../support/titles.js";

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

/** A command, or a test file with the words that follow it, each in quotes. */
const CITED = /`(?:npm run ([\w:]+)|(test\/[\w./-]+\.test\.ts))`((?:[:,]\s+"[^"]+")*)/g;

/** What is wrong with what a text names. */
function problemsIn(text: string): readonly string[] {
  return [...text.matchAll(CITED)].flatMap(([cited, command, file = "", quoted = ""]) => {
    if (command !== undefined) return scripts[command] ? [] : [`There is no ${cited}`];
    const words = [...quoted.matchAll(/"([^"]+)"/g)].map(([, each = ""]) => each);
    if (words.length === 0) return [`${cited} is named without words of a title`];
    const path = join(root, "packages/backend-billing", file);
    return words.flatMap((each) => missingTitle(path, each) ?? []);
  });
}

it("every threat names tests that are there, or a command, and nothing else", () => {
  expect(threats.length).toBeGreaterThan(25);
  for (const threat of threats) {
    const tests = threat.split("|")[3] ?? "";
    expect(tests.trim(), threat).not.toBe("");
    expect(tests.replaceAll(CITED, "").replaceAll(";", "").trim(), threat).toBe("");
  }
});

it("whatever the page names of tests is there", () => {
  expect(problemsIn(page)).toEqual([]);
});

it("a title that is not there would be noticed", () => {
  const file = "`test/docs/security.test.ts`";
  expect(problemsIn(`${file}: "would be noticed", "of nobody"`)).toEqual([
    expect.stringContaining('"of nobody"'),
  ]);
  expect(problemsIn('`test/docs/none.test.ts`: "a"; `npm run none`')).toHaveLength(2);
  expect(problemsIn(file)).toHaveLength(1);
});
