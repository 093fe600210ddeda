/** The command `generate`: code that becomes the application's own. So far, a pricing page. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Command, Option } from "commander";
import { BillingError } from "../../core/runtime/errors.js";
import { nextSteps } from "../generate/next-steps.js";
import { type PageOptions, placesFor } from "../generate/places.js";
import { type PageFile, pricingPage } from "../generate/pricing-page.js";
import { folderAt, inspectProject } from "../init/project.js";
import type { Variant } from "../init/templates.js";
import { packageRoot } from "../package-root.js";
import type { Io } from "../terminal/io.js";

interface Options extends Omit<PageOptions, "variant"> {
  readonly variant?: string;
  readonly force?: boolean;
}

export function addGenerateCommand(program: Command, io: Io): void {
  program
    .command("generate")
    .description("write code that becomes your own")
    .command("pricing-page")
    .description("write a React page of your plans, and what is behind it")
    .addOption(
      new Option("--platform <name>", "where your backend runs").choices(["node", "convex"]),
    )
    .addOption(
      new Option("--variant <letter>", "A: createStripe, B: createBilling").choices([
        ...["a", "b", "A", "B"],
      ]),
    )
    .option("--out <folder>", "where the page goes")
    .option("--catalogue <path>", "the module that exports your catalogue")
    .option("--force", "write anew what is there, all but the function that you filled in")
    .action((options: Options) => run(io, options));
}

function run(io: Io, { variant, force, ...options }: Options): void {
  const folder = folderAt(io.cwd);
  const project = inspectProject(folder);
  const places = placesFor(folder, project, {
    ...options,
    variant: variant?.toUpperCase() as Variant | undefined,
  });
  const templates = new URL("templates/pricing-page/", packageRoot);
  const files = pricingPage(project, places, (path) =>
    readFileSync(new URL(path, templates), "utf8"),
  );
  const outcomes = write(io.cwd, files, force === true);
  const next = nextSteps(folder, project, places);
  io.emit({ platform: places.platform, variant: places.variant, files: outcomes, next });
  for (const { path, state } of outcomes) {
    if (state === "written") io.print(`${io.paint("green", "✓")} ${path}`);
    else io.print(`${io.paint("dim", "·")} ${path} was left as it is`);
  }
  io.print();
  io.print(io.paint("bold", "Next:"));
  next.forEach((step, index) => {
    io.print(`  ${index + 1}. ${step}`);
  });
}

interface Outcome {
  readonly path: string;
  readonly state: "written" | "kept";
}

/** Writes all of them or, where one is there already, none. */
function write(root: string, files: readonly PageFile[], force: boolean): Outcome[] {
  const present = files.map(({ path }) => path).filter((path) => existsSync(join(root, path)));
  if (present.length > 0 && !force) {
    throw new BillingError(
      "invalid_argument",
      `These files are there already, so nothing was written: ${present.join(", ")}. Give --out for another folder, or --force to write them anew.`,
    );
  }
  return files.map(({ path, content, isFilledIn }) => {
    if (isFilledIn && present.includes(path)) return { path, state: "kept" };
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    return { path, state: "written" };
  });
}
