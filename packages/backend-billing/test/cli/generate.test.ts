// `generate pricing-page` in folders as people have them: where the page goes, what it imports, and
// that it compiles there.
import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "./command.js";

const root = resolve(import.meta.dirname, "../../../..");
const library = join(root, "packages/backend-billing");
const timeout = 240_000;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "generate-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Files = { readonly [path: string]: string };

/** An application of these files, in a folder of its own. */
function application(name: string, files: Files = {}): string {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
  return place;
}

const packageOf = (...names: readonly string[]): string =>
  JSON.stringify({
    type: "module",
    dependencies: Object.fromEntries(names.map((name) => [name, "*"])),
    devDependencies: { typescript: "*" },
  });

interface Told {
  readonly platform: string;
  readonly variant: string;
  readonly files: readonly { path: string; state: string }[];
  readonly next: readonly string[];
}

const generate = (cwd: string, ...args: readonly string[]) =>
  runCommand(["generate", "pricing-page", ...args], { cwd });

async function generated(cwd: string, ...args: readonly string[]): Promise<Told> {
  const { code, stdout, stderr } = await generate(cwd, ...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Told;
}

const textOf = (place: string, path: string): string => readFileSync(join(place, path), "utf8");
const importsOf = (place: string, path: string): string[] =>
  [...textOf(place, path).matchAll(/from "([^"]+)"/g)].map(([, from = ""]) => from);
const written = (...paths: readonly string[]) => paths.map((path) => ({ path, state: "written" }));

/** What an application has before it has a page. */
const catalogue = readFileSync(join(library, "templates/pricing-page/app/catalogue.ts"), "utf8");
const billingOf = (variant: "A" | "B"): string =>
  [
    `import { ${variant === "A" ? "createStripe" : "createBilling"} } from "backend-billing/postgres";`,
    'import pg from "pg";',
    'import { catalogue } from "./catalogue.js";',
    `export const { ${variant === "A" ? "stripe" : "billing"}, store } = ${
      variant === "A" ? "createStripe" : "createBilling"
    }({ secret_key: "", webhook_secret: "", catalogue, db: new pg.Pool() });`,
    "",
  ].join("\n");
const convexBillingOf = (variant: "A" | "B"): string =>
  [
    `import { ${variant === "A" ? "createStripe" : "createBilling"} } from "backend-billing/convex";`,
    'import { catalogue } from "./catalogue";',
    'export const site = "https://app.example";',
    `export const { ${
      variant === "A"
        ? "stripe, store, sync, setup"
        : "billing, store, sync, portal, checkout, setup"
    } } = ${variant === "A" ? "createStripe" : "createBilling"}({ secret_key: "", webhook_secret: "", catalogue });`,
    "",
  ].join("\n");

describe("on Node", { timeout }, () => {
  it("writes the page, the routes and the function to fill in, beside what is there", async () => {
    const place = application("node", {
      "package.json": packageOf("hono", "react"),
      "src/billing.ts": billingOf("B"),
      "src/catalogue.ts": catalogue,
    });
    const told = await generated(place);
    expect(told).toMatchObject({ platform: "node", variant: "B" });
    expect(told.files).toEqual(
      written(
        "src/pricing/pricing-page.tsx",
        "src/pricing/pricing-plans.ts",
        "src/pricing/pricing-styles.ts",
        "src/pricing/use-pricing.ts",
        "src/pricing/pricing-routes.ts",
        "src/pricing/entity-for.ts",
      ),
    );
    expect(importsOf(place, "src/pricing/pricing-routes.ts")).toEqual([
      "backend-billing",
      "../billing.js",
      "../catalogue.js",
      "./entity-for.js",
      "./pricing-plans.js",
    ]);
    expect(told.next).toEqual([
      "Fill in entityFor in src/pricing/entity-for.ts: who may act for which entity.",
      expect.stringMatching(/^Mount pricingRoutes .* app\.use\("\/api\/pricing\/\*"/),
      "Render <PricingPage /> of src/pricing/pricing-page.tsx at /pricing.",
    ]);
  });

  it("refuses where a file is there, and writes nothing", async () => {
    const place = application("refused", { "pricing/pricing-page.tsx": "mine" });
    const { code, stderr } = await generate(place);
    expect(code).toBe(2);
    expect(stderr).toContain("nothing was written: pricing/pricing-page.tsx.");
    expect(readdirSync(join(place, "pricing"))).toEqual(["pricing-page.tsx"]);
    expect(textOf(place, "pricing/pricing-page.tsx")).toBe("mine");
  });

  it("with --force writes anew all but what was filled in", async () => {
    const place = application("forced", {
      "pricing/pricing-page.tsx": "old",
      "pricing/entity-for.ts": "filled in",
    });
    const { files } = await generated(place, "--force");
    expect(files.filter(({ state }) => state === "kept")).toEqual([
      { path: "pricing/entity-for.ts", state: "kept" },
    ]);
    expect(textOf(place, "pricing/entity-for.ts")).toBe("filled in");
    expect(textOf(place, "pricing/pricing-page.tsx")).toContain("export function PricingPage");
  });

  it("goes where it is told, and imports the catalogue from where that is", async () => {
    const place = application("told", { "package.json": packageOf("next", "react") });
    await generated(place, "--out", "./web/plans/", "--catalogue", "shared/plans.ts");
    expect(importsOf(place, "web/plans/pricing-plans.ts")).toContain("../../shared/plans");
    expect(textOf(place, "web/plans/pricing-page.tsx")).toMatch(/^"use client";\n/);
    await generated(place, "--out", "other", "--catalogue", "#plans");
    expect(importsOf(place, "other/pricing-plans.ts")).toContain("#plans");
  });

  it("says what is missing before the rest", async () => {
    const place = application("empty");
    const { code, stdout } = await generate(place);
    expect(code).toBe(0);
    expect(stdout).toContain("✓ pricing/pricing-page.tsx");
    expect(stdout).toContain("1. Write catalogue.ts: export const catalogue");
    expect(stdout).toContain("2. Write billing.ts: npx backend-billing init --platform node-post");
    expect(stdout).toContain("3. Give catalogue to createBilling in billing.ts.");
    expect(stdout).toContain("4. Fill in entityFor in pricing/entity-for.ts");
  });
});

describe("on Convex", { timeout }, () => {
  it("is found by the folder, and puts the functions there", async () => {
    const place = application("convex", {
      "package.json": packageOf("react"),
      "convex/stripe.ts": convexBillingOf("A"),
      "convex/catalogue.ts": catalogue,
      "src/main.tsx": "",
    });
    const told = await generated(place);
    expect(told).toMatchObject({ platform: "convex", variant: "A" });
    expect(told.files.slice(3)).toEqual(
      written("src/pricing/use-pricing.ts", "convex/pricing.ts", "convex/entityFor.ts"),
    );
    expect(importsOf(place, "convex/pricing.ts")).toEqual([
      "backend-billing/convex/local",
      "convex/values",
      "./_generated/api",
      "./_generated/server",
      "./catalogue",
      "./entityFor",
      "./stripe",
    ]);
    expect(importsOf(place, "src/pricing/use-pricing.ts")).toContain("../../convex/_generated/api");
    expect(told.next[0]).toContain("convex/entityFor.ts");
  });

  it("is left for Node where that is said", async () => {
    const place = application("both", { "package.json": packageOf("convex", "hono") });
    expect(await generated(place, "--platform", "node", "--variant", "a")).toMatchObject({
      platform: "node",
      variant: "A",
    });
  });
});

/** What tsc says of these folders; nothing if they compile. */
async function problems(name: string, options: object) {
  const paths = {
    "backend-billing": [join(library, "src/index.ts")],
    "backend-billing/convex/local": [join(library, "src/convex/local.ts")],
    "backend-billing/*": [join(library, "src/*/index.ts")],
  };
  const compilerOptions = {
    ...{ target: "ES2022", lib: ["ES2023", "DOM", "DOM.Iterable"], strict: true },
    ...{ skipLibCheck: true, noEmit: true, isolatedModules: true, jsx: "react-jsx" },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, types: ["node"] },
    ...{ noUnusedLocals: true, paths },
    ...options,
  };
  const file = join(folder, `tsconfig.${name}.json`);
  writeFileSync(file, JSON.stringify({ compilerOptions, include: [`${name}/**/*`] }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  return promisify(execFile)(process.execPath, [tsc, "-p", file], { cwd: folder }).then(
    () => "",
    (error: { stdout?: string; message: string }) => error.stdout || error.message,
  );
}

const GENERATED = join(root, "examples/convex-billing/convex/_generated");
const API = `import type { ApiFromModules, FilterApi, FunctionReference } from "convex/server";
import type * as pricing from "../pricing.js";
declare const all: ApiFromModules<{ pricing: typeof pricing }>;
export declare const api: FilterApi<typeof all, FunctionReference<any, "public">>;
export declare const internal: FilterApi<typeof all, FunctionReference<any, "internal">>;
`;

describe("what it writes compiles and is formatted", { timeout, tags: ["slow"] }, () => {
  const variants = ["A", "B"] as const;

  it("on Node", async () => {
    for (const variant of variants) {
      const place = application(`compiled-node/${variant}`, {
        "package.json": packageOf("hono"),
        "src/billing.ts": billingOf(variant),
        "src/catalogue.ts": catalogue,
      });
      expect(await generated(place)).toMatchObject({ variant });
    }
    expect(await problems("compiled-node", { module: "NodeNext" })).toBe("");
    await formatted("compiled-node");
  });

  it("on Convex, and for Next.js", async () => {
    for (const variant of variants) {
      const module = variant === "A" ? "stripe" : "billing";
      const place = application(`compiled-bundled/convex-${variant}`, {
        "package.json": packageOf("convex"),
        [`convex/${module}.ts`]: convexBillingOf(variant),
        "convex/catalogue.ts": catalogue,
        "convex/schema.ts":
          'import { billingTables } from "backend-billing/convex";\nimport { defineSchema } from "convex/server";\n\nexport default defineSchema({ ...billingTables });\n',
        "convex/_generated/api.d.ts": API,
      });
      for (const name of ["server.d.ts", "dataModel.d.ts"]) {
        cpSync(join(GENERATED, name), join(place, "convex/_generated", name));
      }
      expect(await generated(place)).toMatchObject({ variant });
      const next = application(`compiled-bundled/next-${variant}`, {
        "package.json": packageOf("next"),
        "billing.ts": billingOf(variant),
        "catalogue.ts": catalogue,
        "app/api/pricing/[name]/route.ts":
          'export { pricingRoutes as GET, pricingRoutes as POST } from "../../../../pricing/pricing-routes";\n',
      });
      expect(await generated(next)).toMatchObject({ variant });
    }
    const bundled = { module: "ESNext", moduleResolution: "Bundler" };
    expect(await problems("compiled-bundled", bundled)).toBe("");
    await formatted("compiled-bundled");
  });
});

/** Biome, by this repository's own rules, but for those that need git and for how files are named. */
async function formatted(name: string): Promise<void> {
  const {
    vcs,
    extends: _,
    files,
    overrides,
    ...rules
  } = JSON.parse(readFileSync(join(root, "biome.json"), "utf8"));
  delete rules.linter.rules.style.useFilenamingConvention;
  const includes = ["**/pricing/**", "**/convex/pricing.ts", "**/convex/entityFor.ts"];
  writeFileSync(
    join(folder, name, "biome.json"),
    JSON.stringify({
      ...rules,
      $schema: undefined,
      root: true,
      json: { formatter: { enabled: false } },
      files: { includes },
    }),
  );
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  await promisify(execFile)(process.execPath, [biome, "check", "--error-on-warnings", "."], {
    cwd: join(folder, name),
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
}
