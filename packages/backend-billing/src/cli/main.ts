#!/usr/bin/env node
/** The command `backend-billing`: reads the arguments, runs one command, ends with its exit code. */
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { addAdoptCommand } from "./commands/adopt.js";
import { addDoctorCommand } from "./commands/doctor.js";
import { addEmulatorCommand } from "./commands/emulator.js";
import { addEventsCommand } from "./commands/events.js";
import { addGenerateCommand } from "./commands/generate.js";
import { addHooksCommand } from "./commands/hooks.js";
import { addInitCommand } from "./commands/init.js";
import { addMigrateCommand } from "./commands/migrate.js";
import { addPullCommand } from "./commands/pull.js";
import { addPushCommand } from "./commands/push.js";
import { addStatusCommand } from "./commands/status.js";
import { addReconcileCommand, addSyncCommand } from "./commands/sync.js";
import { addUsageCommand } from "./commands/usage.js";
import { addVerifyCommand } from "./commands/verify.js";
import { packageRoot } from "./package-root.js";
import { createIo, EXIT } from "./terminal/io.js";

const { stdout, stderr, stdin, env, argv } = process;
const io = createIo({ stdout, stderr, stdin, env, cwd: process.cwd(), argv });

// The reader of our output is gone, as with `| head`: nothing can be reported any more.
for (const out of [stdout, stderr]) out.on("error", () => process.exit(EXIT.failed));

const packageFile = new URL("package.json", packageRoot);
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };

const program = new Command("backend-billing")
  .description("Stripe billing inside your backend: set it up, fill it, look at it.")
  .version(version)
  .option("--json", "print one JSON value a line instead of text")
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError("Add --help for the options.")
  .configureOutput({
    // Under --json wrong arguments are reported as JSON too.
    writeErr: (text) => {
      if (!io.json) io.warn(text.trimEnd());
    },
  })
  .exitOverride();

for (const add of [
  addInitCommand,
  addGenerateCommand,
  addDoctorCommand,
  addMigrateCommand,
  addSyncCommand,
  addStatusCommand,
  addVerifyCommand,
  addReconcileCommand,
  addAdoptCommand,
  addEventsCommand,
  addHooksCommand,
  addUsageCommand,
  addPushCommand,
  addPullCommand,
  addEmulatorCommand,
]) {
  add(program, io);
}

try {
  await program.parseAsync(argv);
} catch (error) {
  if (!(error instanceof CommanderError)) io.fail(error);
  else if (error.exitCode !== 0) {
    io.emit({ error: { code: "invalid_argument", message: error.message, exitCode: EXIT.usage } });
    io.exit(EXIT.usage);
  }
}
// What was printed is written out first; a pool or a server that was left open does not hold us up.
await Promise.all([stdout, stderr].map((out) => new Promise((done) => out.write("", done))));
process.exit(io.exitCode);
