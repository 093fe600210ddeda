/** The command `init`: the few files that an application needs, fitted to what it uses already. */
import { type Command, Option } from "commander";
import { BillingError } from "../../core/runtime/errors.js";
import type { PlatformName } from "../doctor/commands.js";
import { askChoices, askWhetherToWrite, type Choices } from "../init/ask.js";
import { nextSteps } from "../init/next-steps.js";
import { folderAt, inspectProject, type Project } from "../init/project.js";
import { templatesFor, type Variant } from "../init/templates.js";
import { type Outcome, writeTemplates } from "../init/write.js";
import { EXIT, type Io } from "../terminal/io.js";

interface Options {
  readonly platform?: PlatformName;
  readonly variant?: Variant;
  readonly yes?: boolean;
}

export function addInitCommand(program: Command, io: Io): void {
  program
    .command("init")
    .description("write the files that connect your application; never overwrites one")
    .addOption(
      new Option("--platform <name>", "where your backend runs").choices([
        "node-postgres",
        "convex",
      ]),
    )
    .addOption(
      new Option("--variant <letter>", "A: createStripe, B: createBilling").choices(["A", "B"]),
    )
    .option("--yes", "ask nothing; what is not said is chosen by what is found here")
    .action((options: Options) => run(io, options));
}

async function run(io: Io, options: Options): Promise<void> {
  const folder = folderAt(io.cwd);
  const project = inspectProject(folder);
  const isConvex = project.dependencies.has("convex") || folder.has(project.functions);
  const likely: Choices = { platform: isConvex ? "convex" : "node-postgres", variant: "B" };
  const asks = io.isInteractive && !options.yes;
  const choices = asks ? await askChoices(options, likely) : unasked(options, likely);
  if (choices === undefined) return stopped(io);
  const { platform, variant } = choices;
  const templates = templatesFor(project, platform, variant);
  const absent = templates.map(({ path }) => path).filter((path) => !folder.has(path));
  if (asks && absent.length > 0 && !(await askWhetherToWrite(absent))) return stopped(io);
  const files = writeTemplates(io.cwd, folder, templates);
  const next = nextSteps(project, platform, variant);
  io.emit({ platform, variant, server: project.server, files, next });
  tell(io, files, project, next);
}

function unasked({ platform, variant, yes }: Options, likely: Choices): Choices {
  if (yes || (platform && variant)) {
    return { platform: platform ?? likely.platform, variant: variant ?? likely.variant };
  }
  throw new BillingError(
    "invalid_argument",
    "There is no terminal to ask questions on. Pass --platform node-postgres or convex and --variant A or B, or --yes for what fits this folder.",
  );
}

function stopped(io: Io): void {
  io.print("Nothing was written.");
  io.exit(EXIT.interrupted);
}

function tell(io: Io, files: readonly Outcome[], project: Project, next: readonly string[]): void {
  io.print();
  for (const { path, state, snippet } of files) {
    if (state === "written") io.print(`${io.paint("green", "✓")} ${path}`);
    else if (state === "done") io.print(`${io.paint("dim", "·")} ${path} has it already`);
    else {
      io.print(`${io.paint("yellow", "!")} ${path} exists and was left alone. Add to it:`);
      io.print();
      for (const line of (snippet ?? "").trimEnd().split("\n")) io.print(`    ${line}`.trimEnd());
      io.print();
    }
  }
  const isNew = files.some(({ path, state }) => /billing-routes/.test(path) && state === "written");
  if (isNew)
    io.print(`  Mount the routes in your ${project.server} application: the file says how.`);
  io.print();
  io.print(io.paint("bold", "Next:"));
  next.forEach((command, index) => {
    io.print(`  ${index + 1}. ${io.paint("cyan", command)}`);
  });
}
