/** Which file imports which, and the circles among them. Imports of types count too. */
import { posix } from "node:path";
import ts from "typescript";
import type { SourceFile } from "./source.js";

/** A file, and the files that it imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

export function importGraph(files: readonly SourceFile[]): ImportGraph {
  const known = new Set(files.map(({ path }) => path));
  return new Map(
    files.map(({ path, text }) => {
      const targets = ts
        .preProcessFile(text, true, true)
        .importedFiles.map(({ fileName }) => fileName)
        .filter((name) => name.startsWith("."))
        .map((name) => posix.join(posix.dirname(path), name).replace(/\.js$/, ".ts"))
        .filter((target) => known.has(target));
      return [path, [...new Set(targets)].sort()];
    }),
  );
}

/**
 * The groups of files that reach each other, by Tarjan's algorithm, each in the order of its paths.
 * A file that imports itself is a group of one.
 */
export function circles(graph: ImportGraph): string[][] {
  const found: string[][] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): number => {
    const own = index.size;
    index.set(file, own);
    stack.push(file);
    let lowest = own;
    for (const target of graph.get(file) ?? []) {
      if (!index.has(target)) lowest = Math.min(lowest, visit(target));
      else if (stack.includes(target)) lowest = Math.min(lowest, index.get(target) ?? own);
    }
    low.set(file, lowest);
    if (lowest === own) {
      const group = stack.splice(stack.indexOf(file));
      if (group.length > 1 || graph.get(file)?.includes(file)) found.push(group.sort());
    }
    return lowest;
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return found.sort((a, b) => (a[0] ?? "").localeCompare(b[0] ?? ""));
}
