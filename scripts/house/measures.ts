/** The sizes that the house is kept to. A bound may change, in a commit that says why. */
import { execFileSync } from "node:child_process";
import { posix } from "node:path";
import { filesOfAnEvent } from "./event.js";
import { circles, importGraph } from "./imports.js";
import { MOST_PACKED_KB, packed } from "./packed.js";
import { filesIn, LIBRARY, lineCount, readSources, root, type SourceFile } from "./source.js";
import { oldWords } from "./words.js";

export interface Measure {
  readonly name: string;
  readonly value: number;
  /** The largest value that is good. */
  readonly bound: number;
  readonly unit?: string;
  /** What makes up the value, a line each. */
  readonly list: readonly string[];
}

const MOST_FILES = 12;
const DOUBLE = "packages/stripe-double/src";
const MOST_STORE_LINES = 299;
const MEMORY_STORE = new RegExp(`^${LIBRARY}/memory/`);
const CONVEX_STORE = new RegExp(`^${LIBRARY}/convex/store/`);

/** Folders with too many files of their own; those of their subfolders are not theirs. */
export function crowdedFolders(paths: readonly string[], most = MOST_FILES): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > most)
    .sort(([, a], [, b]) => b - a)
    .map(([folder, count]) => `${folder}: ${count} files`);
}

/** The lines of a store, by the files that are its own. */
function storeLines(name: string, sources: readonly SourceFile[], paths: RegExp): Measure {
  const files = sources
    .filter(({ path }) => paths.test(path))
    .map(({ path, text }) => ({ path, lines: lineCount(text) }));
  if (files.length === 0) throw new Error(`No file of the ${name} store is at ${paths}`);
  return {
    name: `lines of the ${name} store`,
    value: files.reduce((sum, { lines }) => sum + lines, 0),
    bound: MOST_STORE_LINES,
    list: files.map(({ path, lines }) => `${path}: ${lines} lines`),
  };
}

function packedSize(): Measure {
  const options = { cwd: root, shell: process.platform === "win32" } as const;
  execFileSync("npm", ["run", "build"], { ...options, stdio: ["ignore", "ignore", "inherit"] });
  const { kB, files } = packed();
  const largest = [...files].sort((a, b) => b.size - a.size).slice(0, 20);
  return {
    name: "packed size",
    value: kB,
    bound: MOST_PACKED_KB,
    unit: "kB",
    list: largest.map(({ path, size }) => `${path}: ${Math.ceil(size / 1000)} kB unpacked`),
  };
}

export async function measureHouse(options: { readonly packed: boolean }): Promise<Measure[]> {
  const sources = readSources(LIBRARY);
  const double = readSources(DOUBLE);
  const event = await filesOfAnEvent();
  const crowded = crowdedFolders([LIBRARY, "support", DOUBLE].flatMap(filesIn));
  const words = sources.flatMap(oldWords);
  const rings = [sources, double].flatMap((files) => circles(importGraph(files)));
  return [
    { name: "files an event passes", value: event.length, bound: 14, list: event },
    {
      name: `flat folders with more than ${MOST_FILES} files`,
      value: crowded.length,
      bound: 0,
      list: crowded,
    },
    storeLines("memory", sources, MEMORY_STORE),
    storeLines("Convex", sources, CONVEX_STORE),
    {
      name: "words of the old vocabulary in src",
      value: words.length,
      bound: 0,
      list: words.map(({ path, line, word }) => `${path}:${line} ${word}`),
    },
    {
      name: "circles of imports",
      value: rings.length,
      bound: 0,
      list: rings.map((ring) => `${ring.length} files: ${ring.join(", ")}`),
    },
    ...(options.packed ? [packedSize()] : []),
  ];
}
