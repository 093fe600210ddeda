/** The command `push`: shows what a catalogue would change at Stripe, and does it on request. */
import type { Command } from "commander";
import { isLive, stripeClient } from "../../core/runtime/config.js";
import { BillingError } from "../../core/runtime/errors.js";
import type { Conflict, Drift, Operation, PushPlan } from "../../push/operations.js";
import { planPush, push } from "../../push/push.js";
import { billingConfig, type ConnectOptions, loadEnv, withStripeOptions } from "../connect.js";
import { PUSHING, withGrants } from "../doctor/permissions.js";
import { askWhetherToPush } from "../plans/ask.js";
import { loadCatalogue, withCatalogueOption } from "../plans/load.js";
import { differenceText, linesOf } from "../plans/text.js";
import { counted } from "../terminal/format.js";
import { EXIT, type Io } from "../terminal/io.js";
import { printUnmanaged } from "./pull.js";

interface Options extends ConnectOptions {
  readonly catalogue?: string;
  readonly apply?: boolean;
  readonly live?: boolean;
  readonly overwrite?: boolean;
}

export function addPushCommand(program: Command, io: Io): void {
  const command = program
    .command("push")
    .description("compare the plans in your code with Stripe; --apply makes Stripe follow them")
    .option("--apply", "do it; without this nothing is changed")
    .option("--live", "do not ask before a live account is changed")
    .option("--overwrite", "overwrite what was edited by hand at Stripe, too");
  withStripeOptions(withCatalogueOption(command)).action((options: Options) => run(io, options));
}

async function run(io: Io, options: Options): Promise<void> {
  loadEnv(io, options);
  const config = billingConfig(io, options);
  const isLiveKey = isLive(config);
  const stripe = stripeClient(config)();
  const { catalogue, path } = await loadCatalogue(io.cwd, options.catalogue);
  const { overwrite = false, apply = false, live = false } = options;
  const plan = await withGrants(PUSHING, () => planPush(stripe, catalogue, { overwrite }));
  const mode = isLiveKey ? "live" : "test";
  io.print(`${io.paint("bold", path)} → Stripe, ${mode} mode, app ${catalogue.app}`);
  printPlan(io, plan);
  if (!apply || plan.operations.length === 0) {
    io.emit({ mode, applied: false, ...plan });
    return conclude(io, plan);
  }
  if (isLiveKey && !live && !(await isMeant(io, plan))) {
    io.print("Nothing was changed.");
    return io.exit(EXIT.interrupted);
  }
  const onDone = (operation: Operation) => printDone(io, operation);
  const { done, rest } = await withGrants(PUSHING, () =>
    push(stripe, catalogue, { overwrite, onDone }),
  );
  io.emit({ mode, applied: true, done, ...rest });
  io.print(`${io.paint("green", "✓")} Pushed: ${counted(done.length, "request")} done.`);
  conclude(io, rest);
}

/** A live account is changed on a clear word only. */
async function isMeant(io: Io, { operations }: PushPlan): Promise<boolean> {
  if (!io.isInteractive) {
    throw new BillingError(
      "invalid_argument",
      "This is a live key, and there is no terminal to ask on. Pass --live to change the live account.",
    );
  }
  return askWhetherToPush(operations.length);
}

const COLOUR = { "+": "green", "~": "yellow", "-": "red" } as const;

function printPlan(io: Io, { operations, drift, conflicts, unmanaged }: PushPlan): void {
  if (operations.length > 0) io.print();
  for (const operation of operations) {
    const { mark, text, details } = linesOf(operation);
    io.print(`  ${io.paint(COLOUR[mark], mark)} ${text}`);
    for (const detail of details) io.print(io.paint("dim", `      ${detail}`));
  }
  io.print();
  for (const each of drift) printDrift(io, each);
  for (const each of conflicts) printConflict(io, each);
  printUnmanaged(io, unmanaged);
}

function printDrift(io: Io, { object, id, place, differences }: Drift): void {
  io.print(`${io.paint("yellow", "!")} ${place}: the ${object} ${id} was edited by hand:`);
  for (const difference of differences) io.print(`      ${differenceText(difference)}`);
}

function printConflict(io: Io, { place, message }: Conflict): void {
  io.print(`${io.paint("red", "✗")} ${place}: ${message}`);
}

function printDone(io: Io, operation: Operation): void {
  const { mark, text } = linesOf(operation);
  io.print(`  ${io.paint("green", "✓")} ${mark} ${text}`);
}

/** What is left, and what to do about it. */
function conclude(io: Io, { operations, drift, conflicts }: PushPlan): void {
  if (drift.length > 0) {
    io.print("  Take these edits over into the catalogue, or push with --overwrite.");
  }
  if (operations.length > 0) {
    io.print(`${counted(operations.length, "request")} to do: add --apply.`);
  } else if (drift.length + conflicts.length === 0) {
    io.print(`${io.paint("green", "✓")} Stripe is as the catalogue says.`);
  }
  if (operations.length + drift.length + conflicts.length > 0) io.exit(EXIT.findings);
}
