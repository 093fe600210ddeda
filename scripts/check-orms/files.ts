/**
 * What an application has that reads by Prisma or Kysely, or has Drizzle for its own tables alone. Prisma's
 * migrations and introspection are not here: they need an engine that is downloaded from elsewhere than npm.
 */
import { pageOf } from "../quickstart/folder.js";

export interface Step {
  readonly what: string;
  readonly files: { readonly [path: string]: string };
  readonly run: readonly string[];
  /** What the output must have, and must not. */
  readonly says?: RegExp;
  readonly saysNot?: RegExp;
}

/** The only block of the page in a language. */
function blockIn(language: string): string {
  const [found, ...more] = pageOf("docs/recipes/orms.md").filter(
    (block) => block.language === language,
  );
  if (found === undefined || more.length > 0) throw new Error(`There is not one in ${language}`);
  return found.code;
}

const prismaSchema = `
generator client {
  provider   = "prisma-client"
  output     = "../generated"
  engineType = "client"
}
${blockIn("prisma")}`;

/** Prisma's engine as WebAssembly: it comes with the package, where the other one is downloaded. */
const prismaConfig = `
import { PrismaPg } from "@prisma/adapter-pg";
import { defineConfig } from "prisma/config";
export default defineConfig({
  schema: "prisma/schema.prisma",
  engine: "js",
  experimental: { adapter: true },
  adapter: async () => new PrismaPg({ connectionString: process.env.DATABASE_URL ?? "" }),
});
`;

const readByPrisma = `
import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "./generated/client.js";
const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL ?? "" });
const prisma = new PrismaClient({ adapter });
const row = await prisma.billingProduct.findFirstOrThrow({
  where: { stripe: { path: ["name"], equals: "Engine" } },
});
console.log("found", row.product_id, Number(row.last_synced_at));
await prisma.$disconnect();
`;

const readByKysely = `
import { sql } from "kysely";
import { db } from "./db.js";

const row = await db
  .selectFrom("backend_billing_products")
  .select(["product_id", "stripe", "last_synced_at"])
  .where(sql<string>\`stripe ->> 'name'\`, "=", "Engine")
  .executeTakeFirstOrThrow();
const name: string = row.stripe.name;
const at: number = row.last_synced_at;
// @ts-expect-error there is no such column
db.selectFrom("backend_billing_products").select("productId");
if (typeof at !== "number") throw new Error("It is a " + typeof at);
console.log("found", row.product_id, name, at);
await db.destroy();
`;

const tsconfig = JSON.stringify({
  compilerOptions: {
    ...{ module: "nodenext", target: "es2023", strict: true, noEmit: true, skipLibCheck: true },
    types: ["node"],
  },
  files: ["kysely.ts"],
});

const drizzleConfig = `
import { defineConfig } from "drizzle-kit";
export default defineConfig({
  dialect: "postgresql",
  schema: "./schema.ts",
  schemaFilter: ["public"],
  dbCredentials: { url: process.env.DATABASE_URL ?? "" },
});
`;

const drizzleSchema = `
import { integer, pgTable, text } from "drizzle-orm/pg-core";
export const notes = pgTable("notes", { id: integer("id").primaryKey(), body: text("body") });
`;

export const steps: readonly Step[] = [
  {
    what: "Prisma's client is generated from a model of one of our tables",
    files: { "prisma/schema.prisma": prismaSchema, "prisma.config.ts": prismaConfig },
    run: ["npx", "prisma", "generate"],
  },
  {
    what: "and reads a row",
    files: { "prisma.ts": readByPrisma },
    run: ["npx", "tsx", "prisma.ts"],
    says: /found prod_1 1/,
  },
  {
    what: "Kysely's types are those of the Drizzle schema",
    files: {
      "db.ts": blockIn("typescript"),
      "kysely.ts": readByKysely,
      "tsconfig.json": tsconfig,
    },
    run: ["npx", "tsc", "-p", "tsconfig.json"],
  },
  {
    what: "and what it reads is of these types",
    files: {},
    run: ["npx", "tsx", "kysely.ts"],
    says: /found prod_1 Engine 1/,
  },
  {
    what: "`drizzle-kit push` of an application's own tables leaves ours alone",
    files: { "schema.ts": drizzleSchema, "drizzle.config.ts": drizzleConfig },
    run: ["npx", "drizzle-kit", "push", "--verbose"],
    says: /Changes applied/,
    saysNot: /backend_billing|DROP SCHEMA/,
  },
];
