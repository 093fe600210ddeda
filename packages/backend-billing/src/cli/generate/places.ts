/** Where the pricing page goes in an application, and what of the application it imports. Pure. */
import { posix } from "node:path";
import type { Folder, Project } from "../init/project.js";
import type { Variant } from "../init/templates.js";

export type PagePlatform = "node" | "convex";

/** What was said on the command line; what was not is found in the folder. */
export interface PageOptions {
  readonly platform?: PagePlatform | undefined;
  readonly variant?: Variant | undefined;
  readonly out?: string | undefined;
  readonly catalogue?: string | undefined;
}

/** Paths are relative to the application, those of modules without their ending. */
export interface Places {
  readonly platform: PagePlatform;
  readonly variant: Variant;
  /** The folder of the page, without a slash at the end. */
  readonly out: string;
  /** The folder of Convex's functions, in the same way. */
  readonly functions: string;
  /** The file that exports `billing`, or `stripe` in variant A. */
  readonly billing: string;
  /** A file of the application, or a module by its name, such as `#catalogue`. */
  readonly catalogue: { readonly file: string } | { readonly name: string };
}

const FOLDERS = ["", "lib/", "server/", "billing/"];
const ENDING = /\.[cm]?[jt]sx?$/;
const ENDINGS = [".ts", ".js", ".mts", ".mjs"];

export function placesFor(folder: Folder, project: Project, options: PageOptions): Places {
  const isConvex = project.dependencies.has("convex") || folder.has(project.functions);
  const platform = options.platform ?? (isConvex ? "convex" : "node");
  const functions = folderName(project.functions);
  const around = [...new Set([project.source, "", "src/"])].flatMap((source) =>
    FOLDERS.map((each) => `${source}${each}`),
  );
  const billings =
    platform === "convex"
      ? ["billing", "stripe"].map((name) => `${functions}/${name}`)
      : around.map((place) => `${place}billing`);
  // Where `push` looks for it, too, and then elsewhere.
  const catalogues = ["billing/", `${functions}/`, "src/", "", ...around].map(
    (place) => `${place}catalogue`,
  );
  const newCatalogue = `${platform === "convex" ? `${functions}/` : project.source}catalogue`;
  const found = billings.find((path) => textOf(folder, path)?.includes("backend-billing"));
  const isA = /\bcreateStripe\(/.test(textOf(folder, found ?? "") ?? "");
  const variant = options.variant ?? (isA ? "A" : "B");
  const usual = platform === "convex" && variant === "A" ? billings[1] : billings[0];
  const known = catalogues.find((path) => textOf(folder, path) !== undefined);
  return {
    platform,
    variant,
    out: folderName(options.out ?? `${project.source}pricing`),
    functions,
    billing: found ?? usual ?? "billing",
    catalogue: given(folder, options.catalogue) ?? { file: known ?? newCatalogue },
  };
}

const folderName = (path: string): string => posix.normalize(path).replace(/\/$/, "");

/** A file, if it looks like a path or leads to one; else the name of a module. */
function given(folder: Folder, text: string | undefined): Places["catalogue"] | undefined {
  if (text === undefined) return undefined;
  const file = posix.normalize(text).replace(ENDING, "");
  const isFile = /^\.{1,2}\//.test(text) || ENDING.test(text) || textOf(folder, file) !== undefined;
  return isFile ? { file } : { name: text };
}

/** The text of a module, by its path without an ending. */
export function textOf(folder: Folder, path: string): string | undefined {
  const ending = ENDINGS.find((each) => folder.has(`${path}${each}`));
  return ending === undefined ? undefined : folder.read(`${path}${ending}`);
}
