/** Ways to break an example, and the gate that must notice, with words from what it must say. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { App } from "./app.js";

interface Proof {
  readonly gate: "codegen" | "types" | "lint" | "bundle" | "page";
  readonly what: string;
  readonly example: string;
  readonly damage: (app: App) => void;
  readonly says: RegExp;
}

/** Replaces a text in a file of the copy; one that is not there would prove nothing. */
function replace(file: string, text: string, by: string) {
  return ({ folder }: App): void => {
    const path = join(folder, file.includes("/") ? file : `convex/${file}`);
    const before = readFileSync(path, "utf8");
    if (!before.includes(text)) throw new Error(`${path} does not have ${text}`);
    writeFileSync(path, before.replace(text, by));
  };
}

const put = (file: string, text: string) => replace(file, "import", `${text}\nimport`);
const add =
  (file: string, text: string) =>
  ({ folder }: App): void =>
    writeFileSync(join(folder, "convex", file), text);

export const proofs: readonly Proof[] = [
  {
    gate: "codegen",
    what: "a type error",
    example: "convex-billing",
    damage: put("plans.ts", `export const wrong: number = "text";`),
    says: /TS2322/,
  },
  {
    gate: "codegen",
    what: "a compiler that does not run",
    example: "convex-billing",
    damage: ({ folder }) => rmSync(join(folder, "convex/tsconfig.json")),
    says: /skipping typecheck/,
  },
  {
    gate: "codegen",
    what: "generated code that is stale",
    example: "convex-billing",
    damage: add("extra.ts", "export {};\n"),
    says: /stale/,
  },
  {
    gate: "types",
    what: "exports that became any",
    example: "convex-billing",
    damage: replace("billing.ts", "createBilling({", "(createBilling as any)({"),
    says: /types\.ts/,
  },
  {
    gate: "types",
    what: "exports that became any, in variant A",
    example: "convex",
    damage: replace("stripe.ts", "createStripe({", "(createStripe as any)({"),
    says: /types\.ts/,
  },
  {
    gate: "types",
    what: "an environment variable that is not declared",
    example: "convex-billing",
    damage: replace("convex.config.ts", "SITE_URL: v.optional(v.string()),", ""),
    says: /billing\.ts.*SITE_URL/,
  },
  {
    gate: "types",
    what: "type tests that are not compiled",
    example: "convex-billing",
    damage: ({ folder }) => rmSync(join(folder, "test/types.ts")),
    says: /No type tests/,
  },
  {
    gate: "lint",
    what: "a function without validators",
    example: "convex-billing",
    damage: replace("plans.ts", "args: {},", ""),
    says: /require-args-validator/,
  },
  {
    gate: "bundle",
    what: "a module of Node",
    example: "convex-billing",
    damage: put("plans.ts", `import { readFileSync } from "node:fs";\nreadFileSync("x");`),
    says: /node:fs/,
  },
  {
    gate: "bundle",
    what: "a global of Node",
    example: "convex-billing",
    damage: put("plans.ts", `export const bytes = Buffer.from("text");`),
    says: /Buffer is not defined/,
  },
  {
    gate: "bundle",
    what: "a function in the Node runtime",
    example: "convex-billing",
    damage: put("shop.ts", `"use node";`),
    says: /shop\.js does not run in the default runtime/,
  },
  {
    gate: "bundle",
    what: "a secret that is needed to load",
    example: "convex",
    damage: put("stripe.ts", `if (!process.env.STRIPE_SECRET_KEY) throw new Error("no secret");`),
    says: /no secret/,
  },
  {
    gate: "bundle",
    what: "a cron job for a function that is not there",
    example: "convex-billing",
    damage: replace("billing.ts", "return_origins", `module: "money",\n  return_origins`),
    says: /money:sync, which is not exported/,
  },
  {
    gate: "bundle",
    what: "a bundle that grew",
    example: "convex-billing",
    damage: add("large.ts", `export const large = "${"x".repeat(500_000)}";\n`),
    says: /more than/,
  },
  {
    gate: "bundle",
    what: "queries that load stripe",
    example: "convex-billing",
    damage: replace("plans.ts", "backend-billing/convex/local", "backend-billing/convex"),
    says: /plans\.js loads stripe/,
  },
  {
    gate: "bundle",
    what: "tables that load stripe",
    example: "convex-billing",
    damage: add("only_tables.ts", `export { billingTables } from "backend-billing/convex";\n`),
    says: /only_tables\.js loads stripe/,
  },
  {
    gate: "types",
    what: "a page that asks for what no function answers",
    example: "convex",
    damage: replace("page/app.tsx", "{ ...asking, key }", "asking"),
    says: /page\/app\.tsx.*TS2345/,
  },
  {
    gate: "page",
    what: "an import that is not there",
    example: "convex",
    damage: replace("page/app.tsx", "../../ui/pages.tsx", "../../ui/page.tsx"),
    says: /ui\/page\.tsx/,
  },
];
