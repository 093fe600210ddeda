// Writes the double's table of what Stripe's API takes, from the `stripe` packages installed here:
// every route with the names of its parameters. Run by `npm run generate`;
// packages/stripe-double/test/stripe-parameters.test.ts fails when the table is stale.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const FILE = path("packages/stripe-double/src/api/stripe-parameters.ts");
/** Two API versions: what the older one takes is known too, for applications that pin it. */
const PACKAGES = ["stripe", "stripe-22"];

/** What a route or a parameter takes by name; `*` stands for names of the caller's choice. */
interface Names {
  [name: string]: Names | Plain;
}

/** A value without names inside: text, a number, true or false. */
type Plain = "" | "#" | "?";

export function generateStripeParameters(): string {
  const routes = new Map<string, Names>();
  for (const name of PACKAGES) {
    for (const [signature, names] of routesOf(path(`node_modules/${name}/esm/resources`))) {
      routes.set(signature, merge(routes.get(signature) ?? {}, names));
    }
  }
  const groups: string[] = [];
  const numbers = new Map<string, number>();
  const number = (names: Names): string => {
    const text = Object.entries(names)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) =>
        typeof inner === "string" ? name + inner : `${name}:${number(inner)}`,
      )
      .join(" ");
    const known = numbers.get(text) ?? groups.push(text) - 1;
    numbers.set(text, known);
    return known.toString(36);
  };
  const lines = [...routes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([signature, names]) => `${signature} ${number(names)}`);
  const versions = PACKAGES.map((name) => {
    const { version } = JSON.parse(readFileSync(path(`node_modules/${name}/package.json`), "utf8"));
    return `stripe ${version}`;
  });
  return `/**
 * Every route of Stripe's API with the names of its parameters. Generated from the types of
 * ${versions.join(" and ")} by scripts/generate-stripe-parameters.ts. Do not edit.
 */

/** A line for each route: its method, its path, and the number of its group, to the base 36. */
export const ROUTES = \`
${lines.join("\n")}\`;

/**
 * A line for each group: names, each with the number of the group inside it. \`#\` marks a number,
 * \`?\` true or false, and \`*\` stands for any name.
 */
export const GROUPS = \`
${groups.join("\n")}\`;
`;
}

/** The routes of one version of the package, by signature. */
function routesOf(folder: string): Map<string, Names> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".d.ts"))
    .map((file) => join(folder, file));
  const program = ts.createProgram(files, { noLib: true, types: [], skipLibCheck: true });
  const checker = program.getTypeChecker();
  const found = new Map<string, Names>();
  for (const file of files) {
    const calls = callsOf(readFileSync(file.replace(/\.d\.ts$/, ".js"), "utf8"));
    if (calls.size === 0) continue;
    for (const method of methodsOf(program.getSourceFile(file) as ts.SourceFile)) {
      for (const signature of calls.get(keyOf(method)) ?? []) {
        const names = signature.includes(" /v1/") ? parametersOf(checker, method) : {};
        found.set(signature, merge(found.get(signature) ?? {}, names));
      }
    }
  }
  return found;
}

function parametersOf(checker: ts.TypeChecker, method: ts.MethodDeclaration): Names {
  const params = method.parameters.find(({ name }) => name.getText() === "params");
  const names = params && namesOf(checker, checker.getTypeAtLocation(params), []);
  return typeof names === "object" ? names : {};
}

const keyOf = (method: ts.MethodDeclaration): string =>
  `${(method.parent as ts.ClassDeclaration).name?.text}.${method.name.getText()}`;

function methodsOf(source: ts.SourceFile): ts.MethodDeclaration[] {
  return source.statements
    .filter(ts.isClassDeclaration)
    .flatMap((each) => each.members.filter(ts.isMethodDeclaration));
}

/** The signatures that each method of a resource's code requests: \`Class.method\` to its routes. */
function callsOf(code: string): Map<string, string[]> {
  const source = ts.createSourceFile("resource.js", code, ts.ScriptTarget.Latest, true);
  const calls = new Map<string, string[]>();
  for (const method of methodsOf(source)) {
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && node.expression.getText().endsWith("._makeRequest")) {
        const [verb, address] = node.arguments;
        const text = address?.getText().slice(1, -1) ?? "";
        if (verb !== undefined && ts.isStringLiteral(verb) && text.startsWith("/")) {
          const signature = `${verb.text} ${text.replace(/\$\{[^}]*\}/g, ":id")}`;
          calls.set(keyOf(method), [...(calls.get(keyOf(method)) ?? []), signature]);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(method);
  }
  return calls;
}

/** The names in a type of parameters, or what plain value it holds. */
function namesOf(checker: ts.TypeChecker, type: ts.Type, above: readonly ts.Type[]): Names | Plain {
  const parts = type.isUnion() ? type.types : [type];
  let names: Names | Plain = plainOf(parts);
  for (const part of parts) {
    if (!(part.flags & ts.TypeFlags.Object) || above.includes(part)) continue;
    const inner: Names | Plain =
      part.getSymbol()?.name === "Array"
        ? namesOf(checker, elementOf(checker, part), above)
        : groupOf(checker, part, [...above, part]);
    names = typeof inner === "string" || typeof names === "string" ? inner : merge(names, inner);
  }
  return names;
}

function plainOf(types: readonly ts.Type[]): Plain {
  const has = (flags: ts.TypeFlags) => types.some((type) => type.flags & flags);
  if (has(ts.TypeFlags.String)) return "";
  if (has(ts.TypeFlags.NumberLike)) return "#";
  return has(ts.TypeFlags.BooleanLike) ? "?" : "";
}

function elementOf(checker: ts.TypeChecker, type: ts.Type): ts.Type {
  return checker.getTypeArguments(type as ts.TypeReference)[0] ?? type;
}

function groupOf(checker: ts.TypeChecker, type: ts.Type, above: readonly ts.Type[]): Names {
  const names: Names = {};
  for (const property of type.getProperties()) {
    names[property.name] = namesOf(checker, checker.getTypeOfSymbol(property), above);
  }
  const any = checker.getIndexInfosOfType(type)[0];
  if (any !== undefined) names["*"] = namesOf(checker, any.type, above);
  return names;
}

function merge(left: Names, right: Names): Names {
  const merged: Names = { ...left };
  for (const [name, names] of Object.entries(right)) {
    const known = merged[name];
    merged[name] =
      typeof known === "object" && typeof names === "object" ? merge(known, names) : names;
  }
  return merged;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(FILE, generateStripeParameters());
}
