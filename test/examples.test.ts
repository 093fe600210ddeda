// Every example that a reader may copy compiles: the code blocks of the documentation and the
// examples in the source's comments, as an application would write them.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

interface Example {
  readonly from: string;
  readonly code: string;
}

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(root, folder, name));
}

function blocksOf(file: string, text: string): Example[] {
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match, index) => ({
    from: `${relative(root, file)}, example ${index + 1}`,
    code: match[1] ?? "",
  }));
}

function examples(): Example[] {
  const markdown = [join(root, "README.md"), ...filesIn("docs", ".md")];
  const source = filesIn("src", ".ts");
  return [
    ...markdown.flatMap((file) => blocksOf(file, readFileSync(file, "utf8"))),
    ...source.flatMap((file) => {
      const comments = readFileSync(file, "utf8").match(/\/\*\*[\s\S]*?\*\//g) ?? [];
      return comments.flatMap((comment) => blocksOf(file, comment.replace(/^ *\* ?/gm, "")));
    }),
  ];
}

/** A block that names a file of a Convex application shows a part of that file of an example. */
const EXCERPT = /^\/\/ (convex\/\S+)\n/;
const isExcerpt = ({ code }: Example): boolean => EXCERPT.test(code);

function isInExample({ code }: Example): boolean {
  const file = EXCERPT.exec(code)?.[1] ?? "";
  const part = code.replace(EXCERPT, "").trim();
  return ["convex", "convex-stripe"]
    .map((name) => join(root, "examples", name, file))
    .some((path) => existsSync(path) && readFileSync(path, "utf8").includes(part));
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "examples-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("every example compiles", { timeout: 120_000 }, () => {
  const all = examples().filter((example) => !isExcerpt(example));
  expect(all.length).toBeGreaterThan(10);
  for (const [index, { code }] of all.entries()) {
    writeFileSync(join(folder, `example-${index}.mts`), `${code}\nexport {};\n`);
  }
  const paths = {
    "backend-billing": [join(root, "src/index.ts")],
    "backend-billing/*": [join(root, "src/*/index.ts")],
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: { paths },
      include: ["*.mts"],
      exclude: [],
    }),
  );
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  let problems = "";
  try {
    execFileSync(process.execPath, [tsc, "--noEmit", "-p", folder], {
      cwd: folder,
      encoding: "utf8",
    });
  } catch (error) {
    problems = String((error as { stdout?: string }).stdout);
  }
  const named = problems.replace(
    /example-(\d+)\.mts/g,
    (_, index) => all[Number(index)]?.from ?? "",
  );
  expect(named).toBe("");
});

// `npm run check:convex` compiles the examples as applications.
it("every excerpt of an example is what the example says", () => {
  const excerpts = examples().filter(isExcerpt);
  expect(excerpts.length).toBeGreaterThan(10);
  expect(excerpts.filter((each) => !isInExample(each))).toEqual([]);
});
