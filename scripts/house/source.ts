/** The files that the house is measured by, as they are in the working tree. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const LIBRARY = "packages/backend-billing/src";

export interface SourceFile {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Every file below a folder of the repository, in the order of their paths. */
export function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length).replaceAll("\\", "/"))
    .sort();
}

export const readSources = (folder: string): SourceFile[] =>
  filesIn(folder)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

/** Lines as an editor counts them. */
export const lineCount = (text: string): number => text.trimEnd().split("\n").length;
