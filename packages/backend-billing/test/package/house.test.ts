// What `npm run house` counts. Its bounds are in scripts/house/measures.ts.
import { describe, expect, it } from "vitest";
import { circles, importGraph } from "../../../../scripts/house/imports.js";
import { crowdedFolders } from "../../../../scripts/house/measures.js";
import { LIBRARY, readSources } from "../../../../scripts/house/source.js";
import { oldWords } from "../../../../scripts/house/words.js";

const graphOf = (files: { readonly [path: string]: string }) =>
  importGraph(Object.entries(files).map(([path, text]) => ({ path, text })));

describe("circles of imports", () => {
  it("are found across folders, through types and re-exports", () => {
    const graph = graphOf({
      "src/a.ts": `import { b } from "./room/b.js";`,
      "src/room/b.ts": `export * from "./c.js";`,
      "src/room/c.ts": `import type { A } from "../a.js";\nimport "stripe";`,
      "src/d.ts": `import { a } from "./a.js";`,
    });
    expect(circles(graph)).toEqual([["src/a.ts", "src/room/b.ts", "src/room/c.ts"]]);
  });

  it("are told apart", () => {
    const graph = graphOf({
      "src/a.ts": `import "./b.js";`,
      "src/b.ts": `import "./a.js";\nimport "./c.js";`,
      "src/c.ts": `export const later = () => import("./d.js");`,
      "src/d.ts": `import "./c.js";`,
    });
    expect(circles(graph)).toEqual([
      ["src/a.ts", "src/b.ts"],
      ["src/c.ts", "src/d.ts"],
    ]);
  });

  it("are not made by two ways to one file", () => {
    const graph = graphOf({
      "src/a.ts": `import "./b.js";\nimport "./c.js";`,
      "src/b.ts": `import "./d.js";`,
      "src/c.ts": `import "./d.js";`,
      "src/d.ts": "",
    });
    expect(circles(graph)).toEqual([]);
  });

  it.each([LIBRARY, "packages/stripe-double/src"])("are not in %s", (folder) => {
    expect(circles(importGraph(readSources(folder)))).toEqual([]);
  });
});

describe("words of the old vocabulary", () => {
  const found = (text: string, path = "src/file.ts") =>
    oldWords({ path, text }).map(({ line, word }) => `${line} ${word}`);

  it.each([
    ["a name", "const wish = 1;", ["1 wish"]],
    ["a part of a name", "\nmergeWishes(atTheDoor);", ["2 mergeWishes", "2 atTheDoor"]],
    ["a longer word", "const footnote = annotated + doorway;", []],
    ["a comment", "// Whoever comes first.", ["1 Whoever"]],
    ["a comment of a function", "/**\n * His own.\n */\nfunction f() {}", ["2 His"]],
    ["a comment at the end of a block", "{\n  // nobody\n}", ["2 nobody"]],
    ["a comment beside code", "const a = 1; // somebody's", ["1 somebody"]],
    ["a text that users see", 'throw new Error("Somebody else");', ["1 Somebody"]],
    ["a text with values", "const a = `$" + "{1} by whoever`;", ["1 whoever"]],
    ["a name in a text", 'const a = "note";', []],
  ])("%s", (_, text, words) => {
    expect(found(text)).toEqual(words);
  });

  it("are not in src", () => {
    expect(readSources(LIBRARY).flatMap(oldWords)).toEqual([]);
  });

  it("the name of a file", () => {
    expect(found("", "src/core/claim-sight.ts")).toEqual(["1 claim-sight.ts"]);
  });
});

it("a folder is crowded by its own files", () => {
  const paths = ["src/a/1.ts", "src/a/2.ts", "src/a/b/3.ts", "src/c/4.ts"];
  expect(crowdedFolders(paths, 1)).toEqual(["src/a: 2 files"]);
});
