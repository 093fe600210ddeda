/** The command `verify`: compares the tables with Stripe, and ends with 3 if they differ. */
import type { Command } from "commander";
import type { Drift, Progress, RunReport, UsageProgress } from "../../core/runtime/reports.js";
import { verify } from "../../core/sync/sync.js";
import {
  type Connected,
  type ConnectOptions,
  connected,
  withConnectOptions,
  withPaceOptions,
} from "../connect.js";
import { type ConvexOptions, convexRun, withConvexOptions } from "../convex.js";
import { catalogueIfAny, withCatalogueOption } from "../plans/load.js";
import { count, counted, duration } from "../terminal/format.js";
import { EXIT, type Io } from "../terminal/io.js";
import { driftTotal } from "../terminal/progress.js";
import { workAtRun } from "../work.js";
import { printRun, resultOf } from "./sync.js";

interface Options extends ConnectOptions, ConvexOptions {
  readonly sample?: string;
  readonly catalogue?: string;
}

export function addVerifyCommand(program: Command, io: Io): void {
  const command = program
    .command("verify")
    .description("compare the tables with Stripe and change nothing; ends with 3 if they differ")
    .option("--sample <n>", "compare so many rows of each resource, drawn by lot, instead of all");
  withCatalogueOption(command);
  withConvexOptions(withPaceOptions(withConnectOptions(command))).action((options: Options) =>
    options.convex ? verifyOnConvex(io, options) : runVerify(io, options),
  );
}

const argsOf = ({ sample }: Options): { sample?: number } =>
  sample === undefined ? {} : { sample: Number(sample) };

async function runVerify(io: Io, options: Options): Promise<void> {
  const catalogue = await catalogueIfAny(io, options.catalogue);
  const work = async (at: Connected) => {
    const opened = await verify(at.runtime, argsOf(options), { wait: false });
    const worked = await workAtRun(io, at, opened);
    const { report, interrupted } = worked;
    const total = driftTotal(report);
    if (!interrupted && report.state !== "done") printRun(io, worked, "Verified");
    else if (!interrupted) printDrift(io, report, total, worked.milliseconds);
    if (!interrupted && total > 0 && report.state === "done") io.exit(EXIT.findings);
    io.emit({ ...resultOf(worked), drift: total });
  };
  await connected(io, options, work, catalogue);
}

function printDrift(
  io: Io,
  { resources, usage }: RunReport,
  total: number,
  milliseconds: number,
): void {
  const entries = Object.entries<Progress>(resources);
  const number = (drift: Drift | undefined, kind: "missing" | "different" | "ghost") =>
    count(drift?.[kind] ?? 0);
  const days = usage?.differing ?? 0;
  const found = [
    ...(total > days ? [counted(total - days, "object")] : []),
    ...(days > 0 ? [`${counted(days, "day")} of usage`] : []),
  ];
  const head = total === 0 ? "No drift" : `Drift: ${found.join(", ")}`;
  io.print(`${total === 0 ? io.paint("green", "✓") : io.paint("red", "✗")} ${head}`);
  io.table([
    ["resource", "compared", "missing", "different", "ghost"].map((word) => io.paint("dim", word)),
    ...entries.map(([name, { rows, drift }]) => [
      name,
      count(rows),
      number(drift, "missing"),
      number(drift, "different"),
      number(drift, "ghost"),
    ]),
  ]);
  for (const [name, { drift, confidence }] of entries) {
    for (const { id, kind, fields = [] } of drift?.examples ?? []) {
      io.print(`  ${name} ${id}: ${kind}${fields.length > 0 ? ` in ${fields.join(", ")}` : ""}`);
    }
    if (confidence !== undefined && confidence.of > 0)
      io.print(`  ${name}: ${confidence.statement}`);
  }
  printUsage(io, usage);
  io.print(`It took ${duration(milliseconds)}.`);
  if (total > days) io.print("To repair it: npx backend-billing reconcile");
}

/** Nothing where no usage is billed. */
function printUsage(io: Io, usage: UsageProgress | undefined): void {
  if (usage === undefined) return;
  const { rows, differing, examples } = usage;
  io.print(`usage: ${count(rows)} customers compared, days that differ: ${count(differing)}`);
  for (const { customerId, meter, day, ours, stripe } of examples) {
    const numbers = `${count(ours)} sent, ${count(stripe)} counted by Stripe`;
    io.print(`  usage ${customerId} ${meter} ${day}: ${numbers}`);
  }
}

async function verifyOnConvex(io: Io, options: Options): Promise<void> {
  const line =
    "export const verify = internalAction({ args: { sample: v.optional(v.number()) }, handler: (ctx, args) => billing.verify(ctx, args) });";
  const report = (await convexRun(io, options, "verify", argsOf(options), line)) as RunReport;
  io.emit(report);
  io.print(`${report.state}: your deployment goes on by itself. See: status --convex`);
}
