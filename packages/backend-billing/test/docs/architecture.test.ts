// docs/architecture.md lists the files that an event, a page, a setup and a checkout pass. The lists
// stay true: each file is there, and is imported by one before it or reached through the port.
import { existsSync, readFileSync } from "node:fs";
import { join, normalize, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { LIBRARY, readSources } from "../../../../scripts/house/source.js";

const root = resolve(import.meta.dirname, "../../../..");
const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
/** The paths of the page begin here. */
const library = join(root, "packages/backend-billing");
const PORT = "src/core/mirror/store.ts";

/** The numbered files below a heading of the third level. */
const ways = page
  .split(/^### /m)
  .slice(1)
  .map((part) => ({
    name: part.split("\n", 1)[0] ?? "",
    files: [...part.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = ""]) => file),
  }));

function importsOf(file: string): string[] {
  const text = readFileSync(join(library, file), "utf8");
  return [...text.matchAll(/^import[^;]*?from "(\.[^"]+)\.js"/gm)].map(
    ([, specifier = ""]) => `${normalize(join(file, "..", specifier))}.ts`,
  );
}

/** Why a file cannot follow those before it; undefined if it can. */
function problem(before: readonly string[], file: string): string | undefined {
  if (!existsSync(join(library, file))) return `${file} is not there`;
  if (before.length === 0 || before.some((each) => importsOf(each).includes(file)))
    return undefined;
  const knowsPort = (each: string) => importsOf(each).includes(PORT);
  const [last = ""] = before.slice(-1);
  if (knowsPort(last) && knowsPort(file) && !file.startsWith("src/core/")) return undefined;
  return `${file} is imported by none of ${before.join(", ")}`;
}

const problemsOf = (files: readonly string[]) =>
  files.flatMap((file, index) => problem(files.slice(0, index), file) ?? []);

describe("the way of", () => {
  it.each(ways)("$name is as the architecture says", ({ files }) => {
    expect(files.length).toBeGreaterThan(5);
    expect(problemsOf(files)).toEqual([]);
  });

  it("four things is told", () => {
    expect(ways.map(({ name }) => name)).toEqual([
      "An event",
      "A page of a run",
      "A `setup`",
      "A checkout, and the way back",
    ]);
  });

  it("something else would be noticed", () => {
    const gateway = "src/core/runtime/commit/commit.ts";
    const store = "src/postgres/store/store.ts";
    expect(problemsOf([gateway, store])).toEqual([]);
    expect(problemsOf(["src/core/http.ts", gateway])).toHaveLength(1);
    expect(problemsOf(["src/core/http.ts", store])).toHaveLength(1);
    expect(problemsOf([store, "src/core/gone.ts"])).toEqual(["src/core/gone.ts is not there"]);
  });
});

it("the rooms are those of the core, from the ground", () => {
  const named = [...page.matchAll(/^\| `(\w+)`(?:, `(\w+)`)? \|/gm)].flatMap(([, ...rooms]) =>
    rooms.filter((room) => room !== undefined),
  );
  const lint = readFileSync(join(root, "scripts/lint/boundaries.ts"), "utf8");
  const [, floors = ""] = /const floors = (\[[\s\S]*?\n\]);/.exec(lint) ?? [];
  expect(named).toEqual([...floors.matchAll(/"(\w+)"/g)].map(([, room]) => room));
});

it("what a process remembers is listed, all of it", () => {
  const listed = [
    ...page.matchAll(/^ {2}\| [^|]+ \| (process|database|runtime) \| `([^`]+)` \|$/gm),
  ].map(([, keptBy, file]) => `${file} ${keptBy}`);
  const sources = readSources(LIBRARY).map(({ path, text }) => ({
    path: path.slice(`${LIBRARY}/`.length),
    text,
  }));
  const defined = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/= defineLocal(?:<[^(]*>)?\(\s*"(\w+)"/g)].map(
      ([, keptBy]) => `${path} ${keptBy}`,
    ),
  );
  expect([...new Set(defined)].sort()).toEqual(listed.sort());
  const hidden = sources.filter(
    ({ path, text }) => path.startsWith("core/") && /new Weak(?:Map|Set)/.test(text),
  );
  // The text of a content, the one by which a configuration's memories are found, what may not overlap,
  // and what stands for a catalogue.
  const known = [
    "mirror/content/text.ts",
    "runtime/local.ts",
    "runtime/one-at-a-time.ts",
    "usage/terms.ts",
  ];
  expect(hidden.map(({ path }) => path).sort()).toEqual(known.map((path) => `core/${path}`));
});
