/** The command `doctor`: looks at everything that must fit together, and says what mends what does not. */
import type { Command } from "commander";
import { type StampReport, stampCustomers } from "../../core/customers/stamp.js";
import { BillingError } from "../../core/runtime/errors.js";
import { type ConnectOptions, connected, loadEnv, withConnectOptions } from "../connect.js";
import { type ConvexOptions, withConvexOptions } from "../convex.js";
import { diagnose } from "../doctor/diagnose/diagnose.js";
import type { Facts } from "../doctor/facts.js";
import { gather } from "../doctor/gather.js";
import { printFindings } from "../doctor/print.js";
import { withCatalogueOption } from "../plans/load.js";
import { count, counted } from "../terminal/format.js";
import { EXIT, type Io } from "../terminal/io.js";

type Options = ConnectOptions &
  ConvexOptions & { readonly fix?: boolean; readonly catalogue?: string };

export function addDoctorCommand(program: Command, io: Io): void {
  const command = program
    .command("doctor")
    .description("check keys, webhook, database, clocks and portal, and say what mends them")
    .option("--url <url>", "where your application is reached, or its webhook's whole address")
    .option("--fix", "write the application's name into linked customers that carry none");
  withCatalogueOption(command);
  withConvexOptions(withConnectOptions(command)).action((options: Options) => run(io, options));
}

async function run(io: Io, options: Options): Promise<void> {
  loadEnv(io, options);
  const { convex } = options;
  const url = options.url ?? io.env[convex ? "CONVEX_SITE_URL" : "BASE_URL"];
  if (convex && options.fix) {
    const message =
      "--fix works on PostgreSQL; the database of a Convex deployment is not reached.";
    throw new BillingError("invalid_argument", message);
  }
  const look = () =>
    gather(io, {
      ...options,
      platform: convex ? "convex" : "node-postgres",
      ...(typeof convex === "string" ? { module: convex } : {}),
      ...(url === undefined ? {} : { url }),
    });
  const before = await look();
  const mended = options.fix && canStamp(before) ? await mend(io, options) : undefined;
  const facts = mended === undefined ? before : await look();
  const findings = diagnose(facts);
  const healthy = !findings.some(({ severity }) => severity === "error");
  io.emit({ healthy, findings, ...(mended === undefined ? {} : { mended }) });
  printFindings(io, facts, findings);
  if (!healthy) io.exit(EXIT.findings);
}

/** Whether there is a name, and customers can be read and changed. The findings tell why not. */
function canStamp({ app, key, database }: Facts): boolean {
  const stored = database?.state === "answers" ? database.stored : undefined;
  if (app === undefined || stored === undefined || key.state !== "given") return false;
  return stored.app === undefined || stored.app === app;
}

async function mend(io: Io, options: Options): Promise<StampReport> {
  const report = await connected(io, options, ({ runtime }) =>
    stampCustomers(runtime, (stamped) => {
      if (stamped % 1_000 === 0) io.warn(`${count(stamped)} customers were given the name so far`);
    }),
  );
  const { stamped, refused } = report;
  io.print(
    `${io.paint("green", "✓")} ${counted(stamped, "customer")} given the application's name`,
  );
  for (const { customer, reason } of refused) {
    io.print(`${io.paint("red", "✗")} ${customer}: ${reason}`);
  }
  if (refused.length > 0) io.exit(EXIT.findings);
  return report;
}
