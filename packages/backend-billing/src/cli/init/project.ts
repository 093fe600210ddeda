/** What kind of application a folder holds, from its package.json and the files that are there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Server = "next" | "hono" | "express" | "fastify" | "node";

export interface Project {
  /** As package.json has it. */
  readonly name: string | undefined;
  readonly dependencies: ReadonlySet<string>;
  readonly server: Server;
  readonly typescript: boolean;
  /** How a module's name ends: `ts`, or what Node takes for a module here. */
  readonly extension: "ts" | "js" | "mjs";
  /** `src/` where the application keeps its code there, otherwise nothing. */
  readonly source: string;
  /** Whether modules are imported by the ending of their source, `.ts`. */
  readonly importsSource: boolean;
  /** The folder of Convex's functions, with a slash at the end. */
  readonly functions: string;
  /** Whether this version of Convex generates `env`. */
  readonly convexEnv: boolean;
  /** The file that drizzle-kit reads, if the application uses Drizzle. */
  readonly drizzleSchema: string | undefined;
  /** Whether drizzle-kit has a file that tells it what to read. */
  readonly drizzleConfig: boolean;
  readonly install: string;
}

/** What is asked of a folder; paths are relative to it. */
export interface Folder {
  has(path: string): boolean;
  /** Undefined if there is no such file. */
  read(path: string): string | undefined;
  /** The names in a folder; none if there is no such folder. */
  list(path: string): readonly string[];
}

export function folderAt(root: string): Folder {
  return {
    has: (path) => existsSync(join(root, path)),
    read: (path) => {
      const file = join(root, path);
      return existsSync(file) ? readFileSync(file, "utf8") : undefined;
    },
    list: (path) => {
      const place = join(root, path);
      return existsSync(place) ? readdirSync(place) : [];
    },
  };
}

interface PackageFile {
  readonly name?: unknown;
  readonly type?: string;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
}
type Versions = { readonly [name: string]: string };

const SERVERS = ["next", "hono", "express", "fastify"] as const;
const CONFIGS = ["drizzle.config.ts", "drizzle.config.js", "drizzle.config.mjs"];
/** Where schemas usually are, below the source folder. */
const SCHEMAS = ["db/schema", "schema", "db/schema/index", "drizzle/schema", "server/db/schema"];
const INSTALLS: readonly (readonly [lockfile: string, command: string])[] = [
  ["pnpm-lock.yaml", "pnpm add"],
  ["yarn.lock", "yarn add"],
  ["bun.lock", "bun add"],
  ["bun.lockb", "bun add"],
];

export function inspectProject(folder: Folder): Project {
  const file = parsed(folder.read("package.json"));
  const versions: Versions = { ...file.devDependencies, ...file.dependencies };
  const dependencies = new Set(Object.keys(versions));
  const empty = !folder.has("package.json");
  const typescript = dependencies.has("typescript") || hasTypeScript(folder) || empty;
  const server = SERVERS.find((name) => dependencies.has(name)) ?? "node";
  const isModule = file.type === "module" || server === "next"; // which knows no other ending
  const extension = typescript ? "ts" : isModule ? "js" : "mjs";
  const source = folder.has("src") ? "src/" : "";
  return {
    name: typeof file.name === "string" ? file.name : undefined,
    dependencies,
    server,
    typescript,
    extension,
    source,
    importsSource:
      typescript &&
      /"(allowImportingTsExtensions|rewriteRelativeImportExtensions)"\s*:\s*true/.test(
        folder.read("tsconfig.json") ?? "",
      ),
    functions: functionsOf(folder),
    convexEnv: !isBefore(versions.convex, 1, 39),
    drizzleSchema: dependencies.has("drizzle-orm")
      ? schemaOf(folder, source, extension)
      : undefined,
    drizzleConfig: CONFIGS.some((name) => folder.has(name)),
    install: INSTALLS.find(([lockfile]) => folder.has(lockfile))?.[1] ?? "npm install",
  };
}

/** Code that a runner such as tsx, Bun or Node itself takes without the compiler's package. */
const hasTypeScript = (folder: Folder): boolean =>
  folder.has("tsconfig.json") ||
  ["", "src", "server", "app"].some((place) =>
    folder.list(place).some((name) => /\.[cm]?tsx?$/.test(name)),
  );

/** An unreadable file counts as empty: the tool that needs it reports the problem. */
function parsed(text: string | undefined): PackageFile & { readonly functions?: unknown } {
  try {
    return Object(JSON.parse(text ?? "{}")) as PackageFile;
  } catch {
    return {};
  }
}

/** Whether a range such as ^1.32.0 begins before a version. What names no numbers is the latest. */
function isBefore(range: string | undefined, major: number, minor: number): boolean {
  const found = /(\d+)\.(\d+)/.exec(range ?? "");
  if (found === null) return false;
  const [first, second] = [Number(found[1]), Number(found[2])];
  return first < major || (first === major && second < minor);
}

function functionsOf(folder: Folder): string {
  const { functions } = parsed(folder.read("convex.json"));
  return typeof functions === "string" ? `${plain(functions)}/` : "convex/";
}

const plain = (path: string): string => path.replace(/^\.\//, "").replace(/\/+$/, "");

function schemaOf(folder: Folder, source: string, extension: string): string {
  const config = CONFIGS.map((name) => folder.read(name)).find((text) => text !== undefined);
  const named = /\bschema\s*:\s*(?:\[\s*)?["'`]([^"'`*]+\.[cm]?[jt]s)["'`]/.exec(config ?? "")?.[1];
  if (named !== undefined) return plain(named);
  const places = [source, "", "src/"].flatMap((before) => SCHEMAS.map((name) => before + name));
  const found = places.map((path) => `${path}.${extension}`).find((path) => folder.has(path));
  return found ?? `${source}schema.${extension}`;
}
