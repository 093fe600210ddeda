/** The command `pull`: writes a catalogue file from what `push` made. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { stripeClient } from "../../core/runtime/config.js";
import { BillingError } from "../../core/runtime/errors.js";
import { observe } from "../../push/observed.js";
import type { Unmanaged } from "../../push/operations.js";
import { unmanagedOf } from "../../push/plan.js";
import { appsIn, catalogueText } from "../../push/pull.js";
import { billingConfig, type ConnectOptions, loadEnv, withStripeOptions } from "../connect.js";
import { PULLING, withGrants } from "../doctor/permissions.js";
import { counted } from "../terminal/format.js";
import type { Io } from "../terminal/io.js";

interface Options extends ConnectOptions {
  readonly out?: string;
  readonly app?: string;
}

export function addPullCommand(program: Command, io: Io): void {
  const command = program
    .command("pull")
    .description("write a catalogue file from what push made at Stripe")
    .option("--out <path>", "the file to write; never one that exists (default: print it)")
    .option("--app <name>", "whose plans (default: the only application in the account)");
  withStripeOptions(command).action((options: Options) => run(io, options));
}

async function run(io: Io, options: Options): Promise<void> {
  loadEnv(io, options);
  const stripe = stripeClient(billingConfig(io, options))();
  const file = options.out === undefined ? undefined : resolve(io.cwd, options.out);
  if (file !== undefined && existsSync(file)) {
    throw new BillingError("invalid_argument", `${options.out} exists, and is not overwritten.`);
  }
  const { app, text, unmanaged } = await withGrants(PULLING, async () => {
    const nothing = { app: "", products: [], keys: [] };
    const name = options.app ?? onlyApp(appsIn(await observe(stripe, nothing)));
    const observed = await observe(stripe, { ...nothing, app: name });
    const rest = unmanagedOf(name, observed);
    return { app: name, text: catalogueText(name, observed), unmanaged: rest };
  });
  if (file !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    io.print(`${io.paint("green", "✓")} Wrote ${options.out}, the plans of ${app}.`);
    printUnmanaged(io, unmanaged);
  } else if (!io.json) {
    io.write(text);
    for (const line of unmanagedLines(unmanaged)) io.warn(line);
  }
  io.emit({ app, file: options.out ?? null, text, unmanaged });
}

function onlyApp(apps: readonly string[]): string {
  const [app, ...others] = apps;
  if (app !== undefined && others.length === 0) return app;
  throw new BillingError(
    "invalid_argument",
    app === undefined
      ? "Push has made nothing in this account."
      : `Several applications push to this account: ${apps.join(", ")}. Say which: --app ${app}`,
  );
}

/** What is sold in the account and is not the catalogue's. */
export function printUnmanaged(io: Io, unmanaged: readonly Unmanaged[]): void {
  for (const line of unmanagedLines(unmanaged)) io.print(io.paint("dim", line));
}

const MOST_LINES = 20;

function unmanagedLines(unmanaged: readonly Unmanaged[]): readonly string[] {
  if (unmanaged.length === 0) return [];
  const shown = unmanaged.slice(0, MOST_LINES).map(({ object, id, name, app }) => {
    const whose = app === null ? "" : `, of the app ${app}`;
    return `  · ${object} ${id}${object === "product" ? `, ${JSON.stringify(name)}` : ` of ${name}`}${whose}`;
  });
  const more = unmanaged.length - shown.length;
  return [
    `Not managed by this catalogue: ${counted(unmanaged.length, "object")}`,
    ...shown,
    ...(more > 0 ? [`  · and ${more} more`] : []),
  ];
}
