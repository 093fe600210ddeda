// Proves that the linter enforces the import boundaries: each forbidden line below is an error, at
// that line and for the stated reason, and each legal line is none. Runs the real Biome on a
// throw-away tree that holds a copy of the repository's configuration.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const repository = fileURLToPath(new URL("..", import.meta.url));
const biome = join(repository, "node_modules/@biomejs/biome/bin/biome");
const configuration = ["biome.json", ".gitignore", "package.json", "scripts/lint"];

const onlyCoreAndStripe = "src/core may import only its own files and `stripe`";
const onlyCore = "src/index.ts may import only from src/core";
const onlyApi = "src/opentelemetry may import only src/core";
const noCli = "Only src/cli may import from src/cli";
const noCommandLine = "Only src/cli may import the packages of the command line";
const noTesting = "Only src/testing and src/cli may import from src/testing";
const noOwnName = "Import the file itself, not this package by its name";
const noNode = "Do not use the global variable";
const hidden = "the import boundaries do not see";
const undeclared = "isn't specified in package.json";

/** Lines of one file: those that must pass, and those that must fail with the message given. */
interface Fixture {
  file: string;
  legal: string[];
  forbidden: [line: string, message: string][];
}

const fixtures: Fixture[] = [
  {
    file: "src/core/mirror.ts",
    legal: [
      `import "stripe";`,
      `import type Stripe from "stripe";`,
      `import "./errors.js";`,
      `import "./sync/backfill.js";`,
      `export * from "./store.js";`,
      `export const later = await import("./late.js");`,
    ],
    forbidden: [
      [`import "node:crypto";`, onlyCoreAndStripe],
      [`import "node:fs/promises";`, onlyCoreAndStripe],
      [`import "fs";`, onlyCoreAndStripe],
      [`import "fs/promises";`, onlyCoreAndStripe],
      [`import "commander";`, onlyCoreAndStripe],
      [`import "pg";`, onlyCoreAndStripe],
      [`import "pg-boss";`, onlyCoreAndStripe],
      [`import "drizzle-orm";`, onlyCoreAndStripe],
      [`import "drizzle-orm/pg-core";`, onlyCoreAndStripe],
      [`import "convex/server";`, onlyCoreAndStripe],
      [`import "@scope/package";`, onlyCoreAndStripe],
      [`import "stripe/esm/stripe.esm.node.js";`, onlyCoreAndStripe],
      [`import "backend-billing/postgres";`, onlyCoreAndStripe],
      [`import "#internal";`, onlyCoreAndStripe],
      [`import "../postgres/store.js";`, onlyCoreAndStripe],
      [`import "../convex/store.js";`, onlyCoreAndStripe],
      [`import "../drizzle/index.js";`, onlyCoreAndStripe],
      [`import "../cli/index.js";`, onlyCoreAndStripe],
      [`import "../testing/index.js";`, onlyCoreAndStripe],
      [`import "../index.js";`, onlyCoreAndStripe],
      [`import "./../postgres/store.js";`, onlyCoreAndStripe],
      [`import "./sync/../../postgres/store.js";`, onlyCoreAndStripe],
      [`import type { Pool } from "pg";`, onlyCoreAndStripe],
      [`export * from "pg";`, onlyCoreAndStripe],
      [`export type { PoolClient } from "pg";`, onlyCoreAndStripe],
      [`export const dynamic = await import("pg");`, onlyCoreAndStripe],
      [`import client = require("pg");`, onlyCoreAndStripe],
      ["export const template = await import(`pg`);", hidden],
      [`export const computed = await import(["p", "g"].join(""));`, hidden],
      [`export type Inline = import("pg").Pool;`, hidden],
      [`export const required = require("pg");`, "Use ESM imports instead of require"],
      [`export const bytes = Buffer.from("a");`, noNode],
      [`export const home = process.cwd();`, noNode],
    ],
  },
  {
    file: "src/core/sync/backfill.ts",
    legal: [
      `import "stripe";`,
      `import "./endpoint.js";`,
      `import "../errors.js";`,
      `import "../other/noun.js";`,
    ],
    forbidden: [
      [`import "node:fs";`, onlyCoreAndStripe],
      [`import "pg";`, onlyCoreAndStripe],
      [`import "../../postgres/store.js";`, onlyCoreAndStripe],
      [`import "../../index.js";`, onlyCoreAndStripe],
      [`import "./../../postgres/store.js";`, onlyCoreAndStripe],
      [`import "../sync/../../postgres/store.js";`, onlyCoreAndStripe],
    ],
  },
  {
    file: "src/core/sync/deep/page.ts",
    legal: [
      `import "stripe";`,
      `import "./a.js";`,
      `import "../backfill.js";`,
      `import "../../errors.js";`,
    ],
    forbidden: [
      [`import "node:fs";`, onlyCoreAndStripe],
      [`import "../../../postgres/store.js";`, onlyCoreAndStripe],
      [`import "./../../../postgres/store.js";`, onlyCoreAndStripe],
      [`import "../../sync/../../postgres/store.js";`, onlyCoreAndStripe],
    ],
  },
  {
    file: "src/core/sync/deep/deeper/page.ts",
    legal: [`import "stripe";`, `import "../../backfill.js";`],
    forbidden: [[`import "../../../../postgres/store.js";`, onlyCoreAndStripe]],
  },
  {
    file: "src/index.ts",
    legal: [`export * from "./core/errors.js";`, `export type * from "./core/sync/backfill.js";`],
    forbidden: [
      [`export * from "./postgres/index.js";`, onlyCore],
      [`export * from "./convex/index.js";`, onlyCore],
      [`export * from "./drizzle/index.js";`, onlyCore],
      [`export * from "./testing/index.js";`, onlyCore],
      [`export * from "./cli/index.js";`, onlyCore],
      [`export * from "./core/../postgres/index.js";`, onlyCore],
      [`import "stripe";`, onlyCore],
      [`import "node:fs";`, onlyCore],
    ],
  },
  {
    file: "src/postgres/store.ts",
    legal: [
      `import "node:crypto";`,
      `import "pg";`,
      `import "pg-boss";`,
      `import "stripe";`,
      `import "./schema.js";`,
      `import "../core/errors.js";`,
      `import "../core/sync/backfill.js";`,
    ],
    forbidden: [
      [`import "../convex/store.js";`, "src/postgres must not import Convex"],
      [`import "../core/../convex/store.js";`, "src/postgres must not import Convex"],
      [`import "convex";`, "src/postgres must not import Convex"],
      [`import "convex/server";`, "src/postgres must not import Convex"],
      [`import type { GenericId } from "convex/values";`, "src/postgres must not import Convex"],
      [`import "../cli/index.js";`, noCli],
      [`import "commander";`, noCommandLine],
      [`import "@clack/prompts";`, noCommandLine],
      [`import "../testing/index.js";`, noTesting],
      [`import "backend-billing";`, noOwnName],
      [`import "backend-billing/testing";`, noOwnName],
      [`export type Inline = import("../convex/store.js").Store;`, hidden],
      [`import "fast-check";`, undeclared],
    ],
  },
  {
    file: "src/postgres/http/deep.ts",
    legal: [`import "../../core/errors.js";`, `import "../store.js";`],
    forbidden: [
      [`import "../../convex/store.js";`, "src/postgres must not import Convex"],
      [`import "../../testing/index.js";`, noTesting],
    ],
  },
  {
    file: "src/convex/store.ts",
    legal: [
      `import "convex/server";`,
      `import "stripe";`,
      `import "./schema.js";`,
      `import "../core/errors.js";`,
    ],
    forbidden: [
      [`import "../postgres/store.js";`, "src/convex must not import PostgreSQL"],
      [`import "../drizzle/index.js";`, "src/convex must not import PostgreSQL"],
      [`import "pg/lib/defaults";`, "src/convex must not import PostgreSQL"],
      [`import "pg-boss/drivers";`, "src/convex must not import PostgreSQL"],
      [`import "drizzle-orm";`, "src/convex must not import PostgreSQL"],
      [`import "pg";`, "src/convex must not import PostgreSQL"],
      [`import "pg-boss";`, "src/convex must not import PostgreSQL"],
      [`import "drizzle-orm/pg-core";`, "src/convex must not import PostgreSQL"],
      [`import "../cli/index.js";`, noCli],
      [`import "commander";`, noCommandLine],
      [`import "@clack/prompts";`, noCommandLine],
      [`import "../testing/index.js";`, noTesting],
      [`import "backend-billing";`, noOwnName],
      [`import "backend-billing/testing";`, noOwnName],
    ],
  },
  {
    file: "src/drizzle/index.ts",
    legal: [`import "drizzle-orm/pg-core";`, `import "../core/resources.js";`],
    forbidden: [
      [`import "../convex/store.js";`, "src/drizzle must not import Convex"],
      [`import "convex";`, "src/drizzle must not import Convex"],
      [`import "convex/server";`, "src/drizzle must not import Convex"],
      [`import "../cli/index.js";`, noCli],
      [`import "commander";`, noCommandLine],
      [`import "@clack/prompts";`, noCommandLine],
      [`import "../testing/index.js";`, noTesting],
      [`import "backend-billing";`, noOwnName],
      [`import "backend-billing/testing";`, noOwnName],
    ],
  },
  {
    file: "src/opentelemetry/index.ts",
    legal: [
      `import "@opentelemetry/api";`,
      `import "./telemetry.js";`,
      `import "../core/telemetry.js";`,
    ],
    forbidden: [
      [`import "../postgres/store.js";`, onlyApi],
      [`import "../convex/store.js";`, onlyApi],
      [`import "../testing/index.js";`, onlyApi],
      [`import "../cli/index.js";`, onlyApi],
      [`import "../core/../postgres/store.js";`, onlyApi],
      [`import "./../postgres/store.js";`, onlyApi],
      [`import "@opentelemetry/sdk-metrics";`, onlyApi],
      [`import "@opentelemetry/api/experimental";`, onlyApi],
      [`import "stripe";`, onlyApi],
      [`import "pg";`, onlyApi],
      [`import "node:perf_hooks";`, onlyApi],
      [`import "backend-billing";`, onlyApi],
    ],
  },
  {
    file: "src/testing/server.ts",
    legal: [
      `import "node:http";`,
      `import "stripe";`,
      `import "../core/errors.js";`,
      `import "../testing/clock.js";`,
    ],
    forbidden: [
      [`import "../cli/index.js";`, noCli],
      [`import "commander";`, noCommandLine],
      [`import "@clack/prompts";`, noCommandLine],
      [`import "backend-billing";`, noOwnName],
      [`import "backend-billing/testing";`, noOwnName],
      [`import "vitest";`, undeclared],
    ],
  },
  {
    file: "src/anything-else/noun.ts",
    legal: [`import "node:http";`, `import "../core/errors.js";`],
    forbidden: [
      [`import "../cli/index.js";`, noCli],
      [`import "commander";`, noCommandLine],
      [`import "@clack/prompts";`, noCommandLine],
      [`import "../testing/index.js";`, noTesting],
      [`import "backend-billing";`, noOwnName],
      [`import "backend-billing/testing";`, noOwnName],
    ],
  },
  {
    file: "src/cli/index.ts",
    legal: [
      `import "node:util";`,
      `import "commander";`,
      `import "@clack/prompts";`,
      `import "./emulator.js";`,
      `import "../core/errors.js";`,
      `import "../postgres/index.js";`,
      `import "../testing/index.js";`,
      `export const config = await import(process.argv[2] ?? "");`,
    ],
    forbidden: [
      [`import "backend-billing";`, noOwnName],
      [`import "backend-billing/testing";`, noOwnName],
      [`import "tsx";`, undeclared],
    ],
  },
];

const trees: string[] = [];
afterAll(() => {
  for (const tree of trees) rmSync(tree, { recursive: true, force: true });
});

function plant(files: Record<string, string[]>): string {
  const tree = mkdtempSync(join(tmpdir(), "backend-billing-lint-"));
  trees.push(tree);
  for (const path of configuration) {
    cpSync(join(repository, path), join(tree, path), { recursive: true });
  }
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), `${lines.join("\n")}\n`);
  }
  return tree;
}

function lint(tree: string, ...options: string[]) {
  return spawnSync(process.execPath, [biome, "lint", "--max-diagnostics=none", ...options, "src"], {
    cwd: tree,
    encoding: "utf8",
  });
}

interface Diagnostic {
  severity: string;
  message: string;
  location: { path: string; start: { line: number } };
}

describe("the linter", () => {
  const errors = new Map<string, string[]>();
  const at = (file: string, line: number) => errors.get(`${file}:${line}`) ?? [];

  beforeAll(() => {
    const tree = plant(
      Object.fromEntries(
        fixtures.map(({ file, legal, forbidden }) => [
          file,
          [...legal, ...forbidden.map(([line]) => line)],
        ]),
      ),
    );
    const report = JSON.parse(lint(tree, "--reporter=json").stdout) as {
      diagnostics: Diagnostic[];
    };
    for (const { severity, message, location } of report.diagnostics) {
      if (severity !== "error") continue;
      const key = `${location.path}:${location.start.line}`;
      errors.set(key, [...(errors.get(key) ?? []), message]);
    }
  });

  for (const { file, legal, forbidden } of fixtures) {
    describe(`in ${file}`, () => {
      it.each(legal.map((line, index) => [line, index + 1] as const))("accepts %s", (_, number) => {
        expect(at(file, number)).toEqual([]);
      });

      it.each(
        forbidden.map(
          ([line, message], index) => [line, message, legal.length + index + 1] as const,
        ),
      )("refuses %s", (_, message, number) => {
        expect(at(file, number)).toContainEqual(expect.stringContaining(message));
      });
    });
  }

  it("exits with zero when every import is legal", () => {
    const tree = plant(Object.fromEntries(fixtures.map(({ file, legal }) => [file, legal])));
    const { status, stdout, stderr } = lint(tree);
    expect(status, stdout + stderr).toBe(0);
  });

  it("exits with an error for one forbidden import", () => {
    expect(lint(plant({ "src/core/mirror.ts": [`import "node:fs";`] })).status).toBe(1);
  });
});
