// Every example that a reader may copy compiles: the code blocks of the documentation and the
// examples in the source's comments, as an application would write them. The blocks of a page that
// are files lie beside each other, so that they can import one another.
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { blocksOf } from "../../../../scripts/docs/blocks.js";

const root = resolve(import.meta.dirname, "../../../..");
/** The page whose `billing.ts` and `catalogue.ts` others import without showing them again. */
const BILLING = "docs/start/postgres.md";

interface Example {
  /** The page or the source file. */
  readonly page: string;
  readonly from: string;
  readonly code: string;
  readonly file: string | undefined;
}

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending) && !/^(reference|\.vitepress)\//.test(name))
    .map((name) => join(root, folder, name));
}

function examplesOf(path: string, text: string): Example[] {
  const page = relative(root, path);
  return blocksOf(text)
    .filter(({ language }) => language === "ts")
    .map(({ code, file }, index) => ({ page, from: `${page}, example ${index + 1}`, code, file }));
}

function examples(): Example[] {
  const double = "packages/stripe-double";
  const markdown = [
    join(root, "README.md"),
    join(root, double, "README.md"),
    ...filesIn("docs", ".md"),
  ];
  const source = [
    ...filesIn("packages/backend-billing/src", ".ts"),
    ...filesIn(`${double}/src`, ".ts"),
  ];
  return [
    ...markdown.flatMap((path) => examplesOf(path, readFileSync(path, "utf8"))),
    ...source.flatMap((path) => {
      const comments = readFileSync(path, "utf8").match(/\/\*\*[\s\S]*?\*\//g) ?? [];
      const texts = comments.map((comment) => comment.replace(/^ *\* ?/gm, ""));
      return examplesOf(path, texts.join("\n"));
    }),
  ];
}

/** Files of which a block shows a part, and the examples that have them. */
const EXCERPTS: readonly (readonly [file: RegExp, apps: readonly string[]])[] = [
  [/^convex\//, readdirSync(join(root, "examples")).filter((name) => name.startsWith("convex"))],
  [/^(app|lib)\/|^next\.config/, ["next"]],
  [/^src\//, ["sveltekit"]],
];

const appsWith = ({ file = "" }: Example): readonly string[] | undefined =>
  EXCERPTS.find(([pattern]) => pattern.test(file))?.[1];

const isExcerpt = (example: Example): boolean => appsWith(example) !== undefined;

function isInExample(example: Example): boolean {
  const { code, file = "" } = example;
  const part = code.slice(code.indexOf("\n") + 1).trim();
  return (appsWith(example) ?? [])
    .map((name) => join(root, "examples", name, file))
    .some((path) => existsSync(path) && readFileSync(path, "utf8").includes(part));
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "examples-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  copyFileSync(
    join(root, "packages/backend-billing/test/docs/stand-ins.d.ts"),
    join(folder, "stand-ins.d.ts"),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the examples, and answers where each of them came from, by its path. */
function write(all: readonly Example[]): Map<string, string> {
  const shown = (name: string) =>
    all.find(({ page, file }) => page === BILLING && file === name)?.code ?? "";
  const places = new Map<string, string>();
  const put = (path: string, code: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${code}\nexport {};\n`);
  };
  for (const [index, { page, file, code, from }] of all.entries()) {
    const place = page.replaceAll(/\W/g, "-");
    const wanted = `${place}/${file ?? `example-${index}.ts`}`;
    const path = places.has(wanted) ? `${place}/example-${index}.ts` : wanted;
    places.set(path, from);
    put(path, code);
    for (const name of ["billing.ts", "catalogue.ts"]) {
      if (!existsSync(join(folder, place, name))) put(`${place}/${name}`, shown(name));
    }
    if (!existsSync(join(folder, place, "_generated"))) {
      put(`${place}/_generated/api.ts`, GENERATED);
    }
  }
  return places;
}

/** As Convex generates it, of the functions that the recipes call. */
const GENERATED = `import { anyApi, type FunctionReference } from "convex/server";
type Setup = { entityId: string; email?: string | undefined };
export const internal = anyApi as unknown as {
  billing: { setup: FunctionReference<"action", "internal", Setup, { customerId: string }> };
};`;

it("every example compiles", { timeout: 600_000, tags: ["slow"] }, () => {
  const all = examples().filter((example) => !isExcerpt(example));
  expect(all.length).toBeGreaterThan(30);
  const places = write(all);
  const paths = {
    "backend-billing": [join(root, "packages/backend-billing/src/index.ts")],
    "backend-billing/convex/local": [join(root, "packages/backend-billing/src/convex/local.ts")],
    "backend-billing/*": [join(root, "packages/backend-billing/src/*/index.ts")],
    "stripe-double": [join(root, "packages/stripe-double/src/index.ts")],
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: { paths },
      include: ["**/*.ts"],
      exclude: ["node_modules"],
    }),
  );
  const tsc = join(root, "node_modules/typescript-native/bin/tsc");
  let problems = "";
  try {
    execFileSync(process.execPath, [tsc, "--noEmit", "-p", folder], {
      cwd: folder,
      encoding: "utf8",
    });
  } catch (error) {
    problems = String((error as { stdout?: string }).stdout);
  }
  const named = problems.replace(/^([\w./-]+\.ts)\(/gm, (whole, path) => {
    const from = places.get(path);
    return from === undefined ? whole : `${from} (`;
  });
  expect(named).toBe("");
});

// `npm run check:convex` and `npm run e2e` compile the examples as applications, `npm run quickstart`
// the start page.
it("every excerpt of an example is what the example says", () => {
  const excerpts = examples().filter(isExcerpt);
  expect(excerpts.length).toBeGreaterThan(10);
  const ofServers = excerpts.filter(({ page }) => page === "docs/recipes/servers.md");
  expect(ofServers.map(({ file }) => file)).toEqual([
    "app/api/stripe/[...path]/route.ts",
    "lib/billing.ts",
    "next.config.ts",
    "src/routes/api/stripe/[...path]/+server.ts",
    "src/lib/server/billing.ts",
    "src/hooks.server.ts",
  ]);
  expect(excerpts.filter((each) => !isInExample(each)).map(({ from }) => from)).toEqual([]);
});
