/** Finds and loads the application's catalogue, in TypeScript or JavaScript. */
import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { Command } from "commander";
import type { AnyCatalogue } from "../../core/plans/catalogue.js";
import { BillingError } from "../../core/runtime/errors.js";
import type { Io } from "../terminal/io.js";

const FOLDERS = ["billing/", "convex/", "src/", ""];

/** Where a catalogue is looked for, in this order. */
const PLACES = FOLDERS.flatMap((folder) =>
  ["ts", "js", "mjs"].map((ending) => `${folder}catalogue.${ending}`),
);

/** The option of commands that need the plans in code. */
export const withCatalogueOption = (command: Command): Command =>
  command.option(
    "--catalogue <path>",
    "the file (default: catalogue.ts in billing, convex, src or here, the first there is)",
  );

export interface LoadedCatalogue {
  /** Relative to where the command runs. */
  readonly path: string;
  readonly catalogue: AnyCatalogue;
}

/** The catalogue where there is one; what can not be loaded is told, unless it was named. */
export async function catalogueIfAny(
  io: Pick<Io, "cwd" | "warn">,
  given: string | undefined,
): Promise<AnyCatalogue | undefined> {
  if (given === undefined && !PLACES.some((each) => existsSync(resolve(io.cwd, each)))) {
    return undefined;
  }
  try {
    return (await loadCatalogue(io.cwd, given)).catalogue;
  } catch (error) {
    if (given !== undefined || !(error instanceof BillingError)) throw error;
    io.warn(`${error.message} What needs it is left out.`);
    return undefined;
  }
}

export async function loadCatalogue(
  cwd: string,
  given: string | undefined,
): Promise<LoadedCatalogue> {
  const file = resolve(cwd, given ?? PLACES.find((each) => existsSync(resolve(cwd, each))) ?? "");
  if (file === resolve(cwd) || !existsSync(file)) {
    throw new BillingError(
      "invalid_argument",
      given === undefined
        ? `There is no catalogue here: ${PLACES.filter((place) => place.endsWith("ts")).join(", ")} were looked for. Say where it is: --catalogue path/to/file.ts`
        : `There is no file ${given}.`,
    );
  }
  const path = relative(cwd, file);
  const exported = await load(file, path);
  const found = [exported.catalogue, exported.default].find(isCatalogue);
  if (found !== undefined) return { path, catalogue: found };
  throw new BillingError(
    "invalid_argument",
    `${path} exports no catalogue. Write: export const catalogue = defineCatalogue({ … });`,
  );
}

async function load(file: string, path: string): Promise<{ readonly [name: string]: unknown }> {
  // Loaded here only, because nothing else needs it: it compiles TypeScript on any version of Node.
  const { createJiti } = await import("jiti");
  const jiti = createJiti(file, { fsCache: false, moduleCache: false, tsconfigPaths: true });
  try {
    return await jiti.import(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BillingError("invalid_config", `${path} cannot be loaded. ${reason}`, {
      cause: error,
    });
  }
}

/** It is another copy of the library that made it, so only its shape can be looked at. */
function isCatalogue(value: unknown): value is AnyCatalogue {
  if (typeof value !== "object" || value === null) return false;
  const names = ["app", "features", "plans", "packs", "access"];
  return names.every((name) => name in value);
}
