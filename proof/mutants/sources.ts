/** The directives of the sources, and a copy of the repository in which one mutant is made. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Directive, directivesIn, mutated } from "./directives.js";

const SOURCES = "packages/backend-billing/src";

/** Every directive of the sources. Throws if one of them cannot be applied. */
export function allDirectives(root: string): readonly Directive[] {
  return readdirSync(join(root, SOURCES), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .flatMap((path) => {
      const file = join(SOURCES, path);
      return directivesIn(file, readFileSync(join(root, file), "utf8"));
    });
}

/** What git knows of the repository, and what is new in it, in a folder of its own. */
export async function copyOf(root: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "backend-billing-mutants-"));
  const { stdout } = await promisify(execFile)(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    { cwd: root, maxBuffer: 2 ** 26 },
  );
  const files = stdout.split("\0").filter((path) => path !== "");
  await Promise.all(
    files.map((path) =>
      cp(join(root, path), join(folder, path), { verbatimSymlinks: true }).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOENT") throw error; // deleted, and not committed yet
        },
      ),
    ),
  );
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Breaks the copy. */
export async function apply(folder: string, directives: readonly Directive[]): Promise<void> {
  for (const file of new Set(directives.map((each) => each.file))) {
    const path = join(folder, file);
    const own = directives.filter((each) => each.file === file);
    await writeFile(path, mutated(await readFile(path, "utf8"), own));
  }
}
