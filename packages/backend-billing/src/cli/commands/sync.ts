/** The commands `sync` and `reconcile`: fill the tables from Stripe, or put right what differs. */
import type { Command } from "commander";
import { BillingError } from "../../core/runtime/errors.js";
import type { RunReport, SyncReport } from "../../core/runtime/reports.js";
import { reconcile, sync } from "../../core/sync/sync.js";
import {
  type ConnectOptions,
  connected,
  loadEnv,
  withConnectOptions,
  withPaceOptions,
} from "../connect.js";
import { type ConvexOptions, convexRun, withConvexOptions } from "../convex.js";
import { count, counted, duration } from "../terminal/format.js";
import { EXIT, type Io } from "../terminal/io.js";
import { driftTotal, entriesOf, printSetAside } from "../terminal/progress.js";
import { type Worked, workAtRun } from "../work.js";

interface SyncOptions extends ConnectOptions, ConvexOptions {
  readonly data: boolean;
  readonly webhook?: boolean;
  readonly portal?: boolean;
  readonly replace?: boolean;
  readonly showSecret?: boolean;
}

export function addSyncCommand(program: Command, io: Io): void {
  const command = program
    .command("sync")
    .description("copy what is at Stripe into the tables; goes on where it was interrupted")
    .option("--no-data", "do not copy; only what else is asked for")
    .option(
      "--webhook",
      "create the webhook endpoint at Stripe, or mend it; needs --url or BASE_URL",
    )
    .option("--replace", "with --webhook: disable other endpoints at the same address")
    .option("--url <url>", "where your application is reached (default: BASE_URL)")
    .option(
      "--portal",
      "create a billing portal in which people change plans, or bring it up to date",
    )
    .option("--show-secret", "print a new endpoint's signing secret also without a terminal");
  withConvexOptions(withPaceOptions(withConnectOptions(command))).action((options: SyncOptions) =>
    options.convex ? syncOnConvex(io, options) : runSync(io, options),
  );
}

async function runSync(io: Io, options: SyncOptions): Promise<void> {
  const { data, webhook = false, portal = false, replace = false } = options;
  if (!data && !webhook && !portal) {
    const message = "Nothing to do: --no-data needs --webhook, --portal or both.";
    throw new BillingError("invalid_argument", message);
  }
  loadEnv(io, options);
  const url = options.url ?? (webhook ? io.env.BASE_URL || undefined : undefined);
  await connected(io, { ...options, ...(url === undefined ? {} : { url }) }, async (at) => {
    const opened = await sync(at.runtime, { data, webhook, portal, replace }, { wait: false });
    printEndpoint(io, opened, options);
    const worked = isRun(opened) ? await workAtRun(io, at, opened) : undefined;
    if (worked !== undefined) printRun(io, worked, "Synced");
    const { webhook: endpoint, portal: settings } = opened;
    emitRun(io, worked, {
      ...(endpoint === undefined ? {} : { webhook: shownEndpoint(endpoint, options) }),
      ...(settings === undefined ? {} : { portal: settings }),
    });
  });
}

const isRun = (report: SyncReport): report is SyncReport & RunReport => report.runId !== null;

type Endpoint = NonNullable<SyncReport["webhook"]>;

/** A secret is in logs for ever; it is printed where a person looks, or on request. */
const shownEndpoint = ({ secret, ...endpoint }: Endpoint, { showSecret }: SyncOptions): Endpoint =>
  secret !== undefined && showSecret ? { ...endpoint, secret } : endpoint;

function printEndpoint(io: Io, { webhook, portal }: SyncReport, { showSecret }: SyncOptions): void {
  const done = io.paint("green", "✓");
  if (webhook !== undefined) {
    const { id, secret, mended = [] } = webhook;
    const what = mended.length === 0 ? "" : `, mended: ${mended.join(", ")}`;
    io.print(`${done} Webhook endpoint ${id}${secret === undefined ? what : " created"}`);
    if (secret !== undefined && !io.json) {
      if (io.isTerminal || showSecret) {
        io.print("  Set its signing secret where your application runs; it is shown this once:");
        io.reveal(`  STRIPE_WEBHOOK_SECRET=${secret}`);
      } else {
        io.print(
          "  Its signing secret is not printed into a log. Take it from the endpoint's page in",
        );
        io.print("  Stripe's dashboard and set it as STRIPE_WEBHOOK_SECRET.");
      }
    }
  }
  for (const { id, url, apiVersion } of webhook?.others ?? []) {
    const version = apiVersion ?? "of the account";
    io.print(`${io.paint("yellow", "!")} ${id} (API version ${version}) is sent to ${url} too.`);
  }
  if (webhook?.others !== undefined) {
    io.print("  Set both secrets, then disable the others by: sync --webhook --replace");
  }
  if (portal !== undefined) io.print(`${done} Portal configuration ${portal.configurationId}`);
}

/** The result as JSON. A new secret is in it only on request, past what hides secrets. */
function emitRun(io: Io, worked: Worked | undefined, more: { webhook?: Endpoint }): void {
  if (!io.json) return;
  const result = JSON.stringify({ ...resultOf(worked), ...more });
  if (more.webhook?.secret === undefined) io.emit({ ...resultOf(worked), ...more });
  else io.reveal(result);
}

/** A run's result, as all commands give it under `--json`. */
export function resultOf(worked: Worked | undefined): object {
  if (worked === undefined) return { runId: null, state: "done" };
  const { report, counts, interrupted, milliseconds } = worked;
  return { ...report, interrupted, milliseconds, process: counts };
}

/** What a run came to, with what failed by name. */
export function printRun(io: Io, worked: Worked, verb: string): void {
  const { report, counts, interrupted, milliseconds } = worked;
  if (interrupted) return;
  const isDone = report.state === "done";
  if (!isDone) io.exit(EXIT.failed);
  const mark = isDone ? io.paint("green", "✓") : io.paint("red", "✗");
  const head = isDone ? `${verb} in ${duration(milliseconds)}` : `Not done: ${report.error ?? ""}`;
  io.print(`${mark} ${head}`);
  io.table([
    ["resource", "objects", "pages", "state"].map((word) => io.paint("dim", word)),
    ...entriesOf(report).map(([name, at]) => [name, count(at.rows), count(at.pages), at.state]),
  ]);
  for (const [name, { error, state }] of entriesOf(report)) {
    if (error !== undefined && state === "failed")
      io.print(`${io.paint("red", "✗")} ${name}: ${error}`);
  }
  if (report.setAside !== undefined) printSetAside(io, report.setAside);
  io.print(
    `This process: ${count(counts.seen)} seen, ${count(counts.stored)} stored, ` +
      `${count(counts.unchanged)} unchanged, ${count(counts.refused)} refused as older, ` +
      `${count(counts.deleted)} deleted, ${count(counts.asked)} in doubt`,
  );
  io.print(
    `${counted(counts.requests, "request")}, ${count(counts.limited)} × 429, ` +
      `${count(counts.failed)} failed otherwise`,
  );
}

async function syncOnConvex(io: Io, options: SyncOptions): Promise<void> {
  const { data, webhook = false, portal = false, replace = false } = options;
  const args = { data, webhook, portal, ...(replace ? { replace } : {}) };
  const report = (await convexRun(io, options, "sync", args)) as SyncReport;
  printEndpoint(io, report, options);
  if (io.json) {
    const { webhook: endpoint, ...rest } = report;
    const shown = endpoint === undefined ? {} : { webhook: shownEndpoint(endpoint, options) };
    const text = { ...rest, ...shown };
    if (endpoint?.secret !== undefined && options.showSecret) io.reveal(JSON.stringify(text));
    else io.emit(text);
  }
  if (data) io.print(`${report.state}: your deployment goes on by itself. See: status --convex`);
}

interface ReconcileOptions extends ConnectOptions, ConvexOptions {
  readonly maxMissing?: string;
}

export function addReconcileCommand(program: Command, io: Io): void {
  const command = program
    .command("reconcile")
    .description("read everything again and repair what differs")
    .option("--max-missing <n>", "how many objects of a resource may be unknown to Stripe");
  withConvexOptions(withPaceOptions(withConnectOptions(command))).action(
    (options: ReconcileOptions) =>
      options.convex ? reconcileOnConvex(io, options) : runReconcile(io, options),
  );
}

async function runReconcile(io: Io, options: ReconcileOptions): Promise<void> {
  const { maxMissing } = options;
  const args = maxMissing === undefined ? {} : { maxMissing: Number(maxMissing) };
  await connected(io, options, async (at) => {
    const opened = await reconcile(at.runtime, args, { wait: false });
    const worked = await workAtRun(io, at, opened);
    printRun(io, worked, "Reconciled");
    const repaired = driftTotal(worked.report);
    if (!worked.interrupted) {
      io.print(repaired === 0 ? "Nothing differed." : `Repaired: ${counted(repaired, "object")}.`);
    }
    io.emit(resultOf(worked));
  });
}

async function reconcileOnConvex(io: Io, options: ReconcileOptions): Promise<void> {
  await convexRun(io, options, "sync", { step: "reconcile" });
  io.emit({ state: "running" });
  io.print("Started: your deployment goes on by itself. See: status --convex");
}
