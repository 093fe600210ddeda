// Writes docs/spec.md from the catalogue that also names the tests. Run by `npm run generate`;
// test/unit/spec/catalogue.test.ts fails when the page is stale.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import {
  type Part,
  partOf,
  parts,
  type Rule,
  rules,
  sectionOf,
} from "../support/spec/catalogue.js";
import { decisions } from "../support/spec/decisions.js";
import {
  convexExceptions,
  type Exception,
  postgresExceptions,
} from "../support/spec/exceptions.js";
import { names } from "../support/spec/names.js";

const file = new URL("../docs/spec.md", import.meta.url);

export function generateSpec(): string {
  return `<!-- Generated from support/spec by \`npm run generate\`. Do not edit. -->

# The specification, rule by rule

The library was built to a specification that names neither Stripe nor a platform. This page says
what its names are here, which test shows each of its rules, and what was decided where it leaves
something open.

\`npm run test:all -- spec.test.ts\` runs all rules over real HTTP, with the real \`stripe\` package against the
[double](./stripe-double.md): on a real PostgreSQL, and on Convex's own test library in the edge runtime.

## Names

${table(
  ["in the specification", "on Node and PostgreSQL", "on Convex"],
  names.map(({ theirs, ours, convex = ours }) => [theirs, ours, convex]),
)}

## Rules

The words of a rule are the name of its test. Of ${rules.length} rules, ${rules.length - postgresExceptions.length} are shown on PostgreSQL and ${rules.length - convexExceptions.length} on Convex.

${parts.map(printPart).join("\n\n")}

## What the specification leaves open

${table(
  ["§", "open", "decided"],
  decisions.map(({ section, open, decided }) => [section, open, decided]),
)}
`;
}

function printPart(part: Part): string {
  const own = rules.filter((rule) => partOf(rule) === part);
  return `### ${part.heading}

[support/spec/${part.file}](../support/spec/${part.file})

${table(
  ["rule", "PostgreSQL", "Convex"],
  own.map((rule) => [
    printRule(rule),
    stateOf(rule, postgresExceptions),
    stateOf(rule, convexExceptions),
  ]),
)}`;
}

/** As its test is called, but with code as code. */
const printRule = (rule: Rule): string => `${sectionOf(rule)} ${rule.text}`;

function stateOf({ id }: Rule, exceptions: readonly Exception[]): string {
  const exception = exceptions.find(({ rule }) => rule === id);
  return exception === undefined ? "tested" : `does not apply: ${exception.reason}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(file, generateSpec());
}
