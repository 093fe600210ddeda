/** The command `emulator`: the double of Stripe on loopback, until it is stopped. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import Stripe from "stripe";
import type { StripeDouble } from "stripe-double";
import { enabledEvents } from "../../core/catalogue/catalogue.js";
import { BillingError } from "../../core/runtime/errors.js";
import { push } from "../../push/push.js";
import { loadCatalogue } from "../plans/load.js";
import type { Io } from "../terminal/io.js";

interface Options {
  readonly port: number;
  readonly seed?: string;
  readonly webhook?: string;
  /** A path; false for `--no-state`. */
  readonly state?: string | false;
  readonly fresh?: boolean;
  /** The file of the plans that it begins with. */
  readonly catalogue?: string;
}

export function addEmulatorCommand(program: Command, io: Io): void {
  program
    .command("emulator")
    .description("run a Stripe of your own on this machine: API, webhooks, checkout and portal")
    .option("--port <port>", "where it listens, on 127.0.0.1; 0 for any free one", portOf, 12111)
    .option("--webhook <url>", "send events there, and print the signing secret", urlOf)
    .option("--catalogue <path>", "begin with the plans of this file, as `push --apply` makes them")
    .option("--fresh", "forget what it holds: a new account, new keys and new ids")
    .option("--state <path>", "keep its state there (default: .backend-billing/emulator.jsonl)")
    .option("--no-state", "keep its state in memory only")
    .option("--seed <seed>", "the same seed gives the same ids, keys and secrets (default: random)")
    .action((options: Options) => run(io, options));
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("It must be a number from 0 to 65535.");
}

function urlOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError("It must be like http://localhost:3000/stripe/webhook.");
}

/** Where the state is kept unless another path is given. */
const STATE = join(".backend-billing", "emulator.jsonl");

async function run(io: Io, options: Options): Promise<void> {
  // Before anything starts, so that a signal during the start ends it as well.
  const stopped = untilStopped();
  const state = options.state === false ? undefined : resolve(io.cwd, options.state ?? STATE);
  if (state !== undefined && options.state === undefined) makeFolder(dirname(state));
  const plans = options.catalogue && (await loadCatalogue(io.cwd, options.catalogue));
  const double = await start(options, state);
  try {
    if (plans) await push(new Stripe(double.secretKey, double.stripeConfig), plans.catalogue);
    tell(io, options, { double, state });
    await stopped;
  } finally {
    await double.close();
  }
  io.print(
    state === undefined
      ? "\nThe emulator has stopped, and all that it held is gone."
      : `\nThe emulator has stopped. What it holds is in ${state}`,
  );
}

/** The folder ignores itself: what is in it belongs to one machine. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".gitignore"), "*\n");
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

/** The double is a package of its own, which an application needs only here and in its tests. */
async function load() {
  try {
    return await import("stripe-double");
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new BillingError(
      "invalid_config",
      "The emulator is the package stripe-double. Install it: npm install --save-dev stripe-double",
      { cause: error },
    );
  }
}

async function start(options: Options, state: string | undefined): Promise<StripeDouble> {
  const { port, seed = "", webhook, fresh = false } = options;
  const { createStripeDouble, DoubleError, newSeed } = await load();
  try {
    return await createStripeDouble({
      port,
      apiVersion: Stripe.API_VERSION,
      ...(state === undefined
        ? { seed: seed || newSeed() }
        : { state, fresh, ...(seed && { seed }) }),
      // As `sync({ webhook: true })` makes it.
      ...(webhook && { webhook: { url: webhook, events: enabledEvents() } }),
    });
  } catch (error) {
    if (error instanceof DoubleError) {
      const message = `${error.message.replaceAll("`fresh`", "--fresh")} Without a file: --no-state.`;
      throw new BillingError("invalid_argument", message, { cause: error });
    }
    const { code } = error as { code?: unknown };
    if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
    throw new BillingError(
      "invalid_argument",
      `Port ${port} ${code === "EACCES" ? "is not yours to use" : "is in use"}. Choose another, or any free one: npx backend-billing emulator --port 0`,
      { cause: error },
    );
  }
}

interface Started {
  readonly double: StripeDouble;
  readonly state: string | undefined;
}

/** Its key and secret open nothing but this double, so they are shown whole. */
function tell(io: Io, { webhook }: Options, { double, state }: Started): void {
  const secret = double.webhook?.secret;
  const { url, port, secretKey, account } = double;
  const pages = { checkout: `${url}/c/pay/cs_test_…`, portal: `${url}/p/session/test_…` };
  if (io.json) {
    const { telemetry: _, ...stripe_options } = double.stripeConfig;
    const endpoint = secret && webhook ? { webhook, webhook_secret: secret } : {};
    io.reveal(
      JSON.stringify({
        url,
        port,
        account,
        ...(state === undefined ? {} : { state, seed: double.seed }),
        secret_key: secretKey,
        stripe_options,
        pages,
        ...endpoint,
      }),
    );
    return;
  }
  const bold = (text: string) => io.paint("bold", text);
  io.print(
    `${io.paint("green", "✓")} A Stripe of your own listens on ${bold(url)}. No money moves.`,
  );
  io.print();
  io.print(bold("Your environment"));
  io.print(`  STRIPE_HOST=${url}`);
  io.reveal(`  STRIPE_SECRET_KEY=${secretKey}`);
  if (secret) io.reveal(`  STRIPE_WEBHOOK_SECRET=${secret}`);
  io.print();
  io.print(bold("The library, and Stripe's own package"));
  io.print("  createBilling({ …, stripe_host: process.env.STRIPE_HOST });");
  io.print(`  const options = { host: "127.0.0.1", port: ${port}, protocol: "http" } as const;`);
  io.print("  new Stripe(process.env.STRIPE_SECRET_KEY, options);");
  io.print();
  io.print(bold("Webhooks"));
  io.print(
    webhook
      ? `  Events go to ${webhook}`
      : "  None are sent. Start with --webhook http://localhost:3000/stripe/webhook",
  );
  io.print();
  io.print(bold("Pages, to open in a browser: the `url` of a session"));
  io.print(`  Checkout  ${pages.checkout}`);
  io.print(`  Portal    ${pages.portal}`);
  io.print();
  io.print(bold("Cards, with any later month and any code"));
  io.print("  4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined,");
  io.print("  4000 0025 0000 3155 asks for authentication");
  io.print();
  const kept =
    state === undefined
      ? "Ctrl-C stops it, and all that it holds is gone."
      : `Ctrl-C stops it. The next start goes on from ${state}; --fresh starts anew.`;
  io.print(io.paint("dim", kept));
}
