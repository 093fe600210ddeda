/** The command `migrate`: creates or updates the tables on PostgreSQL, or prints the SQL that does. */
import type { Command } from "commander";
import { migrate, printMigrations } from "../../postgres/schema/migrations.js";
import {
  type ConnectOptions,
  loadEnv,
  placeOf,
  resourcesOf,
  withConnectOptions,
  withPool,
} from "../connect.js";
import { type ConvexOptions, notOnConvex, withConvexOptions } from "../convex.js";
import type { Io } from "../terminal/io.js";

interface Options extends ConnectOptions, ConvexOptions {
  readonly print?: boolean;
  readonly roles?: string;
}

export function addMigrateCommand(program: Command, io: Io): void {
  const command = program
    .command("migrate")
    .description("create the tables, or bring them up to date; safe to repeat")
    .option("--print", "print the SQL instead, without a database")
    .option(
      "--roles <names>",
      "roles that the application connects as beside the owner, by commas; none for none",
    );
  withConvexOptions(withConnectOptions(command)).action((options: Options) => run(io, options));
}

async function run(io: Io, options: Options): Promise<void> {
  if (options.convex) {
    throw notOnConvex(
      "migrate",
      "Convex has no migrations: spread `billingTables` into your schema and push it with `npx convex dev` or `npx convex deploy`.",
    );
  }
  const settings = { ...placeOf(options), resources: resourcesOf(options), ...rolesOf(options) };
  if (options.print) {
    const sql = printMigrations(settings);
    if (io.json) io.emit({ sql });
    else io.write(sql);
    return;
  }
  loadEnv(io, options);
  const { applied } = await withPool(io, options, (pool) => migrate(pool, settings));
  io.emit({ applied });
  if (applied.length === 0) io.print(`${io.paint("green", "✓")} The tables are up to date.`);
  else {
    io.print(`${io.paint("green", "✓")} Applied ${applied.length} steps:`);
    for (const step of applied) io.print(`  ${step}`);
  }
}

/** No role can be called `none`, so the word is free to say that there is none. */
function rolesOf({ roles }: Options): { readonly roles?: readonly string[] } {
  if (roles === undefined) return {};
  return { roles: roles === "none" ? [] : roles.split(",").map((name) => name.trim()) };
}
