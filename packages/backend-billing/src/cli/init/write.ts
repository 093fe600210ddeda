/** Writes the templates. A file that exists is never touched, not even one that appears meanwhile. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Folder } from "./project.js";
import type { Template } from "./templates.js";

export interface Outcome {
  readonly path: string;
  /** `kept`: it exists, and lacks the snippet. `done`: it exists, and has it. */
  readonly state: "written" | "kept" | "done";
  readonly snippet?: string;
}

export function writeTemplates(
  root: string,
  folder: Folder,
  templates: readonly Template[],
): Outcome[] {
  return templates.map(({ path, content, snippet, has }) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    try {
      writeFileSync(file, content, { flag: "wx" });
      return { path, state: "written" };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const isDone = has.test(folder.read(path) ?? "");
      return isDone ? { path, state: "done" } : { path, state: "kept", snippet };
    }
  });
}
