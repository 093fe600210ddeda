// The mutants are there: every directive in the sources is in the list and every mutant of the list
// is made, so that none can quietly stop to break anything. `npm run mutants` says what catches each.
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { directivesIn, mutated } from "../../../../proof/mutants/directives.js";
import { mutants } from "../../../../proof/mutants/list.js";
import { allDirectives } from "../../../../proof/mutants/sources.js";
import { faults } from "../../../../support/convergence/broken.js";

describe("the mutants", () => {
  const directives = new Set(allDirectives(".").map(({ name }) => name));

  it("are each made by a directive or a fault, and each listed", () => {
    const made = new Set([...directives, ...Object.keys(faults)]);
    expect([...made].sort()).toEqual(Object.keys(mutants).sort());
  });

  it("name tests that exist", () => {
    const tests = Object.values(mutants).flatMap((each) => ("test" in each ? [each.test] : []));
    expect(tests.filter((test) => !existsSync(test))).toEqual([]);
  });

  it("are one thing each", () => {
    expect(Object.keys(faults).filter((name) => directives.has(name))).toEqual([]);
    for (const [name, expected] of Object.entries(mutants)) {
      if (name in faults) expect(expected, name).toMatchObject({ fault: name });
    }
  });
});

describe("a directive", () => {
  /** The code of a file with its mutants made, without the comments. */
  const made = (text: string) =>
    mutated(text, directivesIn("a.ts", text)).replaceAll(/\/\/ mutant.*\n/g, "");
  const rest = "f(a, b, c, g);";

  it.each([
    ["removes a statement", `// mutant "m"\nif (a) f();`, ""],
    ["removes an element and its comma", `f([\n// mutant "m"\na,\nb]);`, "f([\n\nb]);"],
    ["changes a part of a statement", `// mutant "m": 1 -> 2\nf(1);`, "f(2);"],
    [
      "changes it on whichever line it is",
      `// mutant "m": a && b -> c\nif (\n  a &&\n  b\n) f();`,
      "if (\n  c\n) f();",
    ],
    [
      "changes a property",
      `f({\n// mutant "m": 2 -> 1, d: 3\na: 2,\nb: 2 });`,
      "f({\na: 1, d: 3,\nb: 2 });",
    ],
    [
      "changes an imported name",
      `// mutant "m": a -> x as a\nimport { a } from "b";`,
      `import { x as a } from "b";`,
    ],
    [
      "changes each place that has its name",
      `// mutant "m": f(a) -> f(a, ...d)\n// mutant "m": g -> (...d: never[]) => d\nc(g, f(a));`,
      "c((...d: never[]) => d, f(a, ...d));",
    ],
    ["leaves what comes after it", `// mutant "m": a -> b\nf(a);\nf(a);`, "f(b);\nf(a);"],
  ])("%s", (_, text, result) => {
    expect(made(`${text}\n${rest}`)).toBe(`${result}\n${rest}`);
  });

  it.each([
    ["has no name", "// mutant: 1 -> 2\nf(1);", "It is `// mutant"],
    ["has no arrow", `// mutant "m": 2\nf(1);`, "It is `// mutant"],
    ["is no line of its own", `f(/* mutant "m": 1 -> 2 */ 1);`, "It is `// mutant"],
    ["stands before nothing", `// mutant "m": 1 -> 2\n`, "No piece of code"],
    ["is not about the code below", `// mutant "m": 1 -> 2\nf(3);\nf(1);`, "not in the code below"],
    ["could mean two places", `// mutant "m": 1 -> 2\nf(1, 1);`, "more than once"],
    ["does not parse", `// mutant "m": 1 -> (\nf(1);`, "expected"],
    ["removes what must be there", `if (a)\n// mutant "m"\nf();`, "expected"],
    ["changes nothing", `// mutant "m": 1 -> 1\nf(1);`, "changes nothing"],
    ["uses a name that is gone", `// mutant "m": f -> old\nf(1);`, "does not know old"],
    ["uses a field that is gone", `// mutant "m": a -> a.old\nf(a);`, "does not know old"],
    ["changes one place twice", `// mutant "m": f(a) -> g\n// mutant "m": a -> b\nf(a);`, "twice"],
  ])("that %s is refused, with its line", (_, text, message) => {
    const read = () => directivesIn("a.ts", `${rest}\n${text}`);
    expect(read).toThrow(message);
    expect(read).toThrow(/^a\.ts:[23]: /);
  });
});
