// `init` in folders as people have them: what it writes compiles, and what is there is left alone,
// byte for byte.
import { execFile, spawnSync } from "node:child_process";
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
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nextSteps } from "../../src/cli/init/next-steps.js";
import { folderAt, inspectProject } from "../../src/cli/init/project.js";
import { templatesFor, type Variant } from "../../src/cli/init/templates.js";
import { writeTemplates } from "../../src/cli/init/write.js";
import { runCommand } from "./command.js";

const root = resolve(import.meta.dirname, "../../../..");
const timeout = 240_000;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "init-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An application of these files, in a folder of its own. */
function application(name: string, files: { readonly [path: string]: string } = {}): string {
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

function filesIn(place: string): { readonly [path: string]: string } {
  const all = readdirSync(place, { recursive: true, withFileTypes: true });
  const paths = all
    .filter((entry) => entry.isFile())
    .map((each) => join(each.parentPath, each.name));
  return Object.fromEntries(
    paths.map((path) => [path.slice(place.length + 1), readFileSync(path, "latin1")]),
  );
}

const DRIZZLE_TABLE =
  'import { pgTable, text } from "drizzle-orm/pg-core";\nexport const users = pgTable("users", { id: text().primaryKey() });\n';

interface Told {
  readonly platform: string;
  readonly variant: string;
  readonly server: string;
  readonly files: readonly { path: string; state: string; snippet?: string }[];
  readonly next: readonly string[];
}

async function init(cwd: string, ...args: readonly string[]): Promise<Told> {
  const { code, stdout, stderr } = await runCommand(["init", ...args, "--json"], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Told;
}

/** What tsc says of these folders; nothing if they compile. */
async function problems(name: string, include: readonly string[], options: object) {
  const paths = {
    "backend-billing": [join(root, "packages/backend-billing/src/index.ts")],
    "backend-billing/*": [join(root, "packages/backend-billing/src/*/index.ts")],
  };
  const compilerOptions = {
    ...{ target: "ES2022", lib: ["ES2023", "DOM", "DOM.Iterable"], strict: true },
    ...{ skipLibCheck: true, noEmit: true, isolatedModules: true },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    paths,
    ...options,
  };
  const file = join(folder, `tsconfig.${name}.json`);
  writeFileSync(file, JSON.stringify({ compilerOptions, include }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  return promisify(execFile)(process.execPath, [tsc, "-p", file], { cwd: folder }).then(
    () => "",
    (error: { stdout?: string; message: string }) => error.stdout || error.message,
  );
}

const variants = ["A", "B"] as const;

describe("Node and PostgreSQL", { timeout }, () => {
  const drizzleApp = {
    "package.json": packageOf("drizzle-orm", "pg", "hono", "pg-boss"),
    "drizzle.config.ts":
      'import { defineConfig } from "drizzle-kit";\nexport default defineConfig({ dialect: "postgresql", schema: "./src/db/schema.ts" });\n',
    "src/db/schema.ts":
      '// caf\u00e9\r\nimport { pgTable, text } from "drizzle-orm/pg-core";\r\nexport const users = pgTable("users", { id: text().primaryKey() });\r\n',
    ".env.example": "PORT=3000",
  };

  it("in an empty folder writes a server, and twice changes nothing", async () => {
    const place = application("node-empty");
    const told = await init(place, "--platform", "node-postgres", "--variant", "B");
    expect(told).toMatchObject({ platform: "node-postgres", variant: "B", server: "node" });
    expect(told.files).toEqual([
      { path: "catalogue.ts", state: "written" },
      { path: "billing.ts", state: "written" },
      { path: "billing-server.ts", state: "written" },
      { path: ".env.example", state: "written" },
    ]);
    expect(told.next).toEqual([
      "npm install backend-billing stripe pg && npm install -D @types/node @types/pg",
      "npx backend-billing migrate",
      "npx backend-billing push --apply",
      "npx backend-billing sync --webhook --portal --url https://app.example",
      "STRIPE_WEBHOOK_SECRET=whsec_…   (in your environment, as sync printed it)",
      "npx backend-billing doctor --url https://app.example",
    ]);
    const before = filesIn(place);
    const again = await init(place, "--yes");
    expect(again.files.map(({ state }) => state)).toEqual(Array(4).fill("done"));
    expect(filesIn(place)).toEqual(before);
  });

  it("in a Drizzle application leaves every file as it is, and says what to add", async () => {
    const place = application("node-drizzle", drizzleApp);
    const before = filesIn(place);
    const told = await init(place, "--yes", "--variant", "A");
    expect(told).toMatchObject({ platform: "node-postgres", server: "hono" });
    expect(told.files).toEqual([
      { path: "src/catalogue.ts", state: "written" },
      { path: "src/billing.ts", state: "written" },
      { path: "src/billing-routes.ts", state: "written" },
      { path: "src/billing-jobs.ts", state: "written" },
      {
        path: "src/db/schema.ts",
        state: "kept",
        snippet: 'export * from "backend-billing/drizzle";\n',
      },
      {
        path: ".env.example",
        state: "kept",
        snippet: expect.stringContaining("STRIPE_SECRET_KEY="),
      },
    ]);
    expect(told.next[1]).toBe("npx drizzle-kit generate && npx drizzle-kit migrate");
    expect(filesIn(place)).toMatchObject(before);
  });

  it("in a Drizzle application without drizzle-kit's file writes it, and drizzle-kit reads it", async () => {
    const place = application("node-drizzle-new", {
      "package.json": packageOf("drizzle-orm", "pg", "hono"),
    });
    const told = await init(place, "--yes");
    expect(told.files).toContainEqual({ path: "drizzle.config.ts", state: "written" });
    expect(readFileSync(join(place, "drizzle.config.ts"), "utf8")).toContain(
      'schemaFilter: ["public", "billing"]',
    );
    expect(told.next[0]).toContain("-D @types/node @types/pg drizzle-kit");
    const kit = join(root, "node_modules/drizzle-kit/bin.cjs");
    mkdirSync(join(place, "node_modules"), { recursive: true });
    writeFileSync(join(place, "schema.ts"), DRIZZLE_TABLE);
    const { stdout } = await promisify(execFile)(process.execPath, [kit, "generate"], {
      cwd: place,
    });
    expect(stdout).toContain("drizzle/0000_");
  });

  it("imports a module as the application does", () => {
    const place = application("node-source-imports", {
      "package.json": packageOf("hono"),
      "tsconfig.json": '{"compilerOptions": {"allowImportingTsExtensions": true}}',
    });
    const here = folderAt(place);
    const files = templatesFor(inspectProject(here), "node-postgres", "B");
    const routes = files.find(({ path }) => path === "billing-routes.ts");
    expect(routes?.content).toContain('from "./billing.ts"');
  });

  it("what it writes compiles, for every server and variant", { tags: ["slow"] }, async () => {
    for (const variant of variants) {
      for (const server of ["hono", "express", "fastify", "node"])
        serverApp("node", server, variant);
      const place = application(`node/drizzle-${variant}`, drizzleApp);
      const here = folderAt(place);
      const templates = templatesFor(inspectProject(here), "node-postgres", variant);
      for (const { path, state, snippet } of writeTemplates(place, here, templates)) {
        // As a person does who follows the advice.
        if (state === "kept") writeFileSync(join(place, path), `${here.read(path)}\n${snippet}`);
      }
    }
    const options = { module: "NodeNext", types: ["node"] };
    expect(await problems("node", ["node/**/*"], options)).toBe("");
  });
});

/** An application of one server, with jobs, and with what `init` writes into it. */
function serverApp(group: string, server: string, variant: Variant): void {
  const place = application(`${group}/${server}-${variant}`, {
    "package.json": packageOf(server, "pg-boss"),
    "src/.keep": "",
  });
  const here = folderAt(place);
  const project = inspectProject(here);
  expect(project).toMatchObject({ server, typescript: true, source: "src/" });
  writeTemplates(place, here, templatesFor(project, "node-postgres", variant));
}

describe("Convex", { timeout }, () => {
  it("in an empty folder writes the functions, and twice changes nothing", async () => {
    const place = application("convex-empty");
    const told = await init(place, "--platform", "convex", "--variant", "A");
    expect(told.files).toEqual(
      ["catalogue", "stripe", "convex.config", "schema", "http", "crons"].map((name) => ({
        path: `convex/${name}.ts`,
        state: "written",
      })),
    );
    expect(told.next).toEqual([
      "npm install backend-billing stripe convex && npx convex dev --once",
      "npx convex env set STRIPE_SECRET_KEY sk_test_…",
      "STRIPE_SECRET_KEY=sk_test_… npx backend-billing push --apply   (makes the plans of the catalogue at Stripe)",
      `npx convex run stripe:sync '{"webhook": true, "portal": true}'`,
      "npx convex env set STRIPE_WEBHOOK_SECRET whsec_…   (the `webhook.secret` that sync answered)",
    ]);
    const before = filesIn(place);
    const again = await init(place, "--yes", "--variant", "A");
    expect(again).toMatchObject({ platform: "convex" }); // by the folder that is there now
    expect(again.files.every(({ state }) => state === "done")).toBe(true);
    expect(filesIn(place)).toEqual(before);
  });

  it("in an application leaves its schema and routes alone, and says what to add", async () => {
    const place = application("convex-app", {
      "package.json": packageOf("convex"),
      "convex/schema.ts":
        'import { defineSchema } from "convex/server";\n\nexport default defineSchema({});\n',
      "convex/http.ts":
        'import { httpRouter } from "convex/server";\n\nconst http = httpRouter();\nexport default http;\n',
    });
    const before = filesIn(place);
    const told = await init(place, "--yes");
    expect(told).toMatchObject({ platform: "convex", variant: "B" });
    expect(told.files).toMatchObject(
      [
        { path: "convex/catalogue.ts", state: "written" },
        { path: "convex/billing.ts", state: "written" },
        { path: "convex/convex.config.ts", state: "written" },
        { path: "convex/schema.ts", state: "kept", snippet: /\.\.\.billingTables/ },
        { path: "convex/http.ts", state: "kept", snippet: /billing\.addHttpRoutes\(http\)/ },
        { path: "convex/crons.ts", state: "written" },
      ].map(({ snippet, ...each }) =>
        snippet ? { ...each, snippet: expect.stringMatching(snippet) } : each,
      ),
    );
    expect(filesIn(place)).toMatchObject(before);
  });

  // Next.js too, which resolves modules in the same way.
  it("what it writes compiles, for both variants and for a Convex without `env`", {
    tags: ["slow"],
  }, async () => {
    for (const variant of variants) {
      serverApp("bundled", "next", variant);
      for (const version of ["1.48.0", "1.32.0"]) {
        const place = application(`bundled/convex-${variant}-${version}`, {
          "package.json": JSON.stringify({ dependencies: { convex: version } }),
          "tsconfig.json": "{}",
        });
        const here = folderAt(place);
        writeTemplates(place, here, templatesFor(inspectProject(here), "convex", variant));
        expect(here.has("convex/convex.config.ts")).toBe(version === "1.48.0");
        // What Convex generates, over the schema that was written.
        const generated = join(root, "examples/convex/convex/_generated");
        for (const name of ["server.d.ts", "dataModel.d.ts"]) {
          cpSync(join(generated, name), join(place, "convex/_generated", name));
        }
      }
    }
    const options = { module: "ESNext", moduleResolution: "Bundler", types: ["node"] };
    expect(await problems("bundled", ["bundled/**/*"], options)).toBe("");
  });
});

describe("without a terminal", { timeout }, () => {
  it("asks for the choices as options, and writes nothing", async () => {
    const place = application("unasked");
    const { code, stderr } = await runCommand(["init"], { cwd: place });
    expect(code).toBe(2);
    expect(stderr).toContain("--platform node-postgres or convex");
    expect(filesIn(place)).toEqual({});
  });
});

describe("in JavaScript", { timeout }, () => {
  it.each(["hono", "express", "fastify", "next", "node"])(
    "%s gets modules without types",
    (server) => {
      const dependencies = { [server]: "*", "pg-boss": "*" };
      const place = application(`js/${server}`, {
        "package.json": JSON.stringify({ dependencies }),
      });
      const here = folderAt(place);
      const project = inspectProject(here);
      expect(project.extension).toBe(server === "next" ? "js" : "mjs");
      const written = writeTemplates(place, here, templatesFor(project, "node-postgres", "B"));
      const modules = written
        .map(({ path }) => path)
        .filter((path) => path.endsWith(`.${project.extension}`));
      expect(modules).toHaveLength(4);
      for (const path of modules) {
        const { status, stderr } = spawnSync(process.execPath, ["--check", join(place, path)]);
        expect({ path, status, stderr: String(stderr) }).toEqual({ path, status: 0, stderr: "" });
        for (const [, named = ""] of here.read(path)?.matchAll(/from "(\.[^"]*)"/g) ?? []) {
          expect(here.has(join(dirname(path), named)), `${path}: ${named}`).toBe(true);
        }
      }
    },
  );
});

describe("an application is known by its files", () => {
  const project = (files: { readonly [path: string]: string }) =>
    inspectProject({
      has: (path) => path in files,
      read: (path) => files[path],
      list: (path) =>
        Object.keys(files).flatMap((file) => {
          const at = dirname(file) === "." ? "" : dirname(file);
          return at === path ? [basename(file)] : [];
        }),
    });
  it.each([
    ["nothing", {}, { server: "node", extension: "ts", source: "", install: "npm install" }],
    ["JavaScript modules", { "package.json": '{"type":"module"}' }, { extension: "js" }],
    ["JavaScript", { "package.json": "{}" }, { extension: "mjs", typescript: false }],
    [
      "TypeScript that is run without its compiler",
      { "package.json": '{"type":"module"}', src: "", "src/server.ts": "" },
      { extension: "ts", typescript: true, importsSource: false },
    ],
    [
      "imports by the ending of the source",
      {
        "package.json": '{"type":"module"}',
        "tsconfig.json": '{"compilerOptions": {"allowImportingTsExtensions": true}}',
      },
      { extension: "ts", importsSource: true },
    ],
    ["a src folder", { "package.json": "{}", src: "" }, { source: "src/" }],
    ["pnpm", { "pnpm-lock.yaml": "" }, { install: "pnpm add" }],
    [
      "Next.js beside express",
      { "package.json": packageOf("express", "next") },
      { server: "next" },
    ],
    [
      "Convex elsewhere",
      { "convex.json": '{"functions":"./backend/"}' },
      { functions: "backend/" },
    ],
    ["a package.json that is none", { "package.json": "{" }, { server: "node" }],
    [
      "a Drizzle schema where it usually is",
      { "package.json": packageOf("drizzle-orm"), src: "", "src/db/schema.ts": "" },
      { drizzleSchema: "src/db/schema.ts" },
    ],
    [
      "Drizzle without a schema yet",
      { "package.json": packageOf("drizzle-orm") },
      { drizzleSchema: "schema.ts" },
    ],
  ])("%s", (_, files, expected) => {
    expect(project(files as { [path: string]: string })).toMatchObject(expected);
  });

  it("that has everything is told to migrate, sync and look", () => {
    const all = packageOf("backend-billing", "stripe", "pg", "@types/node", "@types/pg");
    expect(nextSteps(project({ "package.json": all }), "node-postgres", "B")).toEqual([
      "npx backend-billing migrate",
      "npx backend-billing push --apply",
      "npx backend-billing sync --webhook --portal --url https://app.example",
      "STRIPE_WEBHOOK_SECRET=whsec_…   (in your environment, as sync printed it)",
      "npx backend-billing doctor --url https://app.example",
    ]);
  });
});
