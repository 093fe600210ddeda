/** The command `doctor`: looks at everything that must fit together, and says what mends what does not. */
import type { Command } from "commander";
import { type ConnectOptions, loadEnv, withConnectOptions } from "./connect.js";
import { type ConvexOptions, withConvexOptions } from "./convex.js";
import { diagnose } from "./doctor/diagnose.js";
import { gather } from "./doctor/gather.js";
import { printFindings } from "./doctor/print.js";
import { EXIT, type Io } from "./io.js";

type Options = ConnectOptions & ConvexOptions;

export function addDoctorCommand(program: Command, io: Io): void {
  const command = program
    .command("doctor")
    .description("check keys, webhook, database, clocks and portal, and say what mends them")
    .option("--url <url>", "where your application is reached, or its webhook's whole address");
  withConvexOptions(withConnectOptions(command)).action((options: Options) => run(io, options));
}

async function run(io: Io, options: Options): Promise<void> {
  loadEnv(io, options);
  const { convex } = options;
  const url = options.url ?? io.env[convex ? "CONVEX_SITE_URL" : "BASE_URL"];
  const facts = await gather(io, {
    ...options,
    platform: convex ? "convex" : "node-postgres",
    ...(typeof convex === "string" ? { module: convex } : {}),
    ...(url === undefined ? {} : { url }),
  });
  const findings = diagnose(facts);
  const healthy = !findings.some(({ severity }) => severity === "error");
  io.emit({ healthy, findings });
  printFindings(io, facts, findings);
  if (!healthy) io.exit(EXIT.findings);
}
