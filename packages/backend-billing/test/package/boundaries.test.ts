// Proves that the linter enforces the import boundaries: each forbidden line below is an error, at
// that line and for the stated reason, and each legal line is none. Runs the real Biome on a
// throw-away tree that holds a copy of the repository's configuration.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configuration } from "../../../../scripts/lint/boundaries.js";

const repository = fileURLToPath(new URL("../../../..", import.meta.url));
const biome = join(repository, "node_modules/@biomejs/biome/bin/biome");
const configured = [
  "biome.json",
  "biome.boundaries.json",
  ".gitignore",
  "package.json",
  "packages/backend-billing/package.json",
  "packages/stripe-double/package.json",
  "scripts/lint",
];

const onlyCoreAndStripe = "src/core may import only its own files and `stripe`";
const onlyCore = "src/index.ts may import only from src/core";
const onlyApi = "src/opentelemetry may import only src/core";
const noCli = "Only src/cli may import from src/cli";
const noCommandLine = "Only src/cli may import the packages of the command line";
const noTesting = "Only src/testing and src/cli may import from src/testing";
const noOwnName = "Import the file itself, not this package by its name";
const noTests = "Nothing imports from test";
const noNode = "Do not use the global variable";
const hidden = "the import boundaries do not see";
const onlyPlanJudges = "Only mirror/plan.ts judges";
const onlyCoreForMemory = "src/memory may import only src/core";
const onlyStorePlans = "Only a store's commit may plan one";
const onlyCoreForPush = "src/push may import only src/core and `stripe`";
const noPush = "Only src/testing and src/cli may import from src/push";
const onlyCoreForJobs = "src/pg-boss may import only src/core";
const anyStore = "src/node must not import PostgreSQL packages";
const noHost = "only billing.ts and index.ts put a host over the store";
const privateCommit = "Only the store on PostgreSQL may import the statements of a commit";
const onlyMutation = "Only the `store` mutation of Convex may commit";
const onlyConvexCommit = "Only a commit may write to the mirrored tables of Convex";
const below = (room: string) => `src/core/${room} may use only the rooms of the core below it`;
const writes = "Statements that write stand in src/postgres/commit";
const seen = "Snapshots are made in mirror/snapshot.ts";
/** A slot of a template, in the text of a fixture. */
const slot = ["$", "{keyOf}"].join("");
const noDouble = "Only src/testing and src/cli may import the double of Stripe";
const onItsOwn = "stripe-double is a product of its own";
const undeclared = "isn't specified in packages/";

/** Lines of one file: those that must pass, and those that must fail with the message given. */
interface Fixture {
  file: string;
  legal: string[];
  forbidden: [line: string, message: string][];
}

const fixtures: Fixture[] = [
  {
    file: "packages/backend-billing/src/core/http.ts",
    legal: [
      `import "stripe";`,
      `import type Stripe from "stripe";`,
      `import "./background.js";`,
      `import "./sync/work/work.js";`,
      `export * from "./links/return.js";`,
      `import { type Version } from "./mirror/rule.js";`,
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
      [`import { judge } from "./mirror/rule.js";`, onlyPlanJudges],
      [`import { planCommit } from "./mirror/plan.js";`, onlyStorePlans],
    ],
  },
  {
    file: "packages/backend-billing/src/core/mirror/plan.ts",
    legal: [
      `import { judge } from "./rule.js";`,
      `import "../catalogue/resources.js";`,
      `import "stripe";`,
    ],
    forbidden: [
      [`import "pg";`, onlyCoreAndStripe],
      [`import "../runtime/runtime.js";`, below("mirror")],
      [`import "../stripe/pacer.js";`, below("mirror")],
      [`import "../sync/run/run.js";`, below("mirror")],
    ],
  },
  {
    file: "packages/backend-billing/src/core/mirror/snapshot.ts",
    legal: [
      `export const snapshot = { origin: "page", lo: 1 };`,
      `import { ASK_DELAY } from "./rule.js";`,
      `import { keyOf } from "./plan.js";`,
    ],
    forbidden: [
      [`import { judge } from "./rule.js";`, onlyPlanJudges],
      [`import { ASK_DELAY as delay, judge as by } from "./rule.js";`, onlyPlanJudges],
      [`export { judge } from "./rule.js";`, onlyPlanJudges],
      [`import * as rule from "./rule.js";`, onlyPlanJudges],
      [`export * from "./rule.js";`, onlyPlanJudges],
      [`import type { Runtime } from "../runtime/runtime.js";`, below("mirror")],
      [`import "../http.js";`, below("mirror")],
    ],
  },
  {
    file: "packages/backend-billing/src/core/catalogue/resources.ts",
    legal: [`import "stripe";`, `import "./resource.js";`],
    forbidden: [
      [`import "../mirror/store.js";`, below("catalogue")],
      [`import "../links/return.js";`, below("catalogue")],
    ],
  },
  {
    file: "packages/backend-billing/src/core/customers/claim/drive.ts",
    legal: [
      `import "./claim.js";`,
      `import "../setup.js";`,
      `import "../../stripe/pacer.js";`,
      `import "../../mirror/store.js";`,
    ],
    forbidden: [
      [`import "../../events/receive.js";`, below("customers")],
      [`import "../../links/return.js";`, below("customers")],
      [`import "../../background.js";`, below("customers")],
      [`import { planCommit } from "../../mirror/plan.js";`, onlyStorePlans],
      [`import "../../../postgres/store/store.js";`, onlyCoreAndStripe],
    ],
  },
  {
    file: "packages/backend-billing/src/core/subscriptions/offers.ts",
    legal: [`import "../events/refresh.js";`, `import "../customers/setup.js";`],
    forbidden: [[`import "../links/return.js";`, below("subscriptions")]],
  },
  {
    file: "packages/backend-billing/src/core/reactions/named.ts",
    legal: [`import "../purchases/purchase.js";`, `import "../subscriptions/state.js";`],
    forbidden: [[`import "../sync/run/run.js";`, below("reactions")]],
  },
  {
    file: "packages/backend-billing/src/core/purchases/purchase.ts",
    legal: [`import "../subscriptions/reads.js";`],
    forbidden: [[`import "../reactions/named.js";`, below("purchases")]],
  },
  {
    file: "packages/backend-billing/src/core/links/sessions.ts",
    legal: [
      `import "../subscriptions/offers.js";`,
      `import "../events/refresh.js";`,
      `import "../customers/claim/drive.js";`,
      `export const isPage = (seen: { origin: string }) => seen.origin === "page";`,
    ],
    forbidden: [
      [`export const snapshot = { origin: "page", lo: 1 };`, seen],
      [`import "../sync/run/run.js";`, below("links")],
      [`import "../http.js";`, below("links")],
    ],
  },
  {
    file: "packages/backend-billing/src/core/sync/backfill.ts",
    legal: [
      `import "stripe";`,
      `import "./endpoint.js";`,
      `import "./run/run.js";`,
      `import "../events/receive.js";`,
    ],
    forbidden: [
      [`import "../links/return.js";`, below("sync")],
      [`import "../http.js";`, below("sync")],
      [`import "node:fs";`, onlyCoreAndStripe],
      [`import "pg";`, onlyCoreAndStripe],
      [`import "../../postgres/store.js";`, onlyCoreAndStripe],
      [`import "../../index.js";`, onlyCoreAndStripe],
      [`import "./../../postgres/store.js";`, onlyCoreAndStripe],
      [`import "../sync/../../postgres/store.js";`, onlyCoreAndStripe],
    ],
  },
  {
    file: "packages/backend-billing/src/core/sync/deep/page.ts",
    legal: [
      `import "stripe";`,
      `import "./a.js";`,
      `import "../backfill.js";`,
      `import "../../runtime/errors.js";`,
    ],
    forbidden: [
      [`import "../../links/return.js";`, below("sync")],
      [`import "node:fs";`, onlyCoreAndStripe],
      [`import "../../../postgres/store.js";`, onlyCoreAndStripe],
      [`import "./../../../postgres/store.js";`, onlyCoreAndStripe],
      [`import "../../sync/../../postgres/store.js";`, onlyCoreAndStripe],
    ],
  },
  {
    file: "support/postgres/database.ts",
    legal: [
      `import "vitest";`,
      `import "./server.js";`,
      `import "../../packages/backend-billing/src/core/errors.js";`,
      `import "../../packages/backend-billing/src/testing/index.js";`,
    ],
    forbidden: [
      [`import "../../packages/backend-billing/test/unit/core/mirror.test.js";`, noTests],
      [
        `export const dynamic = await import("../../packages/backend-billing/test/postgres/service/kit.js");`,
        noTests,
      ],
    ],
  },
  ...["scripts/e2e.ts", "proof/race.ts", "proof/bench/run.ts", "proof/torture/run.ts"].map(
    (file): Fixture => ({
      file,
      legal: [`import "../support/postgres/server.js";`],
      forbidden: [
        [
          `import type { App } from "../packages/backend-billing/test/postgres/service/kit.js";`,
          noTests,
        ],
      ],
    }),
  ),
  {
    file: "packages/backend-billing/src/index.ts",
    legal: [`export * from "./core/errors.js";`, `export type * from "./core/sync/backfill.js";`],
    forbidden: [
      [`export * from "./core/mirror/rule.js";`, onlyPlanJudges],
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
    file: "packages/backend-billing/src/node/host.ts",
    legal: [
      `import "node:http";`,
      `import "stripe";`,
      `import "./life.js";`,
      `import "../pg-boss/crons.js";`,
      `import "../core/errors.js";`,
    ],
    forbidden: [
      [`import "../postgres/store/store.js";`, anyStore],
      [`import "../drizzle/index.js";`, anyStore],
      [`import "pg";`, anyStore],
      [`import "../convex/store.js";`, "src/node must not import Convex"],
      [`import "convex/server";`, "src/node must not import Convex"],
      [`import "../testing/index.js";`, noTesting],
      [`import { planCommit } from "../core/mirror/plan.js";`, onlyStorePlans],
    ],
  },
  {
    file: "packages/backend-billing/src/push/apply.ts",
    legal: [
      `import type Stripe from "stripe";`,
      `import "../core/plans/names.js";`,
      `import "./plan.js";`,
    ],
    forbidden: [
      [`import "../cli/connect.js";`, onlyCoreForPush],
      [`import "../postgres/database.js";`, onlyCoreForPush],
      [`import "commander";`, onlyCoreForPush],
      [`import "../core/../cli/connect.js";`, onlyCoreForPush],
    ],
  },
  {
    file: "packages/backend-billing/src/pg-boss/crons.ts",
    legal: [`import "./queues.js";`, `import "../core/sync/backfill.js";`],
    forbidden: [
      [`import "pg-boss";`, onlyCoreForJobs],
      [`import "../node/host.js";`, onlyCoreForJobs],
      [`import "../postgres/store/store.js";`, onlyCoreForJobs],
      [`import "../core/../postgres/store/store.js";`, onlyCoreForJobs],
      [`import "../convex/store.js";`, onlyCoreForJobs],
      [`import { judge } from "../core/mirror/rule.js";`, onlyPlanJudges],
      [`import { planCommit } from "../core/mirror/plan.js";`, onlyStorePlans],
    ],
  },
  {
    file: "packages/backend-billing/src/postgres/pool-errors.ts",
    legal: [
      `import "node:crypto";`,
      `import "pg";`,
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
      [`import "../node/host.js";`, noHost],
      [`import "../push/push.js";`, noPush],
      [`import "../pg-boss/crons.js";`, noHost],
      [`import "../cli/index.js";`, noCli],
      [`import "commander";`, noCommandLine],
      [`import "@clack/prompts";`, noCommandLine],
      [`import "../testing/index.js";`, noTesting],
      [`import "stripe-double";`, noDouble],
      [`import "../../../stripe-double/src/index.js";`, noDouble],
      [`import "backend-billing";`, noOwnName],
      [`import "backend-billing/testing";`, noOwnName],
      [`export type Inline = import("../convex/store.js").Store;`, hidden],
      [`import "fast-check";`, undeclared],
    ],
  },
  {
    file: "packages/backend-billing/src/postgres/billing.ts",
    legal: [
      `import "../node/facade.js";`,
      `import "../pg-boss/crons.js";`,
      `import "./store/store.js";`,
      `import "../core/runtime/commit/commit.js";`,
      `import { keyOf } from "../core/mirror/plan.js";`,
      "export const lock = `SELECT 1 FROM t ORDER BY a FOR UPDATE OF v`;",
      `export const upsert = \`${slot} ON CONFLICT (a) DO UPDATE SET a = 1\`;`,
      "// A comment may say UPDATE products, DELETE FROM and INSERT INTO.",
      `export const words = "The table is UPDATED, never TRUNCATED";`,
    ],
    forbidden: [
      [`export const update = \`UPDATE ${slot} SET a = 1\`;`, writes],
      [`export const inside = \`WITH a AS (UPDATE ${slot} SET a = 1) SELECT 1\`;`, writes],
      [`export const insert = \`INSERT INTO ${slot} VALUES (1)\`;`, writes],
      [`export const remove = "DELETE FROM backend_billing_products";`, writes],
      [`export const empty = "TRUNCATE backend_billing_products";`, writes],
      [`export const merge = "MERGE INTO backend_billing_products USING a";`, writes],
      [`export const copy = "COPY backend_billing_products FROM STDIN";`, writes],
      [`import "./commit/write-statement.js";`, privateCommit],
      [`export * from "./commit/commit.js";`, privateCommit],
      [`import "../convex/store.js";`, "src/postgres must not import Convex"],
      [`import { planCommit } from "../core/mirror/plan.js";`, onlyStorePlans],
      [`import { judge } from "../core/mirror/rule.js";`, onlyPlanJudges],
    ],
  },
  {
    file: "packages/backend-billing/src/postgres/schema/migrations.ts",
    legal: [`import "./steps.js";`],
    forbidden: [
      [`import "../commit/sql.js";`, privateCommit],
      [`import "../../node/host.js";`, noHost],
    ],
  },
  {
    file: "packages/backend-billing/src/postgres/store/leases.ts",
    legal: [`export const write = "UPDATE backend_billing_versions SET ask_at = 1";`],
    forbidden: [[`import "../commit/commit.js";`, privateCommit]],
  },
  {
    file: "packages/backend-billing/src/postgres/usage/write/wallet.ts",
    legal: [`export const write = "UPDATE backend_billing_usage_balances SET used = 1";`],
    forbidden: [[`import "../../commit/commit.js";`, privateCommit]],
  },
  {
    file: "packages/backend-billing/src/postgres/usage/change.ts",
    legal: [`import "./write/wallet.js";`],
    forbidden: [[`export const write = "UPDATE backend_billing_products SET a = 1";`, writes]],
  },
  {
    file: "packages/backend-billing/src/postgres/store/store.ts",
    legal: [`import "../commit/commit.js";`],
    forbidden: [
      [`export const write = "UPDATE backend_billing_products SET a = 1";`, writes],
      [`import "../../node/host.js";`, noHost],
      [`import { planCommit } from "../../core/mirror/plan.js";`, onlyStorePlans],
      [`import "../../convex/store/commit.js";`, "src/postgres must not import Convex"],
    ],
  },
  {
    file: "packages/backend-billing/src/postgres/commit/plan.ts",
    legal: [
      `export const write = "UPDATE backend_billing_products SET a = 1";`,
      `import { planCommit } from "../../core/mirror/plan.js";`,
      `import "./write-statement.js";`,
      `import "../store/statement.js";`,
    ],
    forbidden: [
      [`import { judge } from "../../core/mirror/rule.js";`, onlyPlanJudges],
      [`import "../../pg-boss/crons.js";`, noHost],
      [`import "../../convex/store/commit.js";`, "src/postgres must not import Convex"],
    ],
  },
  {
    file: "packages/backend-billing/src/postgres/http/deep.ts",
    legal: [`import "../../core/errors.js";`, `import "../store.js";`],
    forbidden: [
      [`import "../../convex/store.js";`, "src/postgres must not import Convex"],
      [`import "../../testing/index.js";`, noTesting],
    ],
  },
  {
    file: "packages/backend-billing/src/convex/calls/mutation.ts",
    legal: [`import { commit } from "../store/commit.js";`],
    forbidden: [
      [`import { mirrorWriterOf } from "../tables/database.js";`, onlyConvexCommit],
      [`import { planCommit } from "../../core/mirror/plan.js";`, onlyStorePlans],
      [`import "pg";`, "src/convex must not import PostgreSQL"],
    ],
  },
  {
    file: "packages/backend-billing/src/convex/store/versions.ts",
    legal: [
      `import { versionAt } from "./commit.js";`,
      `import { mirrorOf } from "../tables/database.js";`,
    ],
    forbidden: [
      [`import { mirrorWriterOf } from "../tables/database.js";`, onlyConvexCommit],
      [`import { commit } from "./commit.js";`, onlyMutation],
      [`import { planCommit } from "../../core/mirror/plan.js";`, onlyStorePlans],
    ],
  },
  {
    file: "packages/backend-billing/src/convex/store/commit.ts",
    legal: [
      `import { planCommit } from "../../core/mirror/plan.js";`,
      `import { mirrorWriterOf } from "../tables/database.js";`,
    ],
    forbidden: [[`import { judge } from "../../core/mirror/rule.js";`, onlyPlanJudges]],
  },
  {
    file: "packages/backend-billing/src/convex/runtime.ts",
    legal: [
      `import "convex/server";`,
      `import "stripe";`,
      `import "./schema.js";`,
      `import "../core/errors.js";`,
    ],
    forbidden: [
      [`import "../node/host.js";`, "src/convex must not import src/node or src/pg-boss"],
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
    file: "packages/backend-billing/src/drizzle/index.ts",
    legal: [`import "drizzle-orm/pg-core";`, `import "../core/resources.js";`],
    forbidden: [
      [`import "../node/host.js";`, "src/drizzle must not import src/node or src/pg-boss"],
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
    file: "packages/backend-billing/src/opentelemetry/index.ts",
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
    file: "packages/stripe-double/src/billing/period.ts",
    legal: [
      `import "node:http";`,
      `import type Stripe from "stripe";`,
      `import "../world/world.js";`,
      `import "./invoices/lines.js";`,
    ],
    forbidden: [
      [`import "backend-billing";`, onItsOwn],
      [`import "backend-billing/testing";`, onItsOwn],
      [`import "../../../backend-billing/src/core/catalogue/plain.js";`, onItsOwn],
      [`import "stripe-double";`, noOwnName],
      [`import "vitest";`, undeclared],
    ],
  },
  {
    file: "packages/stripe-double/src/engine.ts",
    legal: [`import "./world/clock.js";`],
    forbidden: [[`import "../../backend-billing/src/core/catalogue/plain.js";`, onItsOwn]],
  },
  {
    file: "packages/stripe-double/src/billing/invoices/lines.ts",
    legal: [`import "../../world/world.js";`],
    forbidden: [[`import "../../../../../src/core/catalogue/plain.js";`, onItsOwn]],
  },
  {
    file: "packages/backend-billing/src/testing/server.ts",
    legal: [
      `import "node:http";`,
      `import "stripe";`,
      `import "../core/errors.js";`,
      `import "../testing/clock.js";`,
      `import "stripe-double";`,
    ],
    forbidden: [
      [`import { planCommit } from "../core/mirror/plan.js";`, onlyStorePlans],
      [`import "../cli/index.js";`, noCli],
      [`import "commander";`, noCommandLine],
      [`import "@clack/prompts";`, noCommandLine],
      [`import "backend-billing";`, noOwnName],
      [`import "backend-billing/testing";`, noOwnName],
      [`import "vitest";`, undeclared],
    ],
  },
  {
    file: "packages/backend-billing/src/memory/store.ts",
    legal: [`import { planCommit } from "../core/mirror/plan.js";`],
    forbidden: [
      [`import { judge } from "../core/mirror/rule.js";`, onlyPlanJudges],
      [`import "../testing/random.js";`, onlyCoreForMemory],
      [`import "node:crypto";`, onlyCoreForMemory],
    ],
  },
  {
    file: "packages/backend-billing/src/anything-else/noun.ts",
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
    file: "packages/backend-billing/src/cli/index.ts",
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
      [`import "../postgres/commit/commit.js";`, privateCommit],
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
  for (const path of configured) {
    cpSync(join(repository, path), join(tree, path), { recursive: true });
  }
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), `${lines.join("\n")}\n`);
  }
  return tree;
}

function lint(tree: string, ...options: string[]) {
  return spawnSync(process.execPath, [biome, "lint", "--max-diagnostics=none", ...options, "."], {
    cwd: tree,
    encoding: "utf8",
  });
}

interface Diagnostic {
  severity: string;
  message: string;
  location: { path: string; start: { line: number } };
}

it("biome.boundaries.json is what `npm run generate` writes", () => {
  expect(readFileSync(join(repository, "biome.boundaries.json"), "utf8")).toBe(configuration());
});

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
    expect(
      lint(plant({ "packages/backend-billing/src/core/http.ts": [`import "node:fs";`] })).status,
    ).toBe(1);
  });
});
