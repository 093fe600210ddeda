// Writes src/drizzle/{objects,define,tables}.ts from the tables on PostgreSQL. Run by `npm run generate`;
// test/postgres/drizzle.test.ts fails when the files are stale.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  defaultResources,
  type ResourceName,
  resourceNames,
} from "../packages/backend-billing/src/core/catalogue/catalogue.js";
import { resources } from "../packages/backend-billing/src/core/catalogue/resources.js";
import { ROLES_POLICY } from "../packages/backend-billing/src/postgres/schema/access.js";
import { primaryKeyName } from "../packages/backend-billing/src/postgres/schema/ddl.js";
import { DEFAULT_SCHEMA } from "../packages/backend-billing/src/postgres/schema/schema.js";
import type {
  Table,
  TableColumn,
  TableIndex,
} from "../packages/backend-billing/src/postgres/schema/table.js";
import { tablesFor } from "../packages/backend-billing/src/postgres/schema/tables.js";

const banner =
  "// Generated from src/postgres/schema/tables.ts by `npm run generate`. Do not edit.\n";

const root = new URL("../", import.meta.url);

/** The generated files, by their path from the root of the repository. */
export function generateDrizzle(): ReadonlyMap<string, string> {
  const tables = tablesFor(resourceNames);
  const files: [path: string, text: string][] = [
    ["packages/backend-billing/src/drizzle/objects.ts", objectsFile()],
    ["packages/backend-billing/src/drizzle/define.ts", defineFile(tables)],
    ["packages/backend-billing/src/drizzle/tables.ts", tablesFile(tablesFor(defaultResources))],
  ];
  return new Map(files.map(([path, text]) => [path, formatted(path, text)]));
}

/** As the formatter would leave it, so that linting a generated file never makes it stale. */
function formatted(path: string, input: string): string {
  const biome = fileURLToPath(new URL("node_modules/@biomejs/biome/bin/biome", root));
  const args = [biome, "format", `--stdin-file-path=${path}`];
  return execFileSync(process.execPath, args, { cwd: root, input, encoding: "utf8" });
}

const camel = (name: string): string =>
  name.replace(/[._]([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** `backend_billing_promotion_codes` is exported as `billingPromotionCodes`. */
const exportName = ({ name }: Table): string => camel(name.replace(/^backend_/, ""));

/** The type of a promotion code in the column `stripe` is `StripePromotionCode`. */
const objectName = (resource: ResourceName): string =>
  camel(`Stripe_${resources[resource].object}`);

function defineFile(tables: readonly Table[]): string {
  const pgCore = [
    "bigint",
    "boolean",
    "index",
    "jsonb",
    "type PgTableFn",
    "pgPolicy",
    "primaryKey",
    "text",
  ];
  return `${banner}
import { sql } from "drizzle-orm";
import {
${[...pgCore, "uniqueIndex", "uuid"].map((name) => `  ${name},\n`).join("")}} from "drizzle-orm/pg-core";
import type {
${resourceNames
  .map((name) => `  ${objectName(name)},\n`)
  .sort(new Intl.Collator("en").compare)
  .join("")}} from "./objects.js";

/** The policy that shows the roles every row. Without one, only the owner of the tables sees any. */
const openTo = (roles: readonly string[]) =>
  roles.length === 0
    ? []
    : [
        pgPolicy("${ROLES_POLICY}", {
          for: "all",
          to: [...roles],
          using: sql\`true\`,
          withCheck: sql\`true\`,
        }),
      ];

/** All tables, made by \`pgTable\` or by the \`table\` of a \`pgSchema\`. */
export const defineTables = <S extends string | undefined>(
  table: PgTableFn<S>,
  roles: readonly string[] = [],
) => ({
${tables.map(printTable).join("\n")}});
`;
}

function objectsFile(): string {
  return `${banner}
// Interfaces, not aliases: a declaration file names them, where it would spell an alias out with
// all that Stripe's types hold, frozen at the version that this package was built with.
import type { StripeObject } from "../core/catalogue/catalogue.js";

${resourceNames.map(printObject).join("\n")}`;
}

const printObject = (resource: ResourceName): string =>
  `/** What the column \`stripe\` of \`${resources[resource].table}\` holds. */
export interface ${objectName(resource)} extends StripeObject<"${resource}"> {}
`;

function tablesFile(tables: readonly Table[]): string {
  return `${banner}
import { pgSchema } from "drizzle-orm/pg-core";
import { defineTables } from "./define.js";

/** The schema \`${DEFAULT_SCHEMA}\`, which drizzle-kit creates. */
export const billingSchema = pgSchema("${DEFAULT_SCHEMA}");

export const {
${tables.map((table) => `  /** The table \`${table.name}\`. */\n  ${exportName(table)},\n`).join("")}} = defineTables(billingSchema.table);
`;
}

function printTable(table: Table): string {
  const columns = table.columns.map((column) => `      ${printColumn(table, column)},\n`).join("");
  const extras = [
    ...compositeKey(table),
    ...table.indexes.map((index) => printIndex(table, index)),
  ];
  return `  ${exportName(table)}: table(
    "${table.name}",
    {
${columns}    },
    (t) => [
${extras.map((line) => `      ${line},\n`).join("")}      ...openTo(roles),
    ],
  ).enableRLS(),
`;
}

function printColumn(table: Table, column: TableColumn): string {
  const { field, name, type, nullable } = column;
  const options = type === "bigint" ? ', { mode: "number" }' : "";
  const calls = [
    type === "jsonb" && field === "stripe" && `.$type<${objectName(resourceOf(table))}>()`,
    table.primaryKey.length === 1 && table.primaryKey[0] === name && ".primaryKey()",
    column.default && `.default(sql\`${column.default}\`)`,
    !nullable && ".notNull()",
  ];
  return `${field}: ${type}("${name}"${options})${calls.filter(Boolean).join("")}`;
}

function resourceOf(table: Table): ResourceName {
  const found = resourceNames.find((name) => resources[name].table === table.name);
  if (!found) throw new Error(`${table.name} has a column "stripe" but belongs to no resource.`);
  return found;
}

/** Drizzle would name the constraint after its columns. */
function compositeKey(table: Table): string[] {
  if (table.primaryKey.length === 1) return [];
  const columns = table.primaryKey.map((name) => member(table, name)).join(", ");
  return [`primaryKey({ name: "${primaryKeyName(table)}", columns: [${columns}] })`];
}

function printIndex(table: Table, { name, on, unique, where }: TableIndex): string {
  const key =
    "expression" in on
      ? `sql\`${on.expression}\``
      : on.map((column) => member(table, column)).join(", ");
  const condition = where ? `.where(sql\`${where}\`)` : "";
  return `${unique ? "uniqueIndex" : "index"}("${name}").on(${key})${condition}`;
}

function member(table: Table, name: string): string {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (!column) throw new Error(`${table.name} has no column ${name}.`);
  return `t.${column.field}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const [path, text] of generateDrizzle()) {
    writeFileSync(new URL(path, root), text);
  }
}
