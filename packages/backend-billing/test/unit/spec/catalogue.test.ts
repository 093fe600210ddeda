import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { generateSpec } from "../../../../../scripts/generate-spec.js";
import { partOf, parts, rules, titleOf } from "../../../../../support/spec/catalogue.js";
import { checks, checksByFile } from "../../../../../support/spec/checks.js";
import { decisions } from "../../../../../support/spec/decisions.js";
import { specEvents } from "../../../../../support/spec/event-rules.js";
import { convexExceptions, postgresExceptions } from "../../../../../support/spec/exceptions.js";
import { names } from "../../../../../support/spec/names.js";

/** Those that occur more than once. */
const repeated = (all: readonly string[]): string[] =>
  all.filter((each, index) => all.indexOf(each) !== index);

describe("the catalogue of rules", () => {
  it("gives every rule an id and a name of its own", () => {
    expect(repeated(rules.map(({ id }) => id))).toEqual([]);
    expect(repeated(rules.map(titleOf))).toEqual([]);
  });

  it("has exactly one test for each rule, and one rule for each test", () => {
    const ids = rules.map(({ id }) => id).sort();
    const tests = Object.values(checksByFile).flatMap((checks) => Object.keys(checks));
    expect(tests.sort()).toEqual(ids);
    expect(Object.keys(checks).sort()).toEqual(ids);
  });

  it("says of each rule in which file its test is", () => {
    expect(Object.keys(checksByFile).sort()).toEqual(parts.map(({ file }) => file).sort());
    for (const rule of rules) {
      expect(Object.keys(checksByFile[partOf(rule).file] ?? {}), rule.id).toContain(rule.id);
    }
  });

  it("has a rule for each of the 40 events", () => {
    expect(new Set(specEvents).size).toBe(40);
    const ids: readonly string[] = rules.map(({ id }) => id);
    for (const event of specEvents) expect(ids).toContain(`6#${event}`);
  });

  it("excepts a rule at most once, and says why", () => {
    for (const exceptions of [postgresExceptions, convexExceptions]) {
      expect(repeated(exceptions.map(({ rule }) => rule))).toEqual([]);
      for (const { reason } of exceptions) expect(reason.length).toBeGreaterThan(20);
    }
  });
});

describe("docs/spec.md", () => {
  const page = readFileSync(new URL("../../../../../docs/spec.md", import.meta.url), "utf8");

  it("is not stale (npm run generate)", () => {
    expect(page).toBe(generateSpec());
  });

  it("says everything once", () => {
    expect(repeated(names.map(({ theirs }) => theirs))).toEqual([]);
    expect(repeated(decisions.map(({ section, open }) => `${section} ${open}`))).toEqual([]);
  });
});
