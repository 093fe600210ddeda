/** `sync`: copies existing data, sets up the webhook endpoint and the portal, as asked. */

import { argsOf, dataOf, optionsOf, shown } from "../runtime/arguments.js";
import { BillingError } from "../runtime/errors.js";
import type { RunKind, RunReport, SyncReport } from "../runtime/reports.js";
import type { Runtime } from "../runtime/runtime.js";
import { checkKey, checkPlace } from "../stripe/account.js";
import { comparedMeters } from "../usage/books/meters.js";
import { syncWebhook } from "./endpoint.js";
import { syncPortal } from "./portal/portal.js";
import type { PortalOptions } from "./portal/settings.js";
import { openRun } from "./run/open.js";
import { runReport } from "./run/report.js";
import type { RunOptions } from "./run/run.js";
import { workUntilDone } from "./work/wait.js";

/** What `sync` takes; all of it is optional. */
export interface SyncArgs {
  /** Copies all existing Stripe objects into the tables. Default true. */
  readonly data?: boolean;
  /** Creates or updates the webhook endpoint at Stripe. Default false. */
  readonly webhook?: boolean;
  /**
   * With `webhook`: also disables other enabled endpoints at the same address, once `webhook_secret`
   * holds the secret of the one that stays. Default false.
   */
  readonly replace?: boolean;
  /**
   * Creates a billing portal in which people change plans and numbers, cancel, and pay, if there is
   * none; one that was created so is brought up to date. Default false. Given Stripe's parameters of
   * a portal configuration, these go before the library's, now and in later calls with `true`.
   */
  readonly portal?: boolean | PortalOptions;
}

/** Whether the caller works at the run until it ends, or others do. */
export interface Waiting {
  readonly wait: boolean;
}

export async function sync(
  runtime: Runtime,
  args: SyncArgs = {},
  { wait }: Waiting = { wait: true },
): Promise<SyncReport> {
  const { data = true, webhook = false, portal = false, replace = false } = argsOf("sync", args);
  const wanted = typeof portal === "boolean" ? portal : portalOf(portal);
  if (replace && !webhook) {
    throw new BillingError(
      "invalid_argument",
      "`replace` is about the webhook endpoint: pass `webhook: true` with it.",
    );
  }
  await checkPlace(runtime);
  // The endpoint comes first, so that changes during the copying arrive as events.
  const endpoint = webhook ? await syncWebhook(runtime, replace) : undefined;
  const settings = wanted === false ? undefined : await syncPortal(runtime, wanted);
  const run = data ? await runTo(runtime, "backfill", {}, wait) : undefined;
  return unlessFailed({
    ...(run ?? { runId: null, state: "done", resources: {} }),
    ...(endpoint === undefined ? {} : { webhook: endpoint }),
    ...(settings === undefined ? {} : { portal: settings }),
  });
}

function portalOf(given: PortalOptions): PortalOptions {
  const wanted = optionsOf("portal", dataOf(optionsOf("portal", given) ?? {}));
  optionsOf("portal.features", wanted?.features);
  return wanted ?? {};
}

/** What `reconcile` takes; all of it is optional. */
export interface ReconcileArgs {
  /** How many objects of a resource may turn out to be unknown to Stripe. Default a tenth, or 20. */
  readonly maxMissing?: number;
}

/** Lists everything again, asks about what no list shows, and repairs what differs. */
export async function reconcile(
  runtime: Runtime,
  args: ReconcileArgs = {},
  { wait }: Waiting = { wait: true },
): Promise<RunReport> {
  const { maxMissing } = argsOf("reconcile", args);
  if (maxMissing !== undefined) checkCount("maxMissing", maxMissing, 0);
  const options = maxMissing === undefined ? {} : { maxMissing };
  return unlessFailed(await runTo(runtime, "reconcile", options, wait));
}

/** What `verify` takes; all of it is optional. */
export interface VerifyArgs {
  /** Compares so many rows of each resource, drawn by lot, instead of all: up to 10,000, on Convex 5,000. */
  readonly sample?: number;
}

/**
 * Compares the mirror with Stripe, and what was sent of usage with what Stripe has counted. It writes
 * nothing to the mirror.
 */
export async function verify(
  runtime: Runtime,
  args: VerifyArgs = {},
  { wait }: Waiting = { wait: true },
): Promise<RunReport> {
  const { sample } = argsOf("verify", args);
  if (sample !== undefined) checkCount("sample", sample, 1, runtime.store.limits.sample);
  const meters = comparedMeters(runtime);
  const options = {
    ...(sample === undefined ? {} : { sample }),
    ...(meters === undefined ? {} : { meters }),
  };
  return unlessFailed(await runTo(runtime, "verify", options, wait));
}

function checkCount(name: string, value: number, least: number, most = 10_000): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new BillingError(
    "invalid_argument",
    `\`${name}\` must be a whole number from ${least} to ${most}, not ${shown(value)}.`,
  );
}

/** A script that waited for a run must not go on, or end well, if the run failed. */
function unlessFailed<R extends SyncReport>(report: R): R {
  if (report.state !== "failed") return report;
  const said = report.error?.trim() ?? "";
  throw new BillingError(
    "run_failed",
    `The ${report.kind} ${report.runId} failed. ${said} What was read is kept. The error's \`report\` and \`runs()\` show each resource.`,
    { report },
  );
}

async function runTo(
  runtime: Runtime,
  kind: RunKind,
  options: RunOptions,
  wait: boolean,
): Promise<RunReport> {
  const runId = await openRun(runtime, kind, options, checkKey);
  if (wait) await workUntilDone(runtime, runId, runtime.isClosing);
  const report = await runReport(runtime, runId);
  if (report === undefined) throw new BillingError("store_error", `The run ${runId} is gone.`);
  if (wait && report.state === "running") {
    throw new BillingError(
      "store_error",
      `This instance was closed by \`close()\` before the ${report.kind} ${runId} was done. What was read is kept, and another instance goes on: by its scheduled jobs, or by the same call.`,
    );
  }
  return report;
}
