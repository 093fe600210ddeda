/** What Convex's bundler made of an application: its modules, their sizes, and what loads what. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";

export interface Built {
  /** As modules name one another: `_deps/ABC.js`. */
  readonly path: string;
  /** The runtime that it goes to. */
  readonly environment: string;
  readonly source: string;
  /** The files that it is made of, and how many bytes each has in it. */
  readonly parts: readonly { readonly file: string; readonly bytes: number }[];
}

export type Bundle = readonly Built[];

/** Reads what `--debug-bundle-path` wrote: a folder for each runtime. */
export function readBundle(folder: string): Bundle {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: environment }) =>
      readdirSync(join(folder, environment), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".js"))
        .map((file) => {
          const source = readFileSync(join(folder, environment, file), "utf8");
          const path = file.split(sep).join("/");
          return { path, environment, source, parts: partsOf(path, source) };
        }),
    );
}

/**
 * The bundler writes the name of each file above what it took from it. The name is not counted: its
 * length depends on the folder in which the examples are built.
 */
function partsOf(path: string, source: string): Built["parts"] {
  const [head = "", ...rest] = source.split(/^\/\/ (?=[\w./@-]+\.[cm]?[jt]sx?$)/m);
  const named = rest.map((text) => ({ file: text.split("\n", 1)[0] ?? "", text }));
  const parts = named.map(({ file, text }) => ({
    file,
    bytes: Buffer.byteLength(text) - Buffer.byteLength(file),
  }));
  return [{ file: path, bytes: Buffer.byteLength(head) }, ...parts];
}

export const isOf = (name: string, file: string): boolean => file.includes(`node_modules/${name}/`);

export const sizeOf = (bundle: Bundle, ofPackage?: string): number =>
  bundle
    .flatMap(({ parts }) => parts)
    .filter(({ file }) => ofPackage === undefined || isOf(ofPackage, file))
    .reduce((sum, { bytes }) => sum + bytes, 0);

/** The modules that a module imports, by their paths. */
function importsOf({ path, source }: Built): string[] {
  const imports = source.matchAll(/^(?:\} from|import) "(\.{1,2}\/[^"]+)";$/gm);
  return [...imports].map(([, name = ""]) => posix.join(posix.dirname(path), name));
}

/** What loading a module loads in all. */
export function loadedBy(bundle: Bundle, path: string): Bundle {
  const loaded = new Set([path]);
  for (const each of loaded) {
    const built = bundle.find((one) => one.path === each);
    for (const name of built === undefined ? [] : importsOf(built)) loaded.add(name);
  }
  return bundle.filter((one) => loaded.has(one.path));
}
